import itertools

from boca.live.bots.random_values import draw_truth

GOODS = [{"name": "hall"}, {"name": "chairs", "capacity": 3}, {"name": "stage"}]


def bundles():
    for counts in itertools.product(range(2), range(4), range(2)):
        yield dict(zip(("hall", "chairs", "stage"), counts, strict=True))


def test_more_is_never_worth_less_and_nothing_beyond_the_rules():
    """Tests all bundles of several bidders: rehearsals must not drown in warnings."""
    for seed in range(20):
        truth = draw_truth("Ann", GOODS, "1000.00", seed)
        values = {tuple(b.values()): truth.amount(b) for b in bundles()}
        assert values[0, 0, 0] == 0
        assert 0 < max(values.values()) <= 1000
        for a, b in itertools.product(values, values):
            if all(x <= y for x, y in zip(a, b, strict=True)):
                assert values[a] <= values[b]


def test_values_repeat_with_the_seed_and_differ_otherwise():
    """Tests that a rehearsal can be repeated, and that bidders differ."""
    full = {"hall": 1, "chairs": 3, "stage": 1}
    value = draw_truth("Ann", GOODS, "1000", 1).value(full, "0.01")
    assert value == draw_truth("Ann", GOODS, "1000", 1).value(full, "0.01")
    others = [("Ann", 2, ""), ("Ben", 1, ""), ("Ann", 1, "other")]
    for name, seed, auction in others:
        assert draw_truth(name, GOODS, "1000", seed, auction).value(full, "0.01") != value


def test_some_goods_are_worth_more_together():
    """Tests that rehearsals have what makes bundles interesting."""
    gains = 0
    for seed in range(30):
        truth = draw_truth("Ann", GOODS, "1000", seed)
        parts = truth.amount({"hall": 1}) + truth.amount({"stage": 1})
        gains += truth.amount({"hall": 1, "stage": 1}) > parts + 1e-9
    assert 0 < gains < 30
