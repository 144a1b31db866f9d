"""Settings of every surrogate and planner with values that nobody should have written."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

from boca.core import Demands, InputError, Market, Reports, Seeds
from boca.mechanism import StoppingParams
from boca.queries.planner import PLANNERS
from boca.surrogates.builtin import BUILTIN
from boca.surrogates.registry import Surrogate

HOSTILE = [True, "five", "", None, [], {}, -1, 0.5, float("nan"), float("inf"), 10**5000, object()]
CLASSES = [
    StoppingParams,
    *(kind.params_class for kind in BUILTIN.values()),
    *(planner for planner in PLANNERS.values() if is_dataclass(planner)),
]
FIELDS = [(cls, field.name) for cls in dict.fromkeys(CLASSES) for field in fields(cls)]


def refusal(cls: type, name: str, value: object) -> str | None:
    """What a class says about a value; None where it takes it. Other errors are faults."""
    try:
        cls(**{name: value})
    except InputError as error:
        return str(error)
    return None


@pytest.mark.parametrize(("cls", "name"), FIELDS, ids=lambda part: getattr(part, "__name__", part))
def test_settings_refuse_in_one_sentence(cls, name):
    """Tests that a value is taken or refused with the field's name, whoever read it."""
    for value in HOSTILE:
        said = refusal(cls, name, value)
        assert said is None or (name.removesuffix("s") in said and len(said) < 400), said


LARGE = {
    "mvnn": [{"hidden_units": 10**9}, {"hidden_layers": 10**9}, {"num_artificial": 10**12}],
    "mean-net": [{"hidden_units": 10**9}, {"hidden_layers": 10**9}, {"epochs": 10**12}],
    "mixed": [{"hidden_units": 10**9}, {"hidden_layers": 10**9}, {"members": 10**9}],
    "joint": [{"hidden_units": 10**9}, {"batch_size": 10**11}, {"members": 10**9}],
    "fourier-network": [{"network": {"kind": "relu", "hidden_units": 10**9}}],
}


@pytest.mark.parametrize(
    ("name", "changes"), [(name, changes) for name, rows in LARGE.items() for changes in rows]
)
def test_what_does_not_fit_into_memory_is_refused_with_its_size(name, changes):
    """Tests that gigabytes are counted before they are taken: once it took all of the machine."""
    market = Market.simple(3, 1)
    params = replace(BUILTIN[name].params_class(), **changes)
    reports = [Reports(np.array([[1, 1, 1], [1, 0, 0]]), [10.0, 4.0])]
    surrogate = Surrogate(name, {market.bidders[0].type: params})

    with pytest.raises(InputError, match=r"would take .* GB of memory; .* GB are free"):
        surrogate.fit(reports, [Demands.empty(3)], market, Seeds(0))
