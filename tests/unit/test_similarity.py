"""Similarity of entries: the matrix is its rows, whatever vectors there are."""

from __future__ import annotations

import numpy as np
import pytest

from reparto.similarity import Similarity, unit_rows
from reparto.testing import sample_grounds


def test_the_matrix_is_its_rows():
    for ground, twin in zip(sample_grounds(3), sample_grounds(3), strict=True):
        rows = [ground.similarity.row(i) for i in range(len(ground.ids))]
        matrix = twin.similarity.matrix()
        assert matrix.shape == (len(rows), len(rows))
        assert all(np.array_equal(matrix[i], row) for i, row in enumerate(rows))
        assert all(np.array_equal(twin.similarity.row(i), row) for i, row in enumerate(rows))
        assert np.array_equal(matrix, matrix.T)


@pytest.mark.parametrize("scale", [1e-320, 1e-150, 1.0, 1e150])
def test_length_does_not_matter(scale):
    vectors = [np.array([3.0, 4.0]) * scale, np.array([3.0, 4.0]), np.array([4.0, -3.0])]
    similarity = Similarity(3, {"v": unit_rows(vectors)})
    assert similarity.row(0).tolist() == pytest.approx([1, 1, 0], abs=1e-2 if scale < 1e-300 else 0)


def test_of_several_fields_the_largest_cosine_counts():
    fields = {
        "a": unit_rows([np.array([1, 0]), np.array([0, 1])]),
        "b": unit_rows([np.array([1, 0]), np.array([1, 1])]),
    }
    assert Similarity(2, fields).row(0)[1] == pytest.approx(0.5**0.5, abs=1e-6)


def test_without_a_common_field_texts_decide_or_nothing():
    fields = {"a": unit_rows([np.array([1, 0]), None]), "b": unit_rows([None, np.array([1, 0])])}
    assert Similarity(2, fields, lambda i: np.array([0.25, 0.25])).row(0).tolist() == [1, 0.25]
    assert Similarity(2, fields).row(0).tolist() == [1, 0]
