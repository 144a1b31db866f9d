"""What buyers and traders count, in tables."""

from fake_runs import make_result, make_spec

from boca.lab.reports.layouts import loss_table, summary_tables
from boca.lab.reports.results import collect
from boca.lab.reports.trade_tables import exchange_table, purchase_table


def test_purchases_and_exchanges_have_tables_of_their_own():
    """Tests means of losses, savings, payments and questions, and that sales appear in neither."""
    lanes = [make_spec("lanes", seed) for seed in (1, 2, 3)]
    swaps = [make_spec("exchange-lsvm", seed) for seed in (1, 2)]
    sale = make_spec("lsvm", 1)
    bought = [
        {"least_cost": 100.0, "cost_outside": 200.0, "savings": 0.4},
        {"least_cost": 100.0, "cost_outside": 200.0, "savings": 0.5},
    ]
    stored = [
        *(
            make_result(spec, loss, revenue=120, **more)
            for spec, loss, more in zip(lanes, (1.0, 3.0), bought, strict=False)
        ),
        *(
            make_result(spec, loss=2.0, path=[(20, 5.0), (end, 2.0)], largest_gain=7.0)
            for spec, end in zip(swaps, (30, 50), strict=True)
        ),
        make_result(sale, 9.0),
    ]
    results = collect(stored, [*lanes, *swaps, sale])

    (row,) = purchase_table(results).rows
    assert row == (
        "LANES",
        "random",
        "2 of 3",
        "2.00 ± 12.71",
        "45.00 ± 63.53",
        "120.00 ± 0.00",
    )
    (row,) = exchange_table(results).rows
    assert row == ("EXCHANGE-LSVM", "random", "2 of 2", "2.00 ± 0.00", "40.00 ± 127.06")
    assert [table.title for table in summary_tables(results)][3:5] == ["Purchases", "Exchanges"]
    assert any("Loss of a purchase" in note for note in loss_table(results).notes)
    only_sale = collect(stored[-1:], [sale])
    assert not any("Loss of a purchase" in note for note in loss_table(only_sale).notes)
