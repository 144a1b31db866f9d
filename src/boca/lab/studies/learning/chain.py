"""
The learned functions along a growing chain of bundles: the numbers of the paper's Figures 2 and 3.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boca.core.csv_text import csv_text
from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.core.market import Bidder
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.core.wording import did_you_mean
from boca.lab.domains import Domain
from boca.lab.studies.learning.data import distinct_bundles
from boca.surrogates import fit
from boca.surrogates.mvnn.params import Initialisation, MvnnParams

# The architecture of the paper's Figure 3, which generic initialisation cannot train.
LAYERS_OF_FIGURE_3 = 2
WIDTH_OF_FIGURE_3 = 64


@dataclass(frozen=True, eq=False)
class BoundsAlongChain:
    """
    What is true, reported and learned along a chain of bundles, each one copy larger than the last.

    Parameters
    ----------
    title, networks
        Domain, instance and bidder in words; architecture and initialisation in words.
    bundles
        The chain, from the empty to the full bundle, ``(num_bundles, num_goods)``.
    true, mean, upper, envelope
        Values along the chain, ``(num_bundles,)``.
    reported
        Whether each bundle of the chain was reported, ``(num_bundles,)``.
    num_reports
        Reports that the networks were trained on, on and off the chain.
    """

    title: str
    networks: str
    bundles: np.ndarray
    true: np.ndarray
    mean: np.ndarray
    upper: np.ndarray
    envelope: np.ndarray
    reported: np.ndarray
    num_reports: int

    @property
    def sizes(self) -> np.ndarray:
        """Copies in each bundle of the chain."""
        sizes: np.ndarray = self.bundles.sum(axis=1)
        return sizes

    def write_csv(self, path: Path) -> None:
        """One line per bundle; the goods as one word of digits."""
        head = ("size", "bundle", "true", "mean", "upper", "envelope", "reported")
        rows = []
        for row, bundle in enumerate(self.bundles):
            numbers = (self.true, self.mean, self.upper, self.envelope)
            values = [f"{float(column[row]):.10g}" for column in numbers]
            word = "-".join(map(str, bundle)) if bundle.max() > 9 else "".join(map(str, bundle))
            rows.append((self.sizes[row], word, *values, int(self.reported[row])))
        write_atomically(path, csv_text(head, rows))


def bounds_along_chain(
    domain: Domain,
    bidder: int,
    params: MvnnParams,
    num_reports: int = 40,
    num_on_chain: int = 2,
    seed: int = 0,
) -> BoundsAlongChain:
    """
    Trains on random reports and evaluates everything along a random chain.

    Random bundles hardly ever contain one another, so a random chain would meet no report but
    the full bundle. Some reports are therefore taken from the chain itself.

    Parameters
    ----------
    domain, bidder
        Whose values are learned.
    params
        Hyperparameters of the bidder's networks.
    num_reports
        Reports, the full bundle and those on the chain included.
    num_on_chain
        Reports between the two ends of the chain, evenly spread.
    seed
        Of the chain, the reports and the training.
    """
    market = domain.market
    if not 0 <= bidder < market.num_bidders:
        raise InputError(f"Received bidder {bidder}; expected 0 to {market.num_bidders - 1}.")
    longest = int(market.capacities.sum()) - 1
    if not 0 <= num_on_chain <= longest:
        raise InputError(f"Received {num_on_chain} reports on the chain; expected 0 to {longest}.")
    if num_reports < num_on_chain + 1:
        raise InputError(
            f"Received {num_reports} reports; expected at least {num_on_chain + 1}: those on the "
            "chain and the full bundle."
        )

    seeds = Seeds(seed).child("bounds", domain.name, bidder)
    chain = growing_chain(market.capacities, seeds.child("chain").generator())
    inner = np.linspace(0, len(chain) - 1, num_on_chain + 2).round().astype(int)[1:-1]
    reports = _reports(
        domain, bidder, chain[inner], num_reports, seeds.child("reports").integer(31)
    )

    alone = replace(market, bidders=(Bidder(market.bidders[bidder].name, "only"),))
    fitted = fit([reports], alone, {"only": params}, seeds.child("fit").integer(31))[0]
    if fitted.upper is None or fitted.envelope is None:
        raise InputError("This surrogate has no upper bound or envelope to draw.")
    return BoundsAlongChain(
        title=_title(domain, bidder),
        networks=_networks(params),
        bundles=chain,
        true=domain.values(bidder, chain),
        mean=fitted.mean(chain),
        upper=fitted.upper(chain),
        envelope=fitted.envelope(chain),
        reported=np.array([not bundle.any() or bundle in reports for bundle in chain]),
        num_reports=len(reports),
    )


def growing_chain(capacities: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Bundles from empty to full, one random copy more at a time."""
    copies = generator.permutation(np.repeat(np.arange(len(capacities)), capacities))
    steps = np.zeros((len(copies) + 1, len(capacities)), dtype=np.int64)
    steps[np.arange(1, len(copies) + 1), copies] = 1
    return steps.cumsum(axis=0)  # (num_bundles, num_goods)


def figure_params(
    params: MvnnParams, init: str = "mixture", width: int | None = None, l2: float | None = None
) -> MvnnParams:
    """
    The networks of the paper's figures.

    Neurons that are saturated from the start have no gradient, but weight decay moves them all
    the same: Adam scales any gradient up, so even l2 = 1e-8 frees them in a few hundred steps.
    Figure 3 is therefore drawn without.

    Parameters
    ----------
    params
        What holds otherwise.
    init
        ``mixture`` (Figure 2); ``generic``: the usual scaling by 1/sqrt(width) (Figure 3);
        ``shrunk``: scaling by 1/width.
    width
        Neurons of each of two hidden layers; the architecture of ``params`` if None, and that of
        Figure 3 for other initialisations than the paper's.
    l2
        Weight decay; that of ``params`` if None, and none for generic initialisation.
    """
    names: dict[str, Initialisation] = {
        "mixture": "mixture",
        "generic": "generic_glorot",
        "shrunk": "generic_shrunk",
    }
    if init not in names:
        raise InputError(f"Received --init {init!r}; {did_you_mean(init, names)}")
    if width is not None and width < 1:
        raise InputError(f"Received --width {width}; expected a positive number of neurons.")
    if init != "mixture":
        width = WIDTH_OF_FIGURE_3 if width is None else width
        l2 = 0.0 if l2 is None else l2
    if width is not None:
        params = replace(params, hidden_layers=LAYERS_OF_FIGURE_3, hidden_units=width)
    return replace(params, init=names[init], l2=params.l2 if l2 is None else l2)


def _reports(
    domain: Domain, bidder: int, on_chain: np.ndarray, num_reports: int, seed: int
) -> Reports:
    """The full bundle, the bundles on the chain, and random ones for the rest."""
    fixed = np.vstack([domain.market.full_bundle, on_chain])
    random = distinct_bundles(domain, bidder, num_reports, seed)
    known = {tuple(row) for row in fixed.tolist()}
    new = np.array([tuple(row) not in known for row in random.tolist()])
    bundles = np.vstack([fixed, random[new]])[:num_reports]
    return Reports(bundles, domain.values(bidder, bundles))


def _title(domain: Domain, bidder: int) -> str:
    kind = domain.bidder_types[bidder]
    instance = f", seed {domain.seed}" if domain.seed is not None else ""
    return f"{domain.name.upper()}{instance}, {kind} bidder {bidder}".replace("  ", " ")


def _networks(params: MvnnParams) -> str:
    widths = ", ".join(map(str, params.hidden))
    start = {
        "mixture": "the paper's initialisation",
        "generic_glorot": "generic initialisation",
        "generic_shrunk": "shrunken generic initialisation",
    }[params.init]
    decay = "" if params.l2 else ", no weight decay"
    points = "" if params.artificial == "cube" else ", artificial points on bundles"
    return f"networks [{widths}], {start}{decay}{points}"
