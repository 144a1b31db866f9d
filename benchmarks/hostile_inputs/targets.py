"""Which commands read which files, and hostile inputs for each of them."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from hostile_inputs.case import Case
from hostile_inputs.live import BOTS, LIVE_FILES, PORT, live_case
from hostile_inputs.nasty import NUMBERS, STRINGS, changed_bytes, changed_texts, changed_trees
from hostile_inputs.valid import FILES, HYPERPARAMETERS, QUICK, SCHOOL

PAYMENTS = ("none", "vcg", "core")
# Where results would go. Nothing outside the case's own folder: a test must not harm who runs it.
OUTPUTS = ("", ".", "..", "x", "x/y/z", "market.toml", "market.toml/x", "x" * 300, "\udcff", "é")
# What options do take, perhaps with another option or another command.
USUAL = (
    "random", "svr", "cca", "vcg", "core", "none", "published", "independent", "mean", "bounded",
    "optimal", "0.005", "markdown", "latex", "csv", "json", "1-2", "1", "2", "3", "0.9", "toy",
    "market.toml", "grid.toml", "wdp.csv", "run", "store", "store@random", "num_total=3",
)  # fmt: skip
# Commands around live auctions.
LIVE = ("serve", "bots", "verify", "admin")
PATH_OPTIONS = ("--out", "--figures", "--csv")


@dataclass(frozen=True)
class Target:
    """
    A file of a command.

    Parameters
    ----------
    command, kind
        Their names in the table.
    words
        Command lines, of which one is drawn.
    path
        Where the hostile file is put.
    content
        A valid file of this kind.
    language
        toml, json, text for what is no tree, or bytes for what is no text either.
    templates
        Folders that the command finds.
    weight
        Share of all inputs, relative to other targets.
    """

    command: str
    kind: str
    words: tuple[tuple[str, ...], ...]
    path: str
    content: bytes
    language: str = "text"
    templates: tuple[str, ...] = ()
    weight: int = 10

    def cases(self) -> st.SearchStrategy[Case]:
        """Hostile files of this kind, each with a command."""
        contents: list[st.SearchStrategy[bytes]] = [changed_bytes(self.content)]
        if self.language != "bytes":
            contents += [changed_texts(self.content.decode())] * 2
        if self.language in ("toml", "json"):
            read: Callable[[str], Any] = tomllib.loads if self.language == "toml" else json.loads
            contents += [changed_trees(read(self.content.decode()), self.language)] * 4
        return st.builds(self._case, st.sampled_from(self.words), st.one_of(contents))

    def _case(self, words: tuple[str, ...], content: bytes) -> Case:
        if self.command in LIVE:
            return live_case(self.kind, words, LIVE_FILES | {self.path: content})
        files = FILES | {self.path: content}
        return Case(self.command, self.kind, words, files, self.templates)


def file_targets(templates: Path) -> list[Target]:
    """
    Every file that a command reads.

    Parameters
    ----------
    templates
        Folder of folders that valid commands have made, whose files are made hostile too.
    """
    market, bids = FILES["market.toml"], FILES["bids.csv"]
    domain = (("domain", "market.toml"), ("domain", "market.toml", "--json"))
    run = (("run", "market.toml", *QUICK, "--quiet"), ("run", "market.toml", *QUICK, "--json"))
    start = (("auction", "start", "market.toml", "new", *QUICK),)
    grid = (("experiment", "run", "grid.toml", "--workers", "1", "--out", "new", "--limit", "1"),)
    learn = (
        ("learn", "lsvm", "--types", "national", "--instances", "1", "--params", "mine.toml")
        + ("--steps-fraction", "0.001"),
    )
    targets = [
        Target("domain", "market", domain, "market.toml", market, "toml", weight=22),
        Target("domain", "market bids", domain, "bids.csv", bids, weight=8),
        Target("run", "market", run, "market.toml", market, "toml", weight=14),
        Target("auction", "market", start, "market.toml", market, "toml", weight=8),
        Target("experiment", "grid", grid, "grid.toml", FILES["grid.toml"], "toml", weight=10),
        Target("learn", "hyperparameters", learn, "mine.toml", HYPERPARAMETERS.encode(), "toml",
               weight=2),
    ]  # fmt: skip
    for kind, language in (("csv", "text"), ("json", "json"), ("cats", "text")):
        words = tuple(("wdp", f"wdp.{kind}", "--payments", rule, "--json") for rule in PAYMENTS)
        content = FILES[f"wdp.{kind}"]
        targets.append(Target("wdp", f"bids {kind}", words, f"wdp.{kind}", content, language,
                              weight=18))  # fmt: skip

    buys = (
        ("award", "offers.csv", "--payments", "core", "--json"),
        ("award", "offers.csv", "--scenario", "at most 1 supplier", "--out", "new"),
        ("wdp", "offers.csv", "--json"),
    )
    awards = (("award", "award.toml", "--payments", "offered"),)
    trades = (("exchange", "trades.csv", "--explain"), ("exchange", "trades.csv", "--json"))
    targets += [
        Target("award", "offers", buys, "offers.csv", FILES["offers.csv"], weight=12),
        Target("award", "lots", awards, "award.toml", FILES["award.toml"], "toml", weight=12),
        Target("exchange", "trades", trades, "trades.csv", FILES["trades.csv"], weight=10),
    ]

    seats = (
        ("courses", "assign", "school"),
        ("courses", "assign", "school", "--out", "new", "--no-rivals"),
    )
    for name in SCHOOL:
        path = f"school/{name}.csv"
        targets.append(Target("courses", name, seats, path, FILES[path], weight=5))

    convert = (("courses", "convert", "instance.json", "--out", "new"),)
    instance = (
        b'{"valuations": {"Ann": {"a": 5, "b": 2}, "Ben": {"a": 1}}, "item_capacities": {"a": 1, '
        b'"b": 2}, "agent_capacities": {"Ann": 2, "Ben": 1}, "agent_conflicts": {"Ben": ["b"]}, '
        b'"item_conflicts": {"a": ["b"]}}'
    )
    targets.append(
        Target("courses", "instance", convert, "instance.json", instance, "json", weight=5)
    )

    resume = (("run", "--resume", "run", "--quiet"),)
    resume_clock = (("run", "--resume", "clock", "--quiet"),)
    report = (("experiment", "report", "store"), ("experiment", "compare", "store", "store"))
    again = (("experiment", "run", "grid.toml", "--workers", "1", "--out", "store"),)
    by_hand = (("auction", "status", "auction"), ("auction", "ask", "auction"))
    ends = (("auction", "close", "auction", "--early"),)
    answer = (("auction", "answer", "auction", "auction/questions.csv"),)
    checks = (
        ("courses", "check", "school", "--result", "assigned"),
        ("courses", "assign", "school", "--keep", "assigned", "--out", "new", "--no-rivals"),
    )
    regret = (("plot", "regret", "run"),)
    packed = (
        ("experiment", "report", "store/all.json.gz"),
        ("experiment", "unpack", "store/all.json.gz", "new"),
    )
    stored = sorted(path.name for path in (templates / "store" / "runs").glob("*.json"))[0]
    for command, kind, words, name, language, weight in (
        ("run", "state", resume, "run/state.json", "json", 16),
        ("run", "params", resume, "run/params.toml", "toml", 10),
        ("run", "clock state", resume_clock, "clock/state.json", "json", 6),
        ("experiment", "stored run", report + again[:1], f"store/runs/{stored}", "json", 12),
        ("experiment", "stored grid", report, "store/grids/grid.toml", "toml", 4),
        ("auction", "state", by_hand + ends, "auction/state.json", "json", 10),
        ("auction", "answers", answer, "auction/questions.csv", "text", 10),
        ("courses", "fairness", checks, "assigned/fairness.json", "json", 8),
        ("courses", "assignment", checks, "assigned/assignment.csv", "text", 4),
        ("plot", "state", regret, "run/state.json", "json", 6),
        ("plot", "stored run", (("plot", "regret", "store"),), f"store/runs/{stored}", "json", 6),
        ("experiment", "packed", packed, "store/all.json.gz", "bytes", 8),
    ):
        content = (templates / name).read_bytes()
        if name.endswith("questions.csv"):
            content = content.replace(b",\n", b",3\n").replace(b",\r\n", b",3\r\n")
        folder = name.split("/")[0]
        targets.append(Target(command, kind, words, name, content, language, (folder,), weight))
    return targets + live_targets(templates / "data")


def live_targets(data: Path) -> list[Target]:
    """Files of the commands around live auctions; ``data`` is the folder of a server."""
    verify = (("verify", "log.jsonl"), ("verify", "log.jsonl", "--json"))
    receipt = (("verify", "log.jsonl", "--receipt", "receipt.json"),)
    upkeep = (
        ("admin", "check", "data"),
        ("admin", "sessions", "data"),
        ("admin", "link", "data"),
        ("admin", "backup", "data", "new.tar"),
        ("admin", "key", "data"),
    )
    serve = (("serve", "data", "--port", PORT),)
    restore = (("admin", "restore", "data/backup.tar", "new"),)
    bots = ((*BOTS, "market.toml"),)
    database, key = "data/auctions.db", "data/receipts.key"
    return [
        Target("verify", "log", verify, "log.jsonl", LIVE_FILES["log.jsonl"], weight=16),
        Target("verify", "receipt", receipt, "receipt.json", LIVE_FILES["receipt.json"], "json",
               weight=8),
        Target("bots", "tokens", bots, "tokens.json", LIVE_FILES["tokens.json"], "json", weight=8),
        Target("bots", "market", bots, "market.toml", FILES["market.toml"], "toml", weight=5),
        Target("admin", "database", upkeep, database, (data / "auctions.db").read_bytes(), "bytes",
               weight=10),
        Target("admin", "key", upkeep, key, (data / "receipts.key").read_bytes(), weight=4),
        Target("admin", "backup", restore, "data/backup.tar", (data / "backup.tar").read_bytes(),
               "bytes", weight=6),
        Target("serve", "database", serve, database, (data / "auctions.db").read_bytes(), "bytes",
               weight=3),
        Target("serve", "key", serve, key, (data / "receipts.key").read_bytes(), weight=2),
    ]  # fmt: skip


@st.composite
def option_cases(draw: st.DrawFn, bases: list[tuple[tuple[str, ...], list[str]]]) -> Case:
    """A valid command line with one to three hostile words at its end."""
    words, options = draw(st.sampled_from(bases))
    extra: list[str] = []
    for _ in range(draw(st.sampled_from((1, 1, 1, 2)))):
        option = draw(st.sampled_from(options * 4 + ["--nonsense", "-x", "--"]))
        values = OUTPUTS if option in PATH_OPTIONS else (*NUMBERS, *STRINGS, *USUAL * 3)
        value = draw(st.sampled_from([v for v in values if "\x00" not in v]))
        form = draw(
            st.sampled_from(("two words", "two words", "two words", "=", "option", "value"))
        )
        extra += {
            "two words": [option, value],
            "=": [f"{option}={value}"],
            "option": [option],
            "value": [value],
        }[form]
    words += tuple(extra)
    if words[0] in LIVE:
        return live_case("options", words, LIVE_FILES)
    return Case(words[0], "options", words, FILES, ("run", "store", "auction"))


def option_bases() -> list[tuple[tuple[str, ...], list[str]]]:
    """Quick valid command lines, each with the options that its command has."""
    import typer

    from boca.cli.main import build

    lines: list[tuple[str, ...]] = [
        ("run", "toy", *QUICK, "--quiet"),
        ("run", "market.toml", *QUICK, "--json"),
        ("run", "--resume", "run"),
        ("domain", "toy"),
        ("domain", "market.toml"),
        ("award", "offers.csv"),
        ("exchange", "trades.csv"),
        ("wdp", "wdp.csv"),
        ("wdp", "wdp.cats", "--payments", "none"),
        ("courses", "assign", "school", "--no-rivals"),
        ("courses", "simulate", "drawn", "--students", "8", "--courses", "6", "--no-rivals"),
        ("learn", "nothing"),
        ("plot", "bounds", "toy", "--seed", "1", "--bidder", "0"),
        ("experiment", "run", "grid.toml", "--out", "store", "--workers", "1"),
        ("experiment", "report", "store"),
        ("experiment", "compare", "store", "store"),
        ("auction", "start", "market.toml", "new", *QUICK),
        ("auction", "status", "auction"),
        ("auction", "ask", "auction"),
        ("auction", "answer", "auction", "auction/questions.csv"),
        ("auction", "close", "auction"),
        ("plot", "regret", "run"),
        ("experiment", "pack", "store"),
        ("experiment", "unpack", "store/all.json.gz", "new"),
        ("tune", "nothing"),
        ("serve", "data", "--port", PORT),
        (*BOTS, "market.toml"),
        ("verify", "log.jsonl"),
        ("admin", "link", "data"),
        ("admin", "sessions", "data"),
        ("admin", "backup", "data", "new.tar"),
        ("admin", "restore", "data/backup.tar", "new"),
        ("admin", "export", "data", "nobody", "new.jsonl"),
        ("admin", "check", "data"),
    ]
    bases = []
    for words in lines:
        command: Any = typer.main.get_command(build([words[0]]))
        for word in words:
            command = getattr(command, "commands", {}).get(word, command)
        names = [name for parameter in command.params for name in parameter.opts]
        bases.append((words, [name for name in names if name.startswith("--")]))
    return bases


def draw_cases(strategy: st.SearchStrategy[Case], count: int, number: int) -> list[Case]:
    """So many different cases of a strategy, the same ones for the same number."""
    cases: dict[tuple[object, ...], Case] = {}
    while len(cases) < count:

        @seed(number + len(cases))
        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy)
        def collect(case: Case) -> None:
            cases[case.words, *case.files.items()] = case

        before = len(cases)
        collect()
        if len(cases) == before:
            raise ValueError(f"Expected {count} different inputs, but there are only {before}.")
    return list(cases.values())[:count]
