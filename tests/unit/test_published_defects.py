"""Defects published of other selectors, each as a test that we do not share it (objectives and kernels)."""

from __future__ import annotations

import numpy as np
import pytest

from reparto import kernels
from reparto.objectives import Ground
from reparto.objectives.clusters import Clusters
from reparto.objectives.dpp import DPP
from reparto.objectives.mmr import MMR
from reparto.objectives.relevance import Relevance
from reparto.similarity import Similarity, unit_rows


def ground(vectors, relevance, lexical=None):
    rows, present = unit_rows(vectors)
    n = len(relevance)
    similarity = Similarity(n, {"v": (rows, present)}, lexical)
    return Ground([f"c{i}" for i in range(n)], [""] * n, np.array(relevance, dtype=float), similarity)


def seat(objective, ground, k):
    """The bare greedy loop: ties go to the lower index, rank order."""
    run, picks = objective.start(ground), []
    for _ in range(min(k, len(ground.ids))):
        gains = run.gains().copy()
        gains[picks] = -np.inf
        picks.append(int(gains.argmax()))
        run.take(picks[-1])
    return picks


def at(*degrees):
    angles = np.radians(degrees)
    return [np.array([np.cos(a), np.sin(a)]) for a in angles]


class TestLlamaIndex:
    def test_penalty_counts_every_seated_passage_not_only_the_last(self):
        # After A and B, far from each other, A' is far from B and a copy of A all the same; C is new.
        pool = ground(at(0, 170, 2, 85), [0.95, 0.9, 0.89, 0.8])
        assert seat(MMR(0.5), pool, 3) == [0, 1, 3]

    def test_zero_is_a_value_not_an_absence(self):
        pool = ground(at(0, 10, 80), [0.9, 0.8, 0.1])
        assert seat(MMR(0.0), pool, 2) == [0, 2]
        # At threshold 0 all three are one cluster, at 1 each is its own.
        assert seat(Clusters(0.0), ground(at(0, 60, 80), [0.9, 0.8, 0.7]), 1) == [0]
        assert len(set(Clusters(0.0).start(ground(at(0, 60, 80), [0.9, 0.8, 0.7])).gains())) == 1


class TestLangChain:
    def test_the_rankers_score_decides_not_the_cosine_to_the_query(self):
        pool = ground(at(0, 90, 45), [0.9, 0.5, 0.1])
        assert seat(MMR(1.0), pool, 3) == [0, 1, 2]
        assert MMR(1.0).start(pool).gains().tolist() == [0.9, 0.5, 0.1]

    def test_the_better_ranked_copy_stays(self):
        copies = ground(at(0, 0, 90), [0.9, 0.8, 0.7])
        for objective in (MMR(0.5), DPP(0.5), Clusters(0.9)):
            assert seat(objective, copies, 2) == [0, 2]
        assert seat(Clusters(0.9), ground(at(0, 0, 0, 0, 0), [0.5, 0.4, 0.3, 0.2, 0.1]), 1) == [0]

    def test_a_cluster_sends_its_most_relevant_not_the_one_at_its_middle(self):
        pool = ground(at(0, 10, 20, 90), [0.9, 0.8, 0.7, 0.1])
        assert seat(Clusters(0.9), pool, 2) == [0, 3]

    def test_more_clusters_asked_for_than_entries(self):
        assert seat(Clusters(0.9), ground(at(0, 90), [0.9, 0.8]), 20) == [0, 1]


class TestPyversity:
    def test_opposite_directions_count_as_new(self):
        # Clipped at 0 both would be equally new and the more relevant one would win.
        pool = ground(at(0, 90, 180), [0.9, 0.5, 0.49])
        assert seat(MMR(0.5), pool, 2) == [0, 2]

    def test_dpp_over_copies_ends_in_rank_order(self):
        relevance = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
        assert seat(DPP(0.5), ground(at(0, 0, 0, 0, 0, 0), relevance), 6) == [0, 1, 2, 3, 4, 5]
        shuffled = np.array([0.4, 0.9, 0.5, 0.8])
        rows = np.tile(np.float32([1, 0]), (4, 1))
        picks = kernels.dpp(np.exp(shuffled), shuffled, 4, rows=rows)
        assert picks.indices.tolist() == [1, 3, 2, 0]

    def test_a_score_that_is_no_number_wins_nothing(self):
        rows = np.eye(3, dtype=np.float32)
        for bad in (np.nan, np.inf):
            with pytest.raises(ValueError, match="finite"):
                kernels.greedy([0.5, bad, 0.4], 2, 0.5, rows=rows)

    def test_vectors_are_not_compulsory(self):
        overlap = np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]])
        pool = ground([None, None, None], [0.9, 0.8, 0.7], lambda i: overlap[i])
        assert seat(MMR(0.5), pool, 2) == [0, 2]


class TestServers:
    def test_qdrant_ties_go_to_the_better_ranked_not_to_the_last(self):
        assert seat(MMR(0.5), ground(at(0, 90, 90), [0.9, 0.5, 0.5]), 2) == [0, 1]

    def test_qdrant_an_entry_without_a_vector_is_not_dropped(self):
        pool = ground([*at(0), None, *at(5)], [0.9, 0.8, 0.7], lambda i: np.array([0.0, 1.0, 0.0]))
        assert seat(MMR(0.7), pool, 3) == [0, 1, 2]

    def test_elasticsearch_without_a_query_vector_relevance_still_counts(self):
        assert seat(MMR(0.9), ground(at(0, 50, 90), [0.9, 0.8, 0.1]), 2) == [0, 1]

    def test_opensearch_redundancy_may_be_negative(self):
        run = MMR(0.5).start(ground(at(0, 180), [0.9, 0.1]))
        run.take(0)
        assert run.redundancy()[1] == -1.0

    def test_lucene_entries_without_a_group_do_not_share_one(self):
        rules = kernels.Rules(codes=np.array([[-1], [-1], [0], [0]]), caps=np.array([1]))
        picks = kernels.greedy([0.9, 0.8, 0.7, 0.6], 4, 1.0, rows=np.eye(4, dtype=np.float32), rules=rules)
        assert picks.indices.tolist() == [0, 1, 2]

    def test_redundancy_is_reported_under_relevance_too(self):
        run = Relevance().start(ground(at(0, 60), [0.9, 0.1]))
        run.take(0)
        assert run.redundancy()[1] == pytest.approx(0.5, abs=1e-6)
