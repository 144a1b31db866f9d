"""A page says what its runs were made with."""

from fake_runs import make_result, make_spec

from boca.lab.reports.page import Section
from boca.lab.reports.results import collect


def test_runs_are_counted_by_kind_of_processor():
    """Tests that a table of networks from two kinds of processors says so."""
    newer = {"instruction_sets": ["avx2", "fma", "avx512f"]}
    older = {"instruction_sets": ["avx2", "fma"]}
    stored = [
        make_result(make_spec(seed=seed), 1, processor="AMD", compiler=kind, compiler_flags="-x")
        for seed, kind in ((1, newer), (2, newer), (3, older))
    ]
    lines = Section("some", collect(stored)).provenance()

    assert (
        "Kind of processor, which networks depend on: AMD with avx2, fma, avx512f: 2 runs; "
        "AMD with avx2, fma: 1 runs."
    ) in lines
    assert "Compiler flags: -x." in lines


def test_runs_that_do_not_say_where_they_were_made():
    """Tests that results of the first versions have a page too."""
    lines = Section("some", collect([make_result(make_spec(seed=1), 1)])).provenance()

    assert not any("rocessor" in line or "flags" in line for line in lines)
