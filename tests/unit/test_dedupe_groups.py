"""Groups of copies: who leads, on what evidence, and what stays apart."""

import pytest

from reparto.corpus.groups import group_documents
from reparto.corpus.outcome import COLUMNS, group_id
from reparto.corpus.settings import Settings
from reparto.documents import Document
from reparto.errors import InputError
from reparto.kernels import COLLAPSE, resemblance

STORY = (
    "The harbour authority of Port Ellery opened its new ferry terminal on Monday after four years of works. "
    "Passengers will reach the islands in forty minutes, the director said at the ceremony. "
    "Fishermen had asked for a second quay, which the plan of the ministry leaves for later. "
    "Trade unions welcomed the opening and called for more night services in summer. "
    "The first boat left at dawn with commuters, nurses and a school class on board."
)
BRIEF = (
    "Passengers will reach the islands in forty minutes, the director said at the ceremony. "
    "Fishermen had asked for a second quay, which the plan of the ministry leaves for later."
)
OTHER = (
    "Growers in the valley expect a poor olive harvest after a dry spring and an early heat wave. "
    "Mills have postponed the season by two weeks and cooperatives are asking for relief. "
    "Prices at origin rose again, and exporters fear that buyers will turn to other oils."
)


def doc(id, text, **fields):
    return Document(id, text, **fields)


def rows(*documents, **settings):
    return {row["doc_id"]: row for row in group_documents(documents, Settings(**settings)).rows()}


def test_columns_and_order():
    grouped = group_documents([doc("b", STORY), doc("a", OTHER)])
    assert tuple(grouped.columns) == COLUMNS
    assert grouped.columns["doc_id"] == ["a", "b"]


def test_exact_copies_differ_in_case_spacing_and_typography_only():
    found = rows(doc("a", STORY, published="2024-01-01"), doc("b", "  " + STORY.upper().replace(" ", "\u00a0 ")))
    assert found["b"]["leader_id"] == "a"
    assert found["b"]["relation"] == "exact"
    assert found["b"]["resemblance"] == found["b"]["containment"] == 1.0
    assert found["a"]["relation"] is None
    assert found["a"]["group_id"] == found["b"]["group_id"] == group_id("a")


def test_near_copy_carries_the_numbers_that_were_compared():
    copy = STORY.replace("welcomed", "applauded")
    found = rows(
        doc("a", STORY, source="x", published="2024-01-01"), doc("b", copy, source="y", published="2024-01-02")
    )
    assert found["b"]["relation"] == "near"
    assert found["b"]["resemblance"] == pytest.approx(resemblance(STORY, copy, COLLAPSE))
    assert (found["a"]["copies"], found["a"]["sources"]) == (2, 2)
    assert found["b"]["first_published"] == "2024-01-01"


def test_same_source_is_an_update_and_no_second_outlet():
    copy = STORY.replace("welcomed", "applauded")
    found = rows(
        doc("a", STORY, source="x", published="2024-01-01"), doc("b", copy, source="x", published="2024-01-02")
    )
    assert found["b"]["relation"] == "update"
    assert (found["b"]["copies"], found["b"]["sources"]) == (2, 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"tier": "gold"}, {"published": "1999"}),
        ({"published": "2024-01-01"}, {"published": "2024-01-02"}),
        ({"published": "2024-01-01"}, {}),
        ({"published": "2024-01-01T00:00:00+02:00"}, {"published": "2024-01-01"}),
    ],
)
def test_priority_gold_then_earliest_then_dated(first, second):
    for texts in ((STORY, STORY), (BRIEF, BRIEF)):
        found = rows(doc("z", texts[0], **first), doc("a", texts[1], **second))
        assert found["a"]["leader_id"] == "z"


def test_priority_longer_comparison_text_then_id():
    longer = STORY + " A band played."
    assert rows(doc("a", STORY), doc("b", longer))["a"]["leader_id"] == "b"
    assert rows(doc("é", STORY), doc("z", STORY), doc("Z", STORY))["é"]["leader_id"] == "Z"


def test_containment_keeps_its_direction():
    told = rows(doc("story", STORY, published="2024-01-01"), doc("brief", BRIEF, published="2024-01-02"))
    assert told["brief"]["relation"] == "contained"
    assert told["brief"]["containment"] >= 0.8
    assert told["brief"]["leader_id"] == "story"
    told = rows(doc("story", STORY, published="2024-01-02"), doc("brief", BRIEF, published="2024-01-01"))
    assert told["story"]["leader_id"] == "story"
    assert told["brief"]["leader_id"] == "brief"


@pytest.mark.parametrize(
    ("said", "instead"),
    [("in forty minutes", "in fifty minutes"), ("on Monday", "on Tuesday"), ("will reach", "will not reach")],
)
def test_a_text_that_disagrees_in_a_fact_is_a_linked_revision(said, instead):
    changed = STORY.replace(said, instead)
    found = rows(
        doc("a", STORY, published="2024-01-01", source="x"), doc("b", changed, published="2024-01-02", source="y")
    )
    assert found["b"]["leader_id"] == "b"
    assert found["b"]["relation"] == "revision"
    assert found["b"]["revision_of"] == "a"
    assert found["b"]["resemblance"] >= 0.6
    collapsed = rows(doc("a", STORY, published="2024"), doc("b", changed, published="2025"), revisions="collapse")
    assert collapsed["b"]["leader_id"] == "a"


def test_chains_are_not_followed():
    words = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400)]
    chain = [" ".join(words[20 * step : 20 * step + 120]) for step in range(10)]
    found = rows(*[doc(f"c{i}", text, published=f"2024-01-{i + 1:02d}") for i, text in enumerate(chain)])
    by_id = {f"c{i}": text for i, text in enumerate(chain)}
    for row in found.values():
        if row["leader_id"] != row["doc_id"]:
            assert resemblance(by_id[row["doc_id"]], by_id[row["leader_id"]], COLLAPSE) >= 0.6
    assert found["c9"]["leader_id"] != "c0"


def test_every_member_was_verified_against_its_leader():
    texts = {"a": STORY, "b": STORY.replace("dawn", "noon"), "c": STORY + " " + OTHER, "d": OTHER, "e": BRIEF}
    for row in rows(*[doc(id, text) for id, text in texts.items()]).values():
        if row["relation"] in ("near", "contained", "update"):
            alike = resemblance(texts[row["doc_id"]], texts[row["leader_id"]], COLLAPSE)
            assert alike == pytest.approx(row["resemblance"])
            assert row["resemblance"] >= 0.6 or row["containment"] >= 0.8


def test_a_form_letter_filled_in_many_ways_stays_many_and_finds_its_copies():
    notice = (
        "Notice to the holder of policy number {0}. Your yearly premium of {1} euros falls due on the day stated above. "
        "Please pay at any branch or by transfer, quoting the number of your policy. If you have paid already, disregard "
        "this notice. Our staff will gladly answer your questions during office hours at the usual numbers."
    )
    documents = [doc(f"n{i:03d}", notice.format(70000 + i, 300 + i), published="2024-01-01") for i in range(60)]
    documents += [
        doc(f"x{i}", "Dear client. " + notice.format(70000 + i, 300 + i), published="2024-01-02") for i in (5, 50)
    ]
    found = rows(*documents, bucket=4)
    assert len({row["leader_id"] for row in found.values()}) == 60
    assert found["x5"]["leader_id"] == "n005"
    assert found["x50"]["leader_id"] == "n050"


def test_a_footer_of_one_site_does_not_make_copies():
    footer = "\n".join(
        f"Section {word} of this site gathers everything our newsroom publishes about {word}, with archives and alerts."
        for word in [
            "politics",
            "economy",
            "culture",
            "science",
            "travel",
            "weather",
            "health",
            "music",
            "theatre",
            "opinion",
        ]
    )
    stories = [f"{name} wrote about the {thing} yesterday.\n{footer}" for name, thing in zip(
        ["Ana", "Bruno", "Carla", "Diego", "Elena", "Fabio", "Greta", "Hugo"], ["river", "castle", "bridge", "market", "harbour", "valley", "forest", "meadow"],
        strict=True,
    )]  # fmt: skip
    same_site = rows(*[doc(f"s{i}", text, source="site") for i, text in enumerate(stories)])
    assert all(row["leader_id"] == row["doc_id"] for row in same_site.values())
    again = doc("copy", stories[3], source="mirror", published=None)
    assert rows(*[doc(f"s{i}", text, source="site") for i, text in enumerate(stories)], again)["s3"]["copies"] == 2


def test_live_updates_are_not_taken_for_boilerplate():
    ends = ["Rain is due.", "Police closed a road.", "A second boat left."]
    updates = [
        doc(f"u{i}", f"{STORY}\n{end}", source="site", published=f"2024-01-0{i + 1}") for i, end in enumerate(ends)
    ]
    found = rows(*updates, doc("o", OTHER, source="site"))
    assert found["u1"]["leader_id"] == found["u2"]["leader_id"] == "u0"


def test_an_answer_is_compared_without_what_it_quotes():
    quoted = "\n".join(f"> {line}" for line in STORY.split(". "))
    answer = f"I was there and it was nothing like that, the boat left late and half empty.\n\nAna wrote:\n{quoted}"
    found = rows(doc("m1", STORY), doc("m2", answer, markup="mail"))
    assert found["m2"]["leader_id"] == "m2"
    assert found["m1"]["leader_id"] == "m1"


def test_a_signed_answer_is_compared_without_its_frame():
    frame = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n{}\n- -- \nAnn Lee, harbour office, quay four\n"
    frame += (
        "Key on request, no attachments please\n-----BEGIN PGP SIGNATURE-----\niD8DBQE9\n-----END PGP SIGNATURE-----"
    )
    first = frame.format(STORY)
    answer = frame.format("Bo wrote:\n> It is late.\n\nAnd if it is not?")
    found = rows(doc("m1", first, markup="mail"), doc("m2", answer, markup="mail"))
    assert found["m2"]["leader_id"] == "m2"
    assert found["m1"]["leader_id"] == "m1"


def test_nothing_equals_nothing():
    found = rows(doc("a", ""), doc("b", ""), doc("c", "\u200b"), doc("d", "?!"), doc("e", "..."))
    assert all(row["leader_id"] == row["doc_id"] for row in found.values())


def test_unspaced_scripts_are_compared():
    text = "北京市政府星期一宣布新的地铁线路将于明年春天开通，预计每天运送乘客超过三十万人次，沿线居民表示欢迎。"
    found = rows(
        doc("a", text, source="x"), doc("b", text.replace("欢迎", "期待"), source="y"), doc("c", "上海的天气很好。")
    )
    assert found["b"]["leader_id"] == "a"
    assert found["c"]["leader_id"] == "c"


def test_one_id_twice_is_one_document_whatever_the_order():
    one, other = doc("a", STORY, published="2024-01-01"), doc("a", OTHER, published="2024-01-02")
    results = [
        group_documents(order).columns for order in ([one, other, doc("b", OTHER)], [doc("b", OTHER), other, one])
    ]
    assert results[0] == results[1]
    assert results[0]["doc_id"] == ["a", "b"]
    assert results[0]["copies"] == [2, 2]


def test_settings_name_every_fault_at_once():
    with pytest.raises(InputError) as caught:
        Settings(resemblance=1.5, containment=-1, bucket=0, revisions="maybe")
    assert {problem.field for problem in caught.value.problems} == {"resemblance", "containment", "bucket", "revisions"}


def test_a_secret_seed_changes_the_keys_and_not_the_groups():
    documents = [doc("a", STORY), doc("b", STORY.replace("dawn", "noon")), doc("c", OTHER)]
    assert (
        group_documents(documents, Settings(seed=1)).columns == group_documents(documents, Settings(seed=2**40)).columns
    )
