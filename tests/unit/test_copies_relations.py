"""What the relation of a copy says of it."""

from reparto import select


def test_a_twin_of_an_update_from_elsewhere_is_no_update():
    """The relation of a copy is by its own source, not by that of the text whose exact twin it is."""
    story = "The harbour was closed on Monday after a crane struck its northern pillar and two ferries were sent away."
    request = [
        {"id": "centre", "score": 0.9, "text": story + " More follows.", "source": "north"},
        {"id": "update", "score": 0.8, "text": story, "source": "north"},
        {"id": "elsewhere", "score": 0.7, "text": story, "source": "south"},
        {"id": "nowhere", "score": 0.6, "text": story},
    ]
    found = select(request, k=2, policy={"collapse": {"containment": False}})
    relations = {one.id: one.relation and one.relation.value for one in found.decisions if one.fate.value == "copy"}
    assert relations == {"update": "update", "elsewhere": "near", "nowhere": "near"}
