"""What an award costs, what it promises, and how it is told: by hand."""

from dataclasses import replace

import numpy as np
import pytest

from boca.core import Bidder, Good, Limit, Market, Reports, SolverError
from boca.core.rule import Rule
from boca.payments.awarded import Award, check_award, holds

LIMIT = Limit((1.0, 1.0), 3.0, "lorries")
MARKET = Market(
    (Good("a", 4), Good("b", 2)),
    (Bidder("Ann"), Bidder("Bob", limits=(LIMIT,)), Bidder("Cid")),
    sense="buy",
)
# Ann supplies three of a, Bob two of b and one of a more than is needed; one of a is from outside.
SUPPLIED = np.array([[3, 0], [0, 2], [0, 0]])
MADE = Award(
    MARKET, np.array([2.5, np.inf]), SUPPLIED, np.array([6.0, 4.5, 0.0]), np.array([1, 0]),
    13.0, "milp", True,
)  # fmt: skip
OFFERS = [
    Reports([[3, 0], [3, 1]], [6.0, 7.0]),
    Reports([[0, 2], [2, 2]], [4.5, 5.0]),
    Reports.empty(2),
]


def ruled(*rules, **changes):
    return replace(MADE, market=replace(MARKET, rules=tuple(rules)), **changes)


def test_what_it_costs():
    """Tests offers, a unit from outside at 2.5 beside a lot that has no price there, and pay."""
    assert MADE.outside_cost == 2.5
    assert MADE.cost == 13
    assert MADE.winners == [0, 1]
    assert MADE.spend is None
    assert replace(MADE, payments=np.array([7.0, 4.5, 0.0])).spend == 14
    nothing = replace(MADE, outside=np.array([0, 0]))
    assert (nothing.outside_cost, nothing.cost) == (0, 10.5)
    assert replace(MADE, outside=np.array([0, 1])).outside_cost == np.inf


def test_an_award_that_keeps_its_promises_is_fine():
    """Tests also units beyond what is needed, and offers that deliver everything."""
    check_award(MADE, OFFERS)
    check_award(ruled(Rule("winners", at_most=2)), OFFERS)
    more = [Reports([[9, 0]], [6.0]), *OFFERS[1:]]
    check_award(replace(MADE, supplied=np.array([[9, 0], [0, 2], [0, 0]])), more)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"supplied": [[2, 0], [0, 2], [0, 0]]}, "gives 'Ann' what it did not offer"),
        ({"supplied": [[3, 1], [0, 2], [0, 0]]}, "gives 'Ann' what it did not offer"),
        ({"costs": [7.0, 4.5, 0.0]}, "gives 'Ann' what it did not offer"),
        ({"supplied": [[3, 0], [0, 2], [1, 0]]}, "gives 'Cid' what it did not offer"),
        (
            {"supplied": [[3, 0], [2, 2], [0, 0]], "costs": [6.0, 5.0, 0.0]},
            "exceeds a limit of 'Bob'",
        ),
        ({"outside": [0, 0]}, "does not cover every lot"),
        ({"supplied": [[3, 0], [0, 0], [0, 0]]}, "does not cover every lot"),
        ({"market": replace(MARKET, rules=(Rule("winners", at_most=1),))}, "breaks the rule"),
    ],
)
def test_every_promise_is_checked(changes, message):
    """Tests bundles, costs, both together, somebody who offered nothing, limits, lots and rules."""
    changes = {k: np.array(v) if isinstance(v, list) else v for k, v in changes.items()}
    with pytest.raises(SolverError, match=message):
        check_award(replace(MADE, **changes), OFFERS)


def test_units_of_one_lot_do_not_cover_another():
    """Tests nine units of a, of which four are needed, and one of b too few."""
    market = replace(MARKET, bidders=(Bidder("Ann"), Bidder("Bob"), Bidder("Cid")))
    supplied = np.array([[9, 0], [0, 1], [0, 0]])
    made = replace(MADE, market=market, supplied=supplied, outside=np.array([0, 0]))
    offers = [Reports([[9, 0]], [6.0]), Reports([[0, 1]], [4.5]), Reports.empty(2)]
    with pytest.raises(SolverError, match="does not cover"):
        check_award(made, offers)


@pytest.mark.parametrize(
    ("rule", "is_kept"),
    [
        (Rule("winners", at_most=2), True),
        (Rule("winners", at_most=1), False),
        (Rule("winners", at_least=1, who=(0, 2)), True),
        (Rule("winners", at_least=1, who=(2,)), False),
        (Rule("units", at_most=5), True),
        (Rule("units", at_most=4), False),
        (Rule("units", at_least=0.5, share=True, lots=(1,), who=(1,)), True),
        (Rule("units", at_most=3, each=True), True),
        (Rule("units", at_most=2, each=True), False),
        (Rule("units", at_least=2, each=True), False),
        (Rule("units", at_least=2, each=True, if_any=True), True),
        (Rule("spend", at_most=6, each=True), True),
        (Rule("spend", at_most=5.9, each=True), False),
        # Of 13 that are spent, 2.5 of them outside, Ann gets 6 and Bob 4.5.
        (Rule("spend", at_most=0.47, share=True, who=(0,)), True),
        (Rule("spend", at_most=0.46, share=True, who=(0,)), False),
        (Rule("spend", at_least=0.34, share=True, who=(1,)), True),
        (Rule("spend", at_least=0.35, share=True, who=(1,)), False),
    ],
)
def test_rules_count_what_is_needed_and_all_that_is_spent(rule, is_kept):
    """Tests the award, and the same one in which Ann delivers far more than is needed."""
    assert holds(rule, ruled(rule)) == is_kept
    if rule.counts != "units":
        more = np.array([[30, 0], [0, 2], [0, 0]])
        assert holds(rule, ruled(rule, supplied=more)) == is_kept
    useless = Rule("units", at_most=4, who=(0,))
    assert holds(useless, ruled(useless, supplied=np.array([[30, 0], [0, 2], [0, 0]])))


def test_why_everybody_is_paid_what_it_is_paid():
    """Tests no payments, as offered, VCG, a cap, and core payments below and at VCG."""
    assert MADE.explain() == ""
    paid = {"payments": np.array([6.0, 4.5, 0.0])}
    assert replace(MADE, rule="offered", **paid).explain() == (
        "Ann is paid 6, as offered.\nBob is paid 4.5, as offered."
    )
    vcg = np.array([7.5, 4.5, 0.0])
    told = replace(MADE, rule="vcg", payments=vcg, vcg=vcg).explain().splitlines()
    assert told == [
        "Ann offered 6. Without it the cheapest award would cost 1.5 more, so VCG would pay 7.5.",
        "Bob offered 4.5. Without it the cheapest award would cost 0 more, so VCG would pay 4.5.",
    ]
    for rule, reason in (
        ("vcg", "outside, its lots cost no more than that"),
        ("core", "a group of others could offer less"),
    ):
        told = replace(MADE, rule=rule, vcg=vcg, **paid).explain().splitlines()
        assert told[0].endswith(f" It is paid 6, because {reason}.")
        assert told[1].endswith("VCG would pay 4.5.")


def test_an_award_is_written_with_what_is_known():
    assert MADE.to_dict() == {
        "cost": 13.0,
        "bound": 13.0,
        "status": "optimal",
        "awards": [
            {"supplier": "Ann", "supplies": {"a": 3}, "cost": 6.0},
            {"supplier": "Bob", "supplies": {"b": 2}, "cost": 4.5},
        ],
        "outside": {"a": 1},
        "outside_cost": 2.5,
        "payment_rule": "none",
    }
    vcg = np.array([7.5, 5.0, 0.0])
    more = replace(
        MADE, rule="vcg", payments=vcg, vcg=vcg, is_proven=False, bound=12.0, verified_by="scip"
    ).to_dict()
    assert [row["paid"] for row in more["awards"]] == [7.5, 5]
    assert (more["spend"], more["verified_by"]) == (15, "scip")
    assert (more["status"], more["bound"], more["payment_rule"]) == ("not proven", 12, "vcg")
