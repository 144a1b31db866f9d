"""The award report as a workbook."""

from typing import Any

from boca.live.auction.views import Setup
from boca.live.web.award.report import AwardLine, AwardReport
from boca.live.web.sheets.workbook import add_sheet, new_book, to_bytes
from boca.live.web.texts import Texts
from boca.live.web.views.goods_table import GoodsColumn, goods_groups


def to_xlsx(t: Texts, setup: Setup, report: AwardReport) -> bytes:
    """One sheet for each part of the report; amounts are numbers, texts are never formulas."""
    book = new_book()
    _summary(t, setup, report, book)
    if report.lines:
        _by_bidder(t, setup, report, book)
        _by_good(t, report, book)
        _matrix(t, setup, report, book)
    if report.own is not None:
        _own(t, setup, report, report.own, book)
    head = [t("report.number"), t("report.at"), t("report.what"), t("report.who")]
    rows = [[line.number, line.at, line.what, line.who] for line in report.protocol]
    add_sheet(book, t("report.protocol").partition(":")[0], head, rows)
    checks: list[list[object]] = [["", sentence, ""] for sentence in report.checks]
    checks += [list(row) for row in report.proofs]
    if checks:
        head = [t("proofs.check"), t("proofs.what"), t("proofs.result")]
        add_sheet(book, t("report.proofs"), head, checks)
    rows = [[row.name, row.value, row.use] for row in report.fingerprints]
    add_sheet(book, t("report.fingerprints"), ["", "", ""], rows)
    return to_bytes(book)


def _summary(t: Texts, setup: Setup, report: AwardReport, book: Any) -> None:
    rows: list[list[object]] = [[sentence] for sentence in report.lead]
    rows += [list(fact) for fact in report.facts]
    rows.append([report.rule])
    rows += [[sentence] for sentence in remarks(t, report)]
    add_sheet(book, t("report.summary"), [report.title], rows)


def remarks(t: Texts, report: AwardReport) -> list[str]:
    """What the report leaves out, in sentences."""
    numbers = (("report.sealed", report.num_sealed), ("report.left_out", report.num_left_out))
    return [t.count(key, number) for key, number in numbers if number]


def _amount(setup: Setup, units: int | None) -> float | None:
    return None if units is None else float(setup.money.decimal(units))


def _by_bidder(t: Texts, setup: Setup, report: AwardReport, book: Any) -> None:
    currency = setup.money.currency
    has_bids = any(line.bid is not None for line in report.lines)
    head = [t("result.outcome_bidder"), t("result.outcome_bundle"), t("goods.copies")]
    head += [f"{t('outcome.value')} ({currency})"] if has_bids else []
    head.append(f"{t('result.outcome_pays')} ({currency})")
    head += [t("report.payments")] if has_bids else []
    rows: list[list[object]] = []
    for line in report.lines:
        row: list[object] = [line.name, every_good(t, setup, line), sum(line.bundle)]
        row += [_amount(setup, line.bid)] if has_bids else []
        row.append(_amount(setup, line.payment))
        row += [line.why] if has_bids else []
        rows.append(row)
    add_sheet(book, t("report.by_bidder"), head, rows, setup.money.decimals)


def every_good(t: Texts, setup: Setup, line: AwardLine) -> str:
    """All goods of a bundle, however many there are, a line for each group."""
    lines = []
    for group in goods_groups(setup.market, [GoodsColumn("", line.bundle)]):
        words = [t("words.copies", n=row.copies, good=row.name) for row in group.rows]
        named = t("words.comma").join(words)
        lines.append(t("report.group", group=group.name, goods=named) if group.name else named)
    return "\n".join(lines) or t("goods.none")


def _by_good(t: Texts, report: AwardReport, book: Any) -> None:
    head = [t("setup.group"), t("goods.good"), t("setup.unit"), t("demand.copies")]
    head += [t("report.holders"), t("report.left")]
    rows: list[list[object]] = []
    for row in report.goods:
        good = row.good
        holders = [*row.holders, *([(t("award.outside"), row.outside)] if row.outside else [])]
        words = t("words.comma").join(t("words.copies", n=n, good=name) for name, n in holders)
        nobody = words or t("report.nobody")
        rows.append([good.group, good.name, good.unit, good.capacity, nobody, row.left])
    add_sheet(book, t("report.by_good"), head, rows)


def _matrix(t: Texts, setup: Setup, report: AwardReport, book: Any) -> None:
    """Goods below each other, winners side by side."""
    columns = [GoodsColumn(line.name, line.bundle) for line in report.winners]
    head = [
        t("setup.group"),
        t("goods.good"),
        *(column.title for column in columns),
        t("goods.all"),
    ]
    rows: list[list[object]] = []
    for group in goods_groups(setup.market, columns):
        for row in group.rows:
            copies = [cell.copies or None for cell in row.cells]
            rows.append([group.name, row.good.name, *copies, row.copies])
    rows.append(["", t("goods.copies"), *(column.copies for column in columns)])
    pays = f"{t('result.outcome_pays')} ({setup.money.currency})"
    rows.append(["", pays, *(_amount(setup, line.payment) for line in report.winners)])
    add_sheet(book, t("result.outcome"), head, rows, setup.money.decimals, freeze="C2")


def _own(t: Texts, setup: Setup, report: AwardReport, own: AwardLine, book: Any) -> None:
    rows: list[list[object]] = [
        [t("result.gets"), every_good(t, setup, own)],
        [t("result.pays"), _amount(setup, own.payment)],
    ]
    if own.bid is not None:
        rows.append([t("result.bid"), _amount(setup, own.bid)])
    rows += [[label, _signed(setup, amount)] for label, amount in report.own_steps]
    rows.append([own.why])
    add_sheet(book, t("report.own"), [own.name, setup.money.currency], rows, setup.money.decimals)


def _signed(setup: Setup, amount: str) -> float:
    """A line of a sum, such as ``− 115.00 EUR``, as a number that can be added up."""
    units = setup.money.parse(amount.lstrip("+\u2212 "))
    return float(setup.money.decimal(-units if amount.startswith("\u2212") else units))
