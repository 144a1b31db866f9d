"""
Seconds that training takes.

``python benchmarks/training.py`` compares a round and an auction with a plain loop of the same
mathematics. The plain loop trains one bidder after another and runs every operation of a step by
itself, as a framework does without compilation; a few of its steps are timed and multiplied by the
number of steps. Times are wall-clock seconds, without compilation, for an otherwise idle machine.

``python benchmarks/training.py settings [domain]`` shows what pinned instructions cost: one process
for each setting, which train in turn, and the processor time of each compared with that of the
machine's own instructions. Other work on the machine disturbs all of them alike.

``python benchmarks/training.py rate`` counts trainings per second: LSVM, both networks, the
published number of steps, 50 reports.

``python benchmarks/training.py early`` compares rounds in which early steps see a hundred
artificial points with rounds in which every step sees all of them, in turns.

``python benchmarks/training.py loader`` compares what networks learn in MRVM from mini-batches that
begin anew with every epoch, as published, and from a stream of them, between two full batches.

``python benchmarks/training.py deviations`` changes one setting at a time to what the published
training has, and shows by how much networks then learn better or worse than with ours.

``python benchmarks/training.py together [type]`` compares ways to do the trainings of a search's
trial: one after the other, in as many threads as there are processors, and as one program that is
vectorised over instances.
"""

import hashlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import jax
import numpy as np
from rich.console import Console
from rich.table import Table

from boca.core import Bidder, Reports, Seeds
from boca.core.machine import num_processors
from boca.lab.domains import load_domain
from boca.lab.studies.learning.data import learning_data
from boca.lab.studies.learning.metrics import measure
from boca.lab.studies.learning.study import fit_together
from boca.surrogates import fit, published
from boca.surrogates.compiled.programs import Programs
from boca.surrogates.hyperparameters import Tuning, tuning
from boca.surrogates.mvnn.artificial import draw_pool
from boca.surrogates.mvnn.fit import PROGRAMS, num_steps, schedule_of, shape_of
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.loss import LossWeights
from boca.surrogates.mvnn.optimiser import Pair, optimiser
from boca.surrogates.mvnn.prepare import PairTask
from boca.surrogates.mvnn.training import step, train

# Domain, quantile of its hyperparameters, and the seconds per round that were to be reached.
CASES = (("lsvm", 0.9, 8), ("srvm", 0.75, 9), ("mrvm", 0.9, 14))
NUM_REPORTS = (40, 70, 97)
NUM_ROUNDS = 15
PLAIN_STEPS = 5


def draw_reports(domain, num_reports: int) -> list[Reports]:
    """Random bundles and the full bundle, for every bidder."""
    reports = []
    for i in range(domain.market.num_bidders):
        bundles = np.unique(domain.sample(i, 3 * num_reports, seed=i), axis=0)
        full = (bundles == domain.market.full_bundle).all(axis=1)
        bundles = np.random.default_rng(i).permutation(bundles[~full & bundles.any(axis=1)])
        bundles = np.concatenate([bundles[: num_reports - 1], domain.market.full_bundle[None]])
        reports.append(Reports(bundles, domain.values(i, bundles)))
    return reports


def seconds_compiled(domain, reports: list[Reports], params) -> float:
    """One round of all bidders; compiled programs are in memory."""
    fit(reports, domain.market, params, seed=0)
    start = time.perf_counter()
    fit(reports, domain.market, params, seed=1)
    return time.perf_counter() - start


def seconds_plain(domain, reports: list[Reports], params) -> float:
    """One round of all bidders in the plain loop, extrapolated from a few steps of each type."""
    total, of_type = 0.0, {}
    for i, bidder in enumerate(domain.market.bidders):
        if bidder.type not in of_type:
            settings = params[bidder.type]
            problem = PairTask.from_reports(reports[i], domain.market, i)
            steps = num_steps(settings, problem.num_rows)
            of_type[bidder.type] = steps * seconds_per_step(problem, settings)
        total += of_type[bidder.type]
    return total


def seconds_per_step(problem: PairTask, params) -> float:
    """The plain loop, every operation by itself; its first step, which prepares, is left out."""
    rng = Seeds(0).generator()
    num_goods = len(problem.envelope.capacities)
    pair = Pair(draw_weights(num_goods, params, rng), draw_weights(num_goods, params, rng))
    schedule = jax.device_put(schedule_of(params, problem.num_rows))
    data = jax.device_put(problem.data(params.artificial, rng))
    pool = draw_pool(data.key, 8 * params.pairs_per_step, data.envelope, params.artificial)
    weights = LossWeights(*(getattr(params, name) for name in LossWeights._fields))
    carry = (pair, optimiser(schedule).init(pair))
    for number in range(PLAIN_STEPS + 1):
        if number == 1:
            start = time.perf_counter()
        where = (jax.numpy.int32(number), carry, data, pool)
        carry = step(*where, schedule, weights, shape_of(params), with_dropout=False)
        jax.block_until_ready(carry)
    return (time.perf_counter() - start) / PLAIN_STEPS


def compare_with_plain_loop() -> None:
    """Prints one row per domain and number of reports, and one for a whole auction."""
    table = Table(title="Training all bidders, both networks, published hyperparameters")
    for name in ("domain", "q", "reports", "seconds", "plain loop s", "ratio", "to reach"):
        table.add_column(name, justify="right")
    for name, q, limit in CASES:
        domain, params = load_domain(name, seed=1), published(name, q)
        seconds, plain = [], []
        for num_reports in NUM_REPORTS:
            reports = draw_reports(domain, num_reports)
            seconds.append(seconds_compiled(domain, reports, params))
            plain.append(seconds_plain(domain, reports, params))
            row = (f"{seconds[-1]:.1f}", f"{plain[-1]:.0f}", f"{plain[-1] / seconds[-1]:.0f}")
            table.add_row(name, str(q), str(num_reports), *row, str(limit))
        auction, slow = NUM_ROUNDS * np.mean(seconds), NUM_ROUNDS * np.mean(plain)
        row = (f"{auction:.0f}", f"{slow:.0f}", f"{slow / auction:.0f}", "")
        table.add_row(name, str(q), "auction", *row, end_section=True)
    Console().print(table)


# What each process of the comparison is told; "own" is what XLA would do by itself.
SETTINGS = {
    "own": {"BOCA_INSTRUCTIONS": "own"},
    "pinned": {},
    "pinned, without AVX2": {
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX",
        "ONEDNN_MAX_CPU_ISA": "AVX",
    },
}
NUM_TURNS = 7


def train_on_command() -> None:
    """One training for each line read; answers with processor seconds and a fingerprint."""
    rounds = []
    for name, q, _ in CASES:
        domain, params = load_domain(name, seed=1), published(name, q)
        short = {t: replace(p, steps_fraction=0.1, max_attempts=1) for t, p in params.items()}
        rounds.append((domain.market, draw_reports(domain, 70), short))
    for line in sys.stdin:
        market, reports, params = rounds[int(line)]
        start = time.process_time()
        fitted = fit(reports, market, params, seed=0)
        seconds = time.process_time() - start
        digest = hashlib.sha256(b"".join(f.upper(reports[0].bundles) for f in fitted.values()))
        print(seconds, digest.hexdigest()[:8], flush=True)


def compare_settings() -> None:
    """Prints processor seconds of each setting relative to the machine's own instructions."""
    known = ("BOCA_INSTRUCTIONS", "XLA_FLAGS", "ONEDNN_MAX_CPU_ISA", "PJRT_NPROC")
    plain = {name: value for name, value in os.environ.items() if name not in known}
    workers = {
        name: subprocess.Popen(
            [sys.executable, __file__, "worker"],
            env=plain | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, variables in SETTINGS.items()
    }
    table = Table(title=f"Processor time, the middle of {NUM_TURNS} turns")
    for name in ("domain", "setting", "seconds", "ratio", "networks"):
        table.add_column(name, justify="right")
    for number, (domain, *_) in enumerate(CASES):
        if domain not in (sys.argv[2:] or [domain]):
            continue
        seconds, digests = {name: [] for name in workers}, {}
        for _turn in range(NUM_TURNS + 1):
            for name, worker in workers.items():
                worker.stdin.write(f"{number}\n")
                worker.stdin.flush()
                answer, digests[name] = worker.stdout.readline().split()
                seconds[name].append(float(answer))
        times = {name: np.array(values[1:]) for name, values in seconds.items()}  # first: compiles
        for name, values in times.items():
            ratio = f"{np.median(values / times['own']):.2f}"
            row = (f"{np.median(values):.2f}", ratio, digests[name])
            table.add_row(domain, name, *row, end_section=name == list(times)[-1])
    for worker in workers.values():
        worker.stdin.close()
        worker.wait()
    Console().print(table)


def compare_early_points(num_reports: int = 70, num_turns: int = 3) -> None:
    """Prints processor seconds of a round with all artificial points, and with few at first."""
    table = Table(title=f"Processor seconds of a round, {num_reports} reports of each bidder")
    for name in ("domain", "all points", "a hundred at first", "ratio"):
        table.add_column(name, justify="right")
    for name, q, _ in CASES:
        domain, params = load_domain(name, seed=1), published(name, q)
        reports = draw_reports(domain, num_reports)
        few = {kind: replace(p, max_attempts=1) for kind, p in params.items()}
        ways = [{kind: replace(p, early_artificial=10**6) for kind, p in few.items()}, few]
        seconds = np.zeros((num_turns + 1, len(ways)))
        for turn in range(num_turns + 1):
            for number, way in enumerate(ways):
                start = time.process_time()
                fit(reports, domain.market, way, seed=turn)
                seconds[turn, number] = time.process_time() - start
        before, now = np.median(seconds[1:], axis=0)  # the first turn compiles
        ratio = np.median(seconds[1:, 0] / seconds[1:, 1])
        table.add_row(name, f"{before:.1f}", f"{now:.1f}", f"{ratio:.2f}")
    Console().print(table)


def compare_loaders(
    num_reports: tuple[int, ...] = (45, 57, 69, 85), instances: range = range(21, 33)
) -> None:
    """Prints steps and errors of both ways to make mini-batches, and their paired differences."""
    table = Table(title=f"MRVM, q = 0.9, {len(instances)} instances: stream, epochs, difference")
    for name in ("bidder type", "reports", "steps", "test R²", "quantile loss x 1000"):
        table.add_column(name, justify="right")
    domains = {seed: load_domain("mrvm", seed=seed) for seed in instances}
    market, params = domains[instances[0]].market, published("mrvm", 0.9)
    ways = [
        {kind: replace(p, batches=batches) for kind, p in params.items()}
        for batches in ("stream", "epochs")
    ]
    for kind in params:
        for num in num_reports:
            sizes = Tuning(num_train=num, num_test=2048, num_instances=len(instances))
            data = [learning_data(domain, kind, sizes, seed) for seed, domain in domains.items()]
            metrics = [
                [
                    measure(fitted, one, 0.9)
                    for one, fitted in zip(
                        data, fit_together(data, market, kind, way, seed=0), strict=True
                    )
                ]
                for way in ways
            ]
            table.add_row(
                kind,
                str(num),
                " ".join(str(num_steps(way[kind], num)) for way in ways),
                paired(*([m.test_r2 for m in way] for way in metrics)),
                paired(*([1000 * m.quantile_loss for m in way] for way in metrics)),
            )
    Console(width=110).print(table)


# What differs from the published training, one thing at a time; all of it; and other forms of the
# loss than the published code's.
DEVIATIONS = {
    "mini-batches by epoch": {"batches": "epochs"},
    "all artificial points throughout": {"early_artificial": 10**6},
    "best of all epochs, rates by epoch": {"batches": "epochs", "checkpoints": "epochs"},
    "second attempt by the bound alone": {"acceptance": "upper"},
    "as published": {
        "batches": "epochs",
        "checkpoints": "epochs",
        "acceptance": "upper",
        "early_artificial": 10**6,
    },
    "as published, loss of Definition D.3": {
        "batches": "epochs",
        "checkpoints": "epochs",
        "acceptance": "upper",
        "early_artificial": 10**6,
        "loss": "paper",
    },
}


def compare_deviations(num_reports: int = 57, instances: range = range(21, 33)) -> None:
    """Prints what each deviation from the published training does to what networks learn."""
    sizes = Tuning(num_train=num_reports, num_test=2048, num_instances=len(instances))
    title = f"{num_reports} reports, instances {instances[0]} to {instances[-1]}: ours, theirs"
    for name, q in (("lsvm", 0.9), ("mrvm", 0.9)):
        table = Table(title=f"{name.upper()}, q = {q}, {title}, difference ± standard error")
        for column in ("changed to", "bidder type", "test R²", "quantile loss x 1000"):
            table.add_column(column, justify="right")
        domains = {seed: load_domain(name, seed=seed) for seed in instances}
        market, params = domains[instances[0]].market, published(name, q)
        for kind in params:
            data = [learning_data(domain, kind, sizes, seed) for seed, domain in domains.items()]

            def metrics(changes, data=data, kind=kind, market=market, params=params):
                way = {own: replace(p, **changes) for own, p in params.items()}
                fits = fit_together(data, market, kind, way, seed=0)
                return [measure(one, known, 0.9) for known, one in zip(data, fits, strict=True)]

            ours = metrics({})
            for words, changes in DEVIATIONS.items():
                theirs = metrics(changes)
                table.add_row(
                    words,
                    kind,
                    paired([m.test_r2 for m in ours], [m.test_r2 for m in theirs]),
                    paired(*([1000 * m.quantile_loss for m in way] for way in (ours, theirs))),
                )
            table.add_section()
        Console(width=130).print(table)


def paired(before: list[float], now: list[float]) -> str:
    """Both means, and the mean difference with its standard error."""
    differences = np.subtract(now, before)
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    means = f"{np.mean(before):.3f} {np.mean(now):.3f}"
    return f"{means} ({differences.mean():+.3f} ± {error:.3f})"


def count_trainings(num_reports: int = 50, num_bidders: int = 12) -> None:
    """Prints trainings per wall-clock second, and per second of processor time."""
    domain, params = load_domain("lsvm", seed=1), published("lsvm", 0.9)
    reports = draw_reports(domain, num_reports)
    for bidder_type in ("national", "regional"):
        first = domain.bidder_types.index(bidder_type)
        bidders = tuple(Bidder(str(i), bidder_type) for i in range(num_bidders))
        market = replace(domain.market, bidders=bidders)
        settings = {bidder_type: replace(params[bidder_type], max_attempts=1)}
        fit([reports[first]], market, settings, seed=0)  # compiles
        wall, processor = time.perf_counter(), time.process_time()
        fit([reports[first]] * num_bidders, market, settings, seed=1)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        print(
            f"lsvm {bidder_type}: {num_bidders / wall:.2f} trainings per second, "
            f"{processor / num_bidders:.2f} processor seconds each, "
            f"{num_steps(settings[bidder_type], num_reports + 1)} steps"
        )


def compare_together(num_instances: int = 8) -> None:
    """Prints what a training costs when the instances of a trial are trained in different ways."""
    sizes, seeds = tuning("lsvm"), range(1, num_instances + 1)
    for kind in sys.argv[2:] or ("national", "regional"):
        params = published("lsvm", 0.9)[kind]
        shape, weights = shape_of(params), [np.float32(getattr(params, n)) for n in LOSS_WEIGHTS]
        starts = []
        for seed in seeds:
            domain, rng = load_domain("lsvm", seed=seed), Seeds(seed).generator()
            market = replace(domain.market, bidders=(Bidder("one", kind),))
            train_on = learning_data(domain, kind, sizes, seed).train
            problem = PairTask.from_reports(train_on, market, 0)
            pair = Pair(*(draw_weights(market.num_goods, params, rng) for _ in range(2)))
            starts.append((pair, problem.data(params.artificial, rng)))
        rest = (schedule_of(params, problem.num_rows), LossWeights(*weights))

        def one_by_one(num, starts=starts, rest=rest, shape=shape):
            for start in starts[:num]:
                PROGRAMS(*start, *rest, shape=shape)

        def in_threads(num, starts=starts, rest=rest, shape=shape):
            with ThreadPoolExecutor(num_processors()) as pool:
                list(pool.map(lambda start: PROGRAMS(*start, *rest, shape=shape), starts[:num]))

        def vectorised(num, starts=starts, rest=rest, shape=shape):
            stacked = jax.tree.map(lambda *arrays: np.stack(arrays), *starts)
            VECTORISED(*stacked, *rest, shape=shape)

        for name, way in (
            ("one by one", one_by_one),
            (f"{num_processors()} threads", in_threads),
            ("vectorised", vectorised),
        ):
            began = time.perf_counter()
            way(1)  # compiles, and the vectorised program trains all
            compiling = time.perf_counter() - began
            wall, processor = time.perf_counter(), time.process_time()
            way(num_instances)
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            print(
                f"lsvm {kind}, {name}: {num_instances / wall:.2f} trainings per second, "
                f"{processor / num_instances:.2f} processor seconds each; "
                f"{compiling:.1f} s for the first call",
                flush=True,
            )


LOSS_WEIGHTS = LossWeights._fields
VECTORISED = Programs(
    lambda pairs, data, schedule, weights, shape: jax.vmap(
        lambda pair, one: train(pair, one, schedule, weights, shape)
    )(pairs, data)
)

COMMANDS = {
    "plain": compare_with_plain_loop,
    "settings": compare_settings,
    "rate": count_trainings,
    "early": compare_early_points,
    "loader": compare_loaders,
    "deviations": compare_deviations,
    "together": compare_together,
    "worker": train_on_command,
}

if __name__ == "__main__":
    COMMANDS[sys.argv[1] if len(sys.argv) > 1 else "plain"]()
