"""Hyperparameters as data: nothing is lost on the way."""

import pytest

from boca.core.errors import InputError
from boca.core.goods import Good
from boca.core.market import Bidder, Market
from boca.surrogates.hyperparameters import (
    BASELINES,
    QUANTILES,
    TUNED_DOMAINS,
    ShortClock,
    best_quantile,
    clock_start_share,
    defaults,
    published,
    published_baseline,
    published_metrics,
    recommended,
    short_clock,
    tuning,
)

TYPES = {
    "gsvm": {"regional", "national"},
    "lsvm": {"national", "regional"},
    "srvm": {"small", "high_frequency", "secondary", "primary"},
    "mrvm": {"local", "regional", "national"},
}


@pytest.mark.parametrize("domain", TUNED_DOMAINS)
@pytest.mark.parametrize("q", QUANTILES)
def test_every_bidder_type_has_a_published_winner(domain, q):
    """Tests that parameters and metrics are there, under our names of the types."""
    assert published(domain, q).keys() == published_metrics(domain, q).keys() == TYPES[domain]


def test_published_values_arrive_unchanged():
    """Tests two winners against the numbers of the paper's tuning archive."""
    national = published("LSVM", 0.9)["national"]
    assert (national.hidden_layers, national.hidden_units) == (2, 32)
    assert (national.epochs, national.batch_size, national.num_artificial) == (8000, 50, 128)
    assert national.learning_rate == 0.00880418386516662
    assert national.mean_smooth_l1_beta == 1 / 64
    assert not national.linear_skip

    metrics = published_metrics("lsvm", 0.9)["national"]
    assert metrics.test_r2 == 0.569779
    assert metrics.quantile_loss == 0.0168983
    assert metrics.train_upper_mae == 3.41733e-05


def test_srvm_types_carry_the_parameters_of_the_archive_names():
    """
    Tests that small is the archive's local bidder, because SATS and the archive use different
    words and a swap would go unnoticed: the networks would still train.
    """
    params = published("srvm", 0.6)
    assert params["small"].learning_rate == 0.001269463246908705  # local
    assert params["secondary"].learning_rate == 0.0021818311714278233  # regional
    assert published_metrics("srvm", 0.6)["high_frequency"].test_mae == 0.0105572


@pytest.mark.parametrize("domain", TUNED_DOMAINS)
def test_q_90_and_95_share_their_winners(domain):
    """Tests a known fact about the archive; only the quantile loss is measured differently."""
    assert published(domain, 0.9) == published(domain, 0.95)
    nine, ninefive = published_metrics(domain, 0.9), published_metrics(domain, 0.95)
    assert all(nine[t].quantile_loss > ninefive[t].quantile_loss for t in nine)


def test_tuning_sizes():
    """Tests the sizes of the data sets in the paper's Table 2."""
    assert (tuning("lsvm").num_train, tuning("lsvm").num_test) == (50, 1024)
    assert (tuning("mrvm").num_train, tuning("mrvm").num_test) == (100, 8192)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: published("gsvm", 0.9), "expected a tuned domain: lsvm, srvm, mrvm"),
        (lambda: published("lsvm", 0.8), "0.6, 0.75, 0.9, 0.95"),
        (lambda: published_baseline("boca", "lsvm"), "mvnn-mlca"),
        (lambda: published_baseline("svr-mlca", "srvm"), "gsvm, lsvm, mrvm"),
    ],
)
def test_what_is_not_published_is_said(call, words):
    """Tests that a wrong name is answered with the right ones."""
    with pytest.raises(InputError, match=words):
        call()


def test_defaults_cover_every_type_of_a_market():
    """Tests that a user's own market needs no tuning file, whatever its types are called."""
    bidders = (Bidder("a", "airline"), Bidder("b"), Bidder("c", "airport"))
    small = Market(tuple(Good(f"g{j}", 1 + j % 3) for j in range(12)), bidders)
    large = Market(tuple(Good(f"g{j}") for j in range(98)), bidders)

    assert defaults(small).keys() == defaults(large).keys() == {"airline", "", "airport"}
    assert defaults(small)[""].hidden == (32, 32)
    assert defaults(large)[""].hidden == (96,)


@pytest.mark.parametrize("mechanism", BASELINES)
@pytest.mark.parametrize("domain", ["gsvm", "lsvm", "mrvm"])
def test_baselines_name_our_types(mechanism, domain):
    """Tests that settings by bidder type, where there are any, match the domain's types."""
    baseline = published_baseline(mechanism, domain)
    assert baseline.types.keys() in (set(), TYPES[domain])
    assert baseline.settings
    assert bool(baseline.types) == (mechanism != "svr-mlca")


def test_baseline_values():
    """Tests one number of each mechanism against its publication."""
    assert published_baseline("mvnn-mlca", "srvm").types["primary"]["epochs"] == 244
    assert published_baseline("nn-mlca", "gsvm").types["national"]["hidden_units"] == 44
    assert published_baseline("svr-mlca", "lsvm").settings["quadratic"]["c2"] == 0.03125
    assert published_baseline("ft-mlca", "gsvm").settings["num_reconstruction"] == 20


@pytest.mark.parametrize(("domain", "q"), [("lsvm", 0.9), ("SRVM", 0.75), ("mrvm", 0.9)])
def test_best_quantile_is_that_of_the_paper(domain, q):
    """Tests the paper's winners (Table 1), which presets take unless told otherwise."""
    market = Market.simple(3, 1)
    assert best_quantile(domain) == q
    assert recommended(market, domain) == published(domain, q)
    assert recommended(market, domain, 0.6) == published(domain, 0.6)


def test_markets_nobody_tuned_get_defaults():
    """Tests that an unknown name is no error: most markets have no published hyperparameters."""
    market = Market.simple(3, 1)
    assert recommended(market) == recommended(market, "gsvm") == defaults(market)
    with pytest.raises(InputError, match="lsvm, srvm, mrvm"):
        best_quantile("gsvm")


def test_clock_prices_start_where_the_published_ones_did():
    """Tests that GSVM has a share of its own and everything else the common one."""
    assert clock_start_share("GSVM") == 1.6
    assert clock_start_share("lsvm") == clock_start_share() == 0.2


def test_short_clocks_are_the_published_ones():
    """
    Tests the clocks that networks take over from: ML-CCA spends half of its questions on a slow
    one in MRVM, MLHCA a fifth on a quick one; both start higher in LSVM.
    """
    assert short_clock("ml-cca", "MRVM") == ShortClock(increment=0.08, rounds_share=0.5)
    assert short_clock("mlhca", "mrvm") == ShortClock(increment=0.22, rounds_share=0.2)
    assert short_clock("mlhca") == short_clock("ml-cca", "lsvm") == ShortClock(0.15, 0.2)
    assert clock_start_share("lsvm", "mlhca") == clock_start_share("LSVM", "ml-cca") == 0.7
    assert clock_start_share("gsvm", "mlhca") == 1.6
    assert clock_start_share("mrvm", "mlhca") == clock_start_share("", "mlhca") == 0.2


@pytest.mark.parametrize(("num_bidders", "share"), [(2, 1.0), (40, 1.0), (80, 0.5), (200, 0.2)])
def test_many_bidders_share_the_steps_of_some(num_bidders, share):
    """Tests that a round of hundreds of bidders learns about as long as one of forty."""
    params = defaults(Market.simple(3, num_bidders))
    assert {one.steps_fraction for one in params.values()} == {share}
