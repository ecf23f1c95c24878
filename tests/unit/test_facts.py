"""The fact guard: what makes two near-identical texts a revision, and what does not."""

import pytest

from reparto.kernels import facts, figures_agree, figures_apart

REVISIONS = [
    ("The test holds when p < 0.05 here", "The test holds when p > 0.05 here"),
    ("The harbour fee rises to 1% from 4 May.", "The harbour fee rises to 2% from 4 May."),
    ("Torque the lid bolts to 12 Nm.", "Torque the lid bolts to 15 Nm."),
    ("Harbour Bank buys Mill Bank", "Mill Bank buys Harbour Bank"),
    ("Man bites dog", "Dog bites man"),
    ("The pier is open on Sunday.", "The pier is not open on Sunday."),
    ("The pier isn't open on Sunday.", "The pier is open on Sunday."),
    ("El muelle abre los lunes.", "El muelle abre los martes."),
    ("El puente no está cerrado.", "El puente está cerrado."),
    ("Sales rose 5 km last week.", "Sales rose 5 miles last week."),
    ("The price is $5 today", "The price is €5 today"),
    ("The mayor of Boston opened the bridge", "The mayor of Chicago opened the bridge"),
    ("Balance: -500", "Balance: 500"),
    ("Mix ratio 1/2", "Mix ratio 12"),
    ("It is 1.5 m long", "It is 15 m long"),
    ("Profits increased in the second quarter", "Profits decreased in the second quarter"),
    ("Profits increased in the second quarter", "Profits increased in the third quarter"),
    ("Flight FM1506 is late", "Flight FM1507 is late"),
    ("The rule is lawful", "The rule is unlawful"),
    ("Three people died", "Four people died"),
    ("Murieron tres personas en el choque", "Murieron cuatro personas en el choque"),
    ("Costó 1.500 euros", "Costó 1.600 euros"),
    ("Open before noon every weekday", "Open after noon every weekday"),
    ("Entry with a ticket only", "Entry without a ticket only"),
    ("第5条を適用する", "第6条を適用する"),
    ("Python 3.10 is required", "Python 3.1 is required"),
    ("The vote was 12 to 5", "The vote was 5 to 12"),
    ("Paris hosts the summit this year", "Rome hosts the summit this year"),
    ("El ministro aceptó la propuesta", "El ministro rechazó la propuesta"),
    ("No cars are allowed on the pier.", "Cars are allowed on the pier."),
    ("The bridge was never approved by the board.", "The bridge was approved by the board."),
    ("The ship leaves at 10:43 from Hull.", "The ship leaves at 11:43 from Hull."),
    ("El 12,5 por ciento votó", "El 13,5 por ciento votó"),
    ("Smith beat Jones in the final on Saturday", "Jones beat Smith in the final on Saturday"),
    ("Row one is 12\nTotal 15\nEnd of table here", "Row one is 12\nTotal 16\nEnd of table here"),
    ("The tower is 1.5 million years old", "The tower is 1.5 billion years old"),
    ("The firm cut 1 000 jobs", "The firm cut 1,001 jobs"),
    ("The dose is 5 mg twice daily.", "The dose is 5 mg three times daily."),
    ("The dose is 5 mg twice daily.", "The dose is 5 mg once daily."),
    ("The court upheld the dismissal.", "The court overturned the dismissal."),
    ("Up to 20 people were hurt", "More than 20 people were hurt"),
    ("The patient is positive for TB", "The patient is negative for TB"),
    ("She has two sons", "She has two daughters"),
    ("The ban was lifted.", "The ban was imposed."),
    ("The 1st clause is void", "The second clause is void"),
    ("Rovers won 2 - 1 at home", "Rovers won 2-2 at home"),
    ("Rovers won 2 - 1 at home", "Rovers won 1 - 2 at home"),
    ("The meeting is at 4 a.m. today", "The meeting is at 4pm today"),
    ("The fee changes on 2024-05-03 again", "The fee changes on 4 May 2024 again"),
    ("The fee changes on 03/05/2024 again", "The fee changes on 3/6/2024 again"),
    ("The No. 5 seed lost", "The No. 6 seed lost"),
]
COPIES = [
    ("LONDON, March 3 (Reuters) - Oil prices rose on Tuesday.", "Oil prices rose on Tuesday."),
    ("LONDON, March 3 (Reuters) - Oil prices rose on Tuesday.", "PARIS, March 4 (AFP) - Oil prices rose on Tuesday."),
    ("By Jane Doe\nOil prices rose on Tuesday.", "By John Roe\nOil prices rose on Tuesday."),
    ("Updated 10:43\nOil prices rose on Tuesday.", "Updated 11:05\nOil prices rose on Tuesday."),
    ("It costs 1,000 dollars", "It costs $1000"),
    ("Costó 1.000 euros", "Costó 1000 euros"),
    ("Three people died", "3 people died"),
    ("Twenty-five people died", "25 people died"),
    ("They organise a fair", "They organize a fair"),
    ("The mayor said “it’s done” — finally…", 'The mayor said "it\'s done" - finally...'),
    ("Oil prices rose on Tuesday. Analysts were not surprised.", "Oil prices rose on Tuesday."),
    ("Oil prices rose on Tuesday, which analysts had not expected at all", "Oil prices rose on Tuesday"),
    ("A fee of 5 percent applies", "A fee of 5% applies"),
    ("A fee of 5 per cent applies", "A fee of 5% applies"),
    ("MADRID, 3 mar (EFE).- El puente abrió.", "El puente abrió."),
    ("1.5 million people", "1,500,000 people"),
    ("First sentence here. Second one is there.", "Second one is there. First sentence here."),
    ("It isn't done", "It is not done"),
    ("The pier opened in Hull. (Reporting by Ann Lee; Editing by Bo Ma)", "The pier opened in Hull."),
    ("Mr Smith resigned from the board", "Smith resigned from the board"),
    ("Smith said the bridge is safe", "The bridge is safe, said Smith"),
    ("Café Müller reabre el lunes 4 de mayo", "Cafe Muller reabre el lunes 4 de mayo"),
    ("On March 3 the pier opened", "On 3 March the pier opened"),
    ("The pier opened on 3rd March", "The pier opened on 3 March"),
    ("The court, which sits in Hull, fined the owner.", "The court fined the owner."),
    ("WASHINGTON - The senate voted.", "The senate voted."),
    ("The senate voted. Read more: here", "The senate voted."),
    ("Prime Minister Lee resigned on Monday", "PM Lee resigned on Monday"),
    (
        "See https://example.com/a?id=1 for the map of the pier",
        "See https://example.com/a?id=2 for the map of the pier",
    ),
    (
        "The long line of this paragraph is broken\nover two lines in one of the two texts.",
        "The long line of this paragraph is broken over two\nlines in one of the two texts.",
    ),
    ("Vladimir Orlov resigned", "Vladmir Orlov resigned"),
    ("The 1st clause is void", "The first clause is void"),
    ("Up to 20 people were hurt", "At most 20 people were hurt"),
    ("The boom of the 1990's ended", "The boom of the 1990s ended"),
    ("The firm cut 1\u202f000 jobs", "The firm cut 1,000 jobs"),
    ("It cost 12 500 000 euros in all", "It cost 12.500.000 euros in all"),
    ("12\u00a0345,67 euros were paid", "12.345,67 euros were paid"),
    ("Rovers won 2 - 1 at home", "Rovers won 2\u20131 at home"),
    ("The meeting is at 4 p.m. today", "The meeting is at 4pm today"),
    ("The meeting is at 4.30 PM today", "The meeting is at 4:30 p.m. today"),
    ("El tren sale a las 16h30 hoy", "El tren sale a las 16:30 hoy"),
    ("The fee changes on 2024-05-03 again", "The fee changes on 3 May 2024 again"),
    ("The fee changes on 03/05/2024 again", "The fee changes on 3.5.2024 again"),
    ("Sold \u00a31.5 m of stock", "Sold \u00a31.5 million of stock"),
    ("Sales rose 5 per cent in May", "Sales rose 5pc in May"),
    ("Hull, May 3 - 12 boats sank off the pier", "Hull, May 3: 12 boats sank off the pier"),
    ("Sale on Monday: 1.000 unidades", "Sale on Monday: 1,000 unidades"),
    ("Text.", "Text."),
    ("", ""),
]


@pytest.mark.parametrize(("a", "b"), REVISIONS)
def test_a_disagreement_makes_a_revision(a, b):
    verdict = facts(a, b)
    assert verdict.kind == "revision"
    assert verdict.revision
    assert len(verdict.ours) == len(verdict.theirs) == len(verdict.disagreements) > 0
    turned = facts(b, a)
    assert (turned.ours, turned.theirs) == (verdict.theirs, verdict.ours)


@pytest.mark.parametrize(("a", "b"), COPIES)
def test_what_states_no_fact_leaves_a_copy(a, b):
    assert facts(a, b).kind == facts(b, a).kind == "copy"


def test_the_disagreeing_words_are_named_as_written():
    verdict = facts("The harbour fee rises to 1% from 4 May.", "The harbour fee rises to 2% from 4 May.")
    assert [(one.a, one.b, one.why) for one in verdict.disagreements] == [("1%", "2%", "figure")]
    assert facts("It is open.", "It is not open.").disagreements[0].why == "negation"


def test_moved_paragraphs_are_no_swap():
    parts = ["The mayor opened the pier.", "Ann Lee sang two songs.", "Rain is due on Friday."]
    assert facts("\n\n".join(parts), "\n\n".join(reversed(parts))).kind == "copy"


@pytest.mark.parametrize(
    ("a", "b", "agree"),
    [
        ("Torque to 12 Nm", "Apriete a 15 Nm", False),
        ("Torque to 12 Nm on Monday", "Apriete a 12 Nm el lunes", True),
        ("Open on Monday", "Abierto el martes", False),
        ("12 of 15 boats", "12 boats", True),
        ("no figures", "sin cifras", True),
    ],
)
def test_figures_agree(a, b, agree):
    assert figures_agree(a, b) == figures_agree(b, a) == agree


def test_figures_apart_are_named_as_written():
    assert figures_apart("Torque to 12 Nm on Monday", "Apriete a 15 Nm el lunes") == (["12"], ["15"])
    assert figures_apart("In May, 3 boats", "En junio, 3 barcos sobre 1.000") == (["May"], ["1.000"])
