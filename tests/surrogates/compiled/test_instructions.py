"""Limits that make trainings repeat on other processors."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from boca.surrogates.compiled import instructions
from boca.surrogates.compiled.instructions import compiler_settings, pin_instructions, processor

TRAINING = """
import hashlib, numpy as np
from boca.core import Market, Reports, Seeds
from boca.surrogates import MvnnParams, fit
rng = np.random.default_rng(0)
bundles = np.vstack([rng.integers(0, 2, (20, 98)), np.ones(98, int)])
reports = Reports(bundles, bundles.sum(axis=1) ** 1.5)
params = MvnnParams(1, 96, epochs=100, num_artificial=224, max_attempts=1)
function = fit([reports], Market.simple(98, 1), params, 0)[0].upper
print(hashlib.sha256(function(bundles).tobytes()).hexdigest())
"""


def network(**environment):
    """A fingerprint of a network that is trained in a fresh process."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if name not in ("BOCA_INSTRUCTIONS", "XLA_FLAGS", "ONEDNN_MAX_CPU_ISA", "PJRT_NPROC")
    }
    done = subprocess.run(
        [sys.executable, "-c", TRAINING],
        env=plain | environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()[-1]


@pytest.mark.skipif(
    not {"avx2", "fma"} <= processor()[1], reason="the processor has no AVX2 to be limited to"
)
def test_networks_do_not_depend_on_wider_instructions_or_more_threads():
    """
    Tests that the defaults give the network of a processor that has AVX2 and no more, with three
    threads; and that the test would notice, because other limits give another network.
    """
    avx2 = {"XLA_FLAGS": " ".join(instructions.XLA_FLAGS), "ONEDNN_MAX_CPU_ISA": "AVX2"}
    default = network()
    assert network(**avx2, PJRT_NPROC="3") == default
    assert network(ONEDNN_MAX_CPU_ISA="SSE41") != default


@pytest.mark.parametrize(("processors", "threads"), [(1, "2"), (2, "2"), (3, "3"), (64, "3")])
def test_one_processor_calculates_like_more(monkeypatch, processors, threads):
    """
    Tests that a machine with a single processor gets two threads: one adds up in another order, and
    MRVM's networks were others then.
    """
    monkeypatch.setattr(instructions.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(instructions, "num_processors", lambda: processors)
    environment = {}
    pin_instructions(environment)
    assert environment["PJRT_NPROC"] == threads


def test_what_somebody_has_set_stays(monkeypatch):
    """Tests that flags of a user win over ours, one by one."""
    monkeypatch.setattr(instructions.platform, "machine", lambda: "x86_64")
    environment = {"XLA_FLAGS": "--xla_cpu_max_isa=AVX512 --xla_other", "PJRT_NPROC": "16"}
    pin_instructions(environment)
    assert environment["XLA_FLAGS"].split() == [
        "--xla_cpu_max_isa=AVX512",
        "--xla_other",
        "--xla_cpu_experimental_ynn_fusion_type=",
    ]
    assert environment["ONEDNN_MAX_CPU_ISA"] == "AVX2"
    assert environment["PJRT_NPROC"] == "16"
    before = dict(environment)
    pin_instructions(environment)
    assert environment == before  # a second time adds nothing


def test_other_architectures_are_left_alone(monkeypatch):
    """Tests that no x86 word reaches a compiler that does not know it."""
    monkeypatch.setattr(instructions.platform, "machine", lambda: "arm64")
    environment = {}
    pin_instructions(environment)
    assert environment == {}


def test_the_machines_own_instructions_can_be_had(monkeypatch):
    """Tests the way out, for single auctions on machines with many processors."""
    monkeypatch.setattr(instructions.platform, "machine", lambda: "x86_64")
    environment = {"BOCA_INSTRUCTIONS": "own"}
    pin_instructions(environment)
    assert environment == {"BOCA_INSTRUCTIONS": "own"}


def test_settings_can_be_saved():
    """Tests that results can record what they depend on, before anything was compiled."""
    settings = compiler_settings()
    assert json.loads(json.dumps(settings)) == settings
    assert settings["jax"] == version("jax")
    assert settings["cpu"]


def test_processor_is_read_from_its_description(tmp_path):
    """Tests Linux's format, and that a system without it still has a name for its processor."""
    file = tmp_path / "cpuinfo"
    file.write_text("processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu avx2 fma\n")
    assert processor(file) == ("Some CPU @ 3 GHz", {"fpu", "avx2", "fma"})
    model, features = processor(tmp_path / "nowhere")
    assert model
    assert features == set()
