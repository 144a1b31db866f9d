"""Winners as a TOML file, which ``boca run --params`` and ``boca learn --params`` read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from boca.core.errors import InputError
from boca.core.files import read_toml, write_atomically
from boca.core.randomness import format_seeds
from boca.core.settings import check_keys
from boca.core.wording import did_you_mean
from boca.lab.simulation.run_folder import without_none
from boca.lab.studies.tuning.criteria import ALL
from boca.lab.studies.tuning.setup import TuningSetup, as_plain
from boca.mechanism import AuctionParams
from boca.surrogates.overrides import load_params
from boca.surrogates.ranges import make_params

if TYPE_CHECKING:  # winners need Optuna, which reading them does not
    from boca.lab.studies.tuning.winners import Winner

TUNED = "tuned"
EVERYBODY = "*"  # where one table is for bidders of every type
KEYS = ("tuned", "winners", "measured")


@dataclass(frozen=True)
class TunedFile:
    """
    What a file of winners says.

    Parameters
    ----------
    surrogate
        Whose parameters they are.
    winners
        Parameters by target and bidder type; the type None stands for all.
    """

    surrogate: str
    winners: Mapping[str, Mapping[str | None, Any]]

    def of(self, q: float | None, best: float | None = None) -> Mapping[str | None, Any]:
        """
        The parameters for a quantile, by bidder type.

        Parameters
        ----------
        q
            The quantile; None for the best one, or the only one there is.
        best
            The quantile that is known to be best for the market, if any.
        """
        targets = list(self.winners)
        if q is not None:
            if f"{q:g}" in self.winners or ALL in self.winners:
                return self.winners.get(f"{q:g}", self.winners.get(ALL, {}))
            raise InputError(
                f"Received --q {q:g}; the file has winners for {', '.join(targets)} only."
            )
        for target in (ALL, f"{best:g}" if best else "", "0.9", targets[0]):
            if target in self.winners:
                return self.winners[target]
        raise InputError("The file has no winners.")


def write_tuned(
    path: Path,
    results: Sequence[tuple[TuningSetup, Mapping[str, "Winner"]]],
    num_trials: Mapping[str, int],
) -> None:
    """
    Writes the winners of some bidder types of one market.

    Parameters
    ----------
    path
        The file. Winners of other bidder types that it has already are kept; a file that is about
        something else is refused, as by :func:`check_tuned`.
    results
        What each search was about, and its winners.
    num_trials
        Trials of each search, by bidder type in words.
    """
    content = _old_content(path, _about(results[0][0]))
    content[TUNED]["trials"] |= num_trials
    content[TUNED]["instances"] |= {s.who: format_seeds(s.instances) for s, _ in results}
    for setup, winners in results:
        kind = EVERYBODY if setup.bidder_type is None else setup.bidder_type
        for target, winner in winners.items():
            content["winners"].setdefault(target, {})[kind] = as_plain(winner.params)
            numbers = {"criterion": winner.value, "trial": winner.number}
            content["measured"].setdefault(target, {})[kind] = numbers
    write_atomically(path, "# Made by `boca tune`.\n" + tomli_w.dumps(without_none(content)))


def check_tuned(path: Path, setup: TuningSetup) -> None:
    """Refuses a file that the winners of a search cannot be added to, before it takes its time."""
    _old_content(path, _about(setup))


def _about(setup: TuningSetup) -> dict[str, Any]:
    """What searches have in common whose winners may stand in one file."""
    return {
        "market": setup.market,
        "generic": setup.generic,
        "surrogate": setup.space.surrogate,
        "criterion": setup.criterion,
    }


def _old_content(path: Path, about: dict[str, Any]) -> dict[str, Any]:
    """What a file about the same says already; nothing yet if there is none."""
    new: dict[str, Any] = {
        TUNED: {**about, "trials": {}, "instances": {}},
        "winners": {},
        "measured": {},
    }
    if not path.exists():
        return new
    advice = "Move it away, or choose another --out."
    if read_tuned(path) is None:
        raise InputError(f"The file '{path}' was not made by a search. {advice}")
    old = read_toml(path, "file of winners")
    for name, value in about.items():
        if old[TUNED].get(name) != value:
            raise InputError(
                f"The file '{path}' has winners of a search with {name} = "
                f"{old[TUNED].get(name)!r}, not {value!r}. {advice}"
            )
    old[TUNED] = new[TUNED] | old[TUNED]
    return new | old


def read_tuned(path: Path | str) -> TunedFile | None:
    """The winners in a file; None if it is a file of single hyperparameters."""
    data = read_toml(path, "file of hyperparameters")
    if TUNED not in data:
        return None
    try:
        check_keys(data, KEYS, "table of a file of winners")
        return _checked(data)
    except InputError as error:
        raise InputError(f"The file of winners '{path}' cannot be used: {error}") from None


def _checked(data: Mapping[str, Any]) -> TunedFile:
    head, winners = data[TUNED], data.get("winners")
    if not isinstance(head, dict) or not isinstance(head.get("surrogate"), str):
        raise InputError('Expected surrogate = "..." in the table [tuned].')
    if not isinstance(winners, dict) or not winners:
        raise InputError("Expected a table [winners] with a table for each quantile.")
    by_target: dict[str, dict[str | None, Any]] = {}
    for target, tables in winners.items():
        if not isinstance(tables, dict):
            raise InputError(f"Received winners.{target} = {tables!r}; expected tables by type.")
        for kind, values in tables.items():
            if not isinstance(values, dict):
                raise InputError(
                    f"Received winners.{target}.{kind} = {values!r}; expected a table."
                )
            params = make_params(head["surrogate"], values)
            by_target.setdefault(target, {})[None if kind == EVERYBODY else kind] = params
    return TunedFile(head["surrogate"], by_target)


def params_from_file(
    path: Path | str,
    base: Mapping[str, Any],
    surrogate: str = "mvnn",
    q: float | None = None,
    best: float | None = None,
) -> dict[str, Any]:
    """
    Hyperparameters by bidder type from a user's file: winners of a search, or single values.

    Parameters
    ----------
    path
        The file.
    base
        What holds where the file says nothing, by bidder type.
    surrogate
        Whose parameters they are.
    q, best
        As for :meth:`TunedFile.of`.
    """
    tuned = read_tuned(path)
    if tuned is None:
        return load_params(path, base)
    if tuned.surrogate != surrogate:
        raise InputError(
            f"The file of winners '{path}' is about the surrogate '{tuned.surrogate}'; expected "
            f"'{surrogate}', which learns here. Choose another file."
        )
    winners = tuned.of(q, best)
    for kind in winners:
        if kind is not None and kind not in base:
            raise InputError(
                f"The file of winners '{path}' has the bidder type '{kind}', which this market "
                f"does not have; {did_you_mean(kind, base)}"
            )
    return {kind: winners.get(kind, winners.get(None, old)) for kind, old in base.items()}


def auction_from_file(
    path: Path | str, auction: AuctionParams, q: float | None = None, best: float | None = None
) -> AuctionParams:
    """
    An auction whose networks have the hyperparameters of a user's file.

    Parameters
    ----------
    path
        The file.
    auction
        Settings of the auction, with the hyperparameters that hold otherwise.
    q, best
        As for :meth:`TunedFile.of`.
    """
    names = dict.fromkeys(p.surrogate.name for p in auction.phases if p.surrogate is not None)
    if not names:
        raise InputError(
            f"Received --params for the mechanism '{auction.mechanism}', which learns nothing; "
            "leave it out."
        )
    tuned = read_tuned(path)
    # A mechanism may learn in two ways; winners for one of them leave the other as it is.
    changed = [n for n in names if tuned is None or n == tuned.surrogate] or list(names)
    phases = []
    for phase in auction.phases:
        learner = phase.surrogate
        if learner is not None and learner.name in changed:
            params = params_from_file(path, learner.params, learner.name, q, best)
            phase = replace(phase, surrogate=replace(learner, params=params))
        phases.append(phase)
    return replace(auction, phases=tuple(phases))
