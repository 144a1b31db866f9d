"""Presets, their phases and their page."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from boca.core import Bidder, Good, InputError, Market
from boca.lab.simulation.mechanisms import mechanisms
from boca.mechanism import PRESETS, AuctionParams, AuctionState, Phase, auction_params
from boca.mechanism.presets import with_endowments
from boca.mechanism.stepping import has_budget
from boca.queries import RandomBundles

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mechanisms.md").read_text()
OWN_PARTS = (ROOT / "docs" / "own_mechanisms.md").read_text()
MARKET = Market.simple(4, 2)
SWAP = Market((Good("a"), Good("b")), (Bidder("A", endowment=(1, 0)), Bidder("B")))


def names(has):
    return {name for name, preset in PRESETS.items() if has(preset)}


def test_what_each_mechanism_is():
    """Tests what pages, simulations and people are told about every preset."""
    published = {"boca-2023", "mvnn-2022", "nn-2020", "fourier-2021", "random-2023"}
    assert names(lambda preset: preset.stop_when_efficient) == published
    assert names(lambda preset: preset.published_start) == {"boca-2023"}
    assert names(lambda preset: preset.has_quantiles) == {"boca", "boca-2023", "mvnn"}
    assert names(lambda preset: not preset.learns) == {"cca", "random", "random-2023"}
    merged = {"hybrid", "local", "ml-cca", "mlhca"}
    assert names(lambda preset: preset.merges_copies) == merged
    assert names(lambda preset: not preset.asks_first_queries) == {"cca", *merged}
    assert names(lambda preset: preset.proof != "none") == {"boca-2023"}
    assert names(lambda preset: preset.solve_seconds) == {"boca-2023"}
    everything = {"boca", "boca-2023", "mvnn"}
    assert names(lambda preset: len(preset.acquisitions) == 4) == everything
    assert names(lambda preset: not preset.acquisitions) == {
        "cca", "ml-cca", "random", "random-2023"
    }  # fmt: skip
    assert names(lambda preset: preset.acquisitions[:1] == ("upper",)) == {"boca", "boca-2023"}


@pytest.mark.parametrize("mechanism", ["boca", "mvnn", "nn", "svr", "ft", "random"])
def test_first_queries_have_the_full_bundle_except_in_earlier_experiments(mechanism):
    assert auction_params(mechanism, MARKET).phases[0].planner.full_bundle
    baseline = {"mvnn": "mvnn-2022", "nn": "nn-2020", "ft": "fourier-2021", "random": "random-2023"}
    if mechanism in baseline:
        earlier = auction_params(baseline[mechanism], MARKET).phases[0]
        assert not earlier.planner.full_bundle


def test_the_clock_auction_has_a_clock_and_two_phases_outside_of_the_budget():
    phases = auction_params("cca", MARKET).phases
    assert [(phase.name, phase.share, phase.counts) for phase in phases] == [
        ("clock", 1.0, True), ("raised", None, False), ("profit-max", None, False)
    ]  # fmt: skip
    assert [(p.name, p.share) for p in auction_params("random", MARKET).phases] == [
        ("first", None), ("random", 1.0)
    ]  # fmt: skip
    assert [(p.name, p.share) for p in auction_params("boca", MARKET).phases] == [
        ("first", None), ("acquisition", 1.0)
    ]  # fmt: skip


def test_choices_and_settings_are_given_side_by_side():
    """Tests that the budget is both, that others are one of them, and what neither is."""
    params = auction_params(
        "boca", MARKET, num_total=9, num_initial=3, num_per_round=2, seed=7, payment_rule="core"
    )
    assert (params.num_total, params.seed, params.payment_rule) == (9, 7, "core")
    assert [phase.name for phase in params.phases] == ["first", "acquisition"]
    assert params.phases[0].num_queries == 3
    assert params.phases[1].planner.num_per_round == 2
    with pytest.raises(InputError, match="did you mean 'seed'"):
        auction_params("boca", MARKET, sed=7)
    with pytest.raises(InputError, match="expected one of mean"):
        auction_params("nn", MARKET, acquisition="upper")
    few = auction_params("random", MARKET, num_initial=1, num_total=4, ranges=True)
    assert (few.phases[-1].name, few.phases[-1].num_queries) == ("narrow", 1)


def test_exchanges_ask_what_everybody_holds_and_pay_by_threshold():
    """Tests the phase that is put first, that it is not where first bundles are, and no phases."""
    params = auction_params("cca", SWAP)
    assert params.payment_rule == "threshold"
    first = params.phases[0]
    assert (first.name, first.num_queries, first.planner.num_queries) == ("endowments", 1, 1)
    assert [phase.name for phase in params.phases[1:]] == ["clock", "raised", "profit-max"]
    assert auction_params("random", SWAP).phases[0].name == "first"
    assert auction_params("cca", SWAP, payment_rule="vcg").payment_rule == "vcg"
    assert len(with_endowments((), SWAP)) == 1
    assert with_endowments(params.phases[1:], MARKET) == params.phases[1:]
    assert auction_params("cca", MARKET).payment_rule == "vcg"


def test_the_page_describes_every_preset_and_no_other():
    """Tests that a mechanism is not added, or renamed, without its row."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, flags=re.MULTILINE)
    assert sorted(rows) == sorted(mechanisms())


def test_the_page_shows_the_example_as_it_is(tmp_path):
    """Tests that the code on the page is part of the example, and that the example runs."""
    example = ROOT / "examples" / "own_surrogate.py"
    *_, shown = re.findall(r"```python\n(.*?)```", OWN_PARTS, flags=re.DOTALL)
    assert shown.strip() in example.read_text()

    finished = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count("loss 0.00 %") == 2


@pytest.mark.parametrize("mechanism", PRESETS)
@pytest.mark.parametrize("domain", ["lsvm", ""])
def test_settings_of_every_preset_survive_a_file(mechanism, domain):
    """Tests that a saved auction of any mechanism goes on with the same settings."""
    params = auction_params(mechanism, MARKET, tuned=domain)
    again = AuctionParams.from_dict(json.loads(json.dumps(params.to_dict())))
    assert json.dumps(again.to_dict()) == json.dumps(params.to_dict())


@pytest.mark.parametrize("mechanism", PRESETS)
def test_capitals_give_the_same_settings(mechanism):
    """Tests that LSVM, which load_domain accepts, does not lose the published settings."""
    expected = auction_params(mechanism, MARKET, tuned="lsvm")
    assert auction_params(mechanism, MARKET, tuned="LSVM") == expected


def test_boca_to_the_letter():
    """Tests that one word brings the published training, proofs, first bundles and end."""
    params = auction_params("boca-2023", MARKET, tuned="lsvm", q=0.9)
    planner = params.phases[1].planner
    networks = params.phases[1].surrogate.params["national"]
    assert (planner.acquisition, planner.proof, planner.solve_seconds) == ("upper", 0.005, 600.0)
    assert networks == networks.as_published
    assert PRESETS["boca-2023"].published_start
    assert PRESETS["boca-2023"].stop_when_efficient


def test_who_wants_no_proof_gets_none():
    """Tests that a choice is stronger than a preset, and that a proof of one's own has no limit."""
    for proof in ("none", 0.1, "optimal"):
        planner = auction_params("boca-2023", MARKET, proof=proof).phases[1].planner
        assert (planner.proof, planner.solve_seconds) == (proof, None)
    limited = auction_params("boca-2023", MARKET, solve_seconds=5.0).phases[1].planner
    assert (limited.proof, limited.solve_seconds) == (0.005, 5.0)
    assert auction_params("boca", MARKET).phases[1].planner.proof == "none"


@pytest.mark.parametrize(
    ("published", "ours"), [("nn-2020", "nn"), ("fourier-2021", "ft"), ("random-2023", "random")]
)
def test_published_columns_differ_in_the_full_bundle(published, ours):
    """Tests that earlier mechanisms are ours without the full bundle, and nothing else."""
    params = auction_params(published, MARKET, tuned="lsvm")
    assert auction_params(ours, MARKET, tuned="lsvm") == replace(
        params.changed("first.full_bundle", True), mechanism=ours
    )
    assert not params.phases[0].planner.full_bundle


@pytest.mark.parametrize("mechanism", PRESETS)
def test_what_only_an_observer_can_end_is_not_for_people(mechanism):
    """Tests that mechanisms of published experiments are not offered for live auctions."""
    preset = PRESETS[mechanism]
    if preset.stop_when_efficient or preset.published_start:
        assert not preset.conduct(MARKET).is_for_people


def test_phases_of_the_fourier_auction_share_the_budget():
    """Tests which round belongs to which phase: 30, 10 and 30 of 70 published queries."""
    params = auction_params("ft", MARKET, tuned="lsvm")
    state, names = AuctionState.start(MARKET, params), []
    for asked in (0, *range(40, 100, 4)):
        state = replace(state, num_asked=(asked, asked))
        while not has_budget(state):
            state = replace(state, phase=state.phase + 1)
        names.append(state.present_phase.name)
    assert names == ["first"] + ["network"] * 7 + ["reconstruction"] * 2 + ["fourier"] * 6
    assert params.phase("network").surrogate.name == "fourier-network"
    assert params.phase("fourier").planner.economies == "main"


def test_a_phase_without_published_queries_is_left_out():
    """Tests MRVM, where nothing is asked for reconstruction."""
    names = [phase.name for phase in auction_params("ft", MARKET, tuned="mrvm").phases]
    assert names == ["first", "network", "fourier"]


def test_wrong_phases_are_refused():
    """Tests that shares which do not add up, and unknown words, are named."""
    planner = RandomBundles()
    with pytest.raises(InputError, match=r"add up to 1\.5"):
        AuctionParams((Phase("a", planner, share=0.5), Phase("b", planner, share=1.0)))
    with pytest.raises(InputError, match="give each its own name"):
        AuctionParams((Phase("a", planner), Phase("a", planner)))
    with pytest.raises(InputError, match="share"):
        Phase("none", planner, share=0.0)
    with pytest.raises(InputError, match="expected one of them"):
        Phase("both", planner, share=0.5, num_queries=3)
    with pytest.raises(InputError, match="such as boca"):
        Phase("odd", "random")
    with pytest.raises(InputError, match="did you mean 'share'"):
        AuctionParams.from_dict({"phases": [{"name": "a", "shares": 1.0}]})
    with pytest.raises(InputError, match="did you mean 'random'"):
        AuctionParams.from_dict({"phases": [{"name": "a", "planner": {"name": "randon"}}]})


def test_fourier_functions_need_single_copies():
    """Tests that the market is refused at the start, not in the middle of an auction."""
    with pytest.raises(InputError, match="more than one copy"):
        auction_params("ft", Market.simple(2, 2, capacities=[1, 2]))


def test_short_purchases_ask_for_fewer_first_bundles():
    """Tests that a hybrid purchase fits into any budget that its first questions leave open."""
    goods, bidders = (Good("a"), Good("b")), (Bidder("A"), Bidder("B"))
    market = Market(goods, bidders, sense="buy")
    sizes = [
        auction_params("hybrid", market, num_initial=n, num_total=total).phases[0].num_queries
        for n, total in ((40, 100), (4, 12))
    ]
    assert sizes == [14, 4]
    with pytest.raises(InputError, match="ask fewer first queries"):
        auction_params("hybrid", market, num_total=12)


def test_short_hybrid_auctions_spend_more_on_their_clock():
    """Tests the budget at which shares change, and that they are whole."""
    market = Market.simple(4, 2)
    shares = {}
    for total in (40, 50, 51, 100):
        params = auction_params("hybrid", market, num_total=total)
        shares[total] = [params.phase(name).share for name in ("clock", "wanted", "prices")]
        assert sum(phase.share or 0 for phase in params.phases) == pytest.approx(1)
        assert params.phase("nearby").planner.num_per_round == (1 if total < 51 else 2)
    assert shares[40] == shares[50] == [0.25, 0.05, 0.25]
    assert shares[51] == shares[100] == [0.15, 0.04, 0.25]


def test_ranges_keep_a_tenth_of_the_questions():
    market = Market.simple(4, 2)
    plain, ranged = (auction_params("boca", market, ranges=r, num_total=60) for r in (False, True))
    assert ranged.phases[:-1] == plain.phases
    assert (ranged.phases[-1].name, ranged.phases[-1].num_queries) == ("narrow", 6)
    assert ranged.phase_ends[-2:] == (54, 60)
