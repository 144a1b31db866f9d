"""
Which small changes of the source do the tests of its own room not notice?

    python benchmarks/mutants.py                                    the kept set: make mutants
    python benchmarks/mutants.py payments/core_rule --each 30 --seed 2
    python benchmarks/mutants.py functions/revealed --line 120      every change of one line

A mutant is a module with one comparison, sign, constant, branch or call changed. It is compiled in
memory (no file is touched) and given to the tests of its room, those named like the module first.
A mutant that no test notices is a line that no test needs, or one that changes nothing.

Every mutant runs in a fork of a process that has the libraries loaded but nothing of boca. Results
are appended to `--out`; what is there already for the same source is not run again.
"""

import argparse
import ast
import copy
import hashlib
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "boca"
VERIFIER = "boca_verify/"
# Modules that decide results.
KEPT = (
    "core/rule", "core/money",
    "functions/revealed", "functions/consistency", "functions/envelope",
    "wdp/problem", "wdp/bounds/relaxation", "wdp/bounds/branch", "wdp/bounds/columns",
    "wdp/bounds/pricing", "wdp/bounds/prove", "wdp/bounds/certificate",
    "payments/projection", "payments/options", "payments/problem", "payments/sales",
    "payments/purchases", "payments/exchanges", "payments/economies", "payments/shares",
    "payments/core_shares", "payments/settlement",
    "payments/winners", "payments/branching", "payments/branch_and_bound", "payments/bids",
    "payments/cliques", "payments/together", "payments/scenarios", "payments/swaps",
    "payments/effort", "payments/waste", "payments/allocating", "payments/awards",
    "payments/awarded", "payments/buyers_rules", "payments/exact_rows", "payments/program",
    "queries/trust_region", "queries/economies",
    "mechanism/stepping", "mechanism/state", "mechanism/stopping", "mechanism/round",
    "mechanism/deciding", "mechanism/auction", "mechanism/params", "mechanism/phases",
    "mechanism/record", "mechanism/presets",
    "seats/budgets", "seats/exact", "seats/pools", "seats/repair",
    "boca_verify/order", "boca_verify/chain", "boca_verify/answers", "boca_verify/second_person",
    "boca_verify/canonical", "boca_verify/market", "boca_verify/solver",
    "boca_verify/seats/assignment", "boca_verify/seats/tables", "boca_verify/seats/said",
    "seats/seating",
)  # fmt: skip
LONGEST = 300  # seconds: whoever takes longer is caught in a loop
# Parts of pytest that no test of these rooms needs; to load them takes longer than most rooms.
UNUSED = ("cacheprovider", "schemathesis", "anyio", "xdist", "xdist.looponfail")
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COUNTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CALLED = {
    "min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor",
    "minimum": "maximum", "maximum": "minimum", "argmax": "argmin", "argmin": "argmax",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    module: str
    line: int
    change: str
    number: int  # of the change among all of its module


def changed(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Each way of changing one node a little, in words and as a new node."""
    if isinstance(node, ast.Compare):
        for k, operator in enumerate(node.ops):
            if type(operator) in COMPARED:
                new = copy.deepcopy(node)
                new.ops[k] = COMPARED[type(operator)]()
                yield f"{ast.unparse(node)} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.BinOp) and type(node.op) in COUNTED:
        new = copy.deepcopy(node)
        new.op = COUNTED[type(node.op)]()
        yield f"{ast.unparse(node)} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.BoolOp):
        new = copy.deepcopy(node)
        new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{ast.unparse(node)} -> {ast.unparse(new)}", new
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield f"{ast.unparse(node)} -> {ast.unparse(node.operand)}", copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        value = node.value
        new = not value if isinstance(value, bool) else value + 1 if value in (0, 1) else 2 * value
        yield f"{value} -> {new}", ast.Constant(new)
    elif isinstance(node, ast.Call):
        name = node.func
        word = name.id if isinstance(name, ast.Name) else getattr(name, "attr", "")
        if word in CALLED:
            new = copy.deepcopy(node)
            setattr(new.func, "id" if isinstance(name, ast.Name) else "attr", CALLED[word])
            yield f"{ast.unparse(node)} -> {CALLED[word]}", new
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        for value in (True, False):
            if not (value and isinstance(node, ast.While)):
                new = copy.deepcopy(node)
                new.test = ast.Constant(value)
                yield f"if {ast.unparse(node.test)} -> {value}", new
    elif isinstance(node, ast.AugAssign | ast.Continue | ast.Break) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant | ast.Yield)
    ):
        yield f"{ast.unparse(node)} -> nothing", ast.Pass()


def is_left_alone(node: ast.AST) -> bool:
    """Messages, annotations and what only type checkers read."""
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "__debug__"):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: guards against bugs
        return True
    return isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert)


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every node that may be changed, as its parent, field and index."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST) and not is_left_alone(child):
                yield tree, field, index
                yield from places(child)


def mutants(module: str) -> Iterator[tuple[Mutant, ast.Module]]:
    """All of a module, each with its changed tree (valid until the next one is drawn)."""
    tree = ast.parse(file_of(module).read_text())
    number = 0
    for parent, field, index in list(places(tree)):
        old = getattr(parent, field) if index is None else getattr(parent, field)[index]
        for words, new in changed(old):
            ast.copy_location(new, old)
            put(parent, field, index, new)
            yield Mutant(module, old.lineno, words[:160], number), ast.fix_missing_locations(tree)
            put(parent, field, index, old)
            number += 1


def put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a changed tree."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.code = name, path, compile(tree, str(path), "exec")

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def exec_module(self, module):
        exec(self.code, module.__dict__)


def file_of(module: str) -> Path:
    """Where a module stands: below src/boca, or below src if it is the verifier's."""
    return (SOURCE.parent if module.startswith(VERIFIER) else SOURCE) / f"{module}.py"


def tests_of(module: str) -> list[str]:
    """The room's tests: those by hand of the module, those that have its name, then all."""
    room, stem = str(Path(module).parent), Path(module).stem
    folder = ROOT / "tests" / room
    named = folder.glob(f"test_*{stem.removesuffix('_rule')}*.py")
    named = sorted(named, key=lambda path: ("by_hand" not in path.name, path))
    return [*map(str, named), str(folder)]


def run(mutant: Mutant, tree: ast.Module, tests: list[str]) -> str:
    """Whether the tests notice: caught, survived or (in a loop) timed out."""
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        path = file_of(mutant.module)
        name = mutant.module.replace("/", ".")
        name = name if mutant.module.startswith(VERIFIER) else f"boca.{name}"
        sys.meta_path.insert(0, Changed(name, path, tree))
        import pytest

        rest = "not (slow or browser or kill or server)"
        without = [f"-pno:{plugin}" for plugin in UNUSED]
        os._exit(int(pytest.main(["-x", "-q", *without, "-m", rest, *tests])))
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "caught"
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timed out"


def warm_up() -> None:
    """Loads what every child needs; boca itself must not be loaded here."""
    os.environ["CI"] = "true"  # hypothesis then draws the same examples every time
    os.environ["JAX_PLATFORMS"] = "cpu"
    libraries = ("numpy", "scipy.optimize", "scipy.sparse", "jax", "highspy")
    for name in ("pytest", "hypothesis", *libraries):
        importlib.import_module(name)
    if any(name.partition(".")[0] == "boca" for name in sys.modules):
        raise RuntimeError("boca is loaded already, so that changes would not be seen.")


def chosen(module: str, arguments: argparse.Namespace) -> list[int]:
    """The numbers of the changes to try."""
    found = [mutant for mutant, _ in mutants(module)]
    if arguments.line:
        return [mutant.number for mutant in found if mutant.line == arguments.line]
    order = random.Random(f"{arguments.seed} {module}").sample(range(len(found)), len(found))
    return sorted(order[: arguments.each])


def main() -> None:
    """Prints each mutant and what survived."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("modules", nargs="*", default=KEPT, help="such as payments/core_rule")
    parser.add_argument("--each", type=int, default=4, help="changes of each module")
    parser.add_argument("--line", type=int, help="every change of this line instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "mutants.jsonl")
    arguments = parser.parse_args()
    missing = [name for name in arguments.modules if not file_of(name).is_file()]
    if missing:
        sys.exit(
            f"error: no module '{missing[0]}'; expected a path below src/boca without .py, or one "
            "that begins with boca_verify/."
        )
    warm_up()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    lines = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    known = {(row["source"], row["number"]): row["result"] for row in map(json.loads, lines)}
    survivors, count = [], 0
    for module in arguments.modules:
        source = hashlib.sha256(file_of(module).read_bytes()).hexdigest()[:12]
        numbers = set(chosen(module, arguments))
        for mutant, tree in mutants(module):
            if mutant.number not in numbers:
                continue
            result = known.get((source, mutant.number))
            if result in (None, "survived"):  # tests may have grown since
                result = run(mutant, tree, tests_of(module))
                with arguments.out.open("a") as file:
                    file.write(json.dumps({**asdict(mutant), "source": source, "result": result}))
                    file.write("\n")
            count += 1
            survivors += [mutant] if result == "survived" else []
            print(f"{result:9} {module}:{mutant.line} {mutant.change}", flush=True)
    print(f"\n{count - len(survivors)} of {count} caught. Not noticed by the tests of their room:")
    for mutant in survivors:
        print(f"  {mutant.module}:{mutant.line} {mutant.change}")


if __name__ == "__main__":
    main()
