"""The award report as a PDF that prints well on A4."""

import importlib.util
import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from boca.live.auction.views import Setup
from boca.live.web.award.report import AwardLine, AwardReport
from boca.live.web.award.xlsx import every_good, remarks
from boca.live.web.texts import Texts

MARGIN = 54
# Millimetres are for printers; a point is 1/72 inch.
WIDTH = 595 - 2 * MARGIN


@cache
def fonts() -> tuple[str, str]:
    """
    Names of a plain and a bold font.

    DejaVu has Latin, Greek and Cyrillic letters. matplotlib, which is always installed, brings its
    files; without them the fonts that every PDF reader has are used, with Latin letters alone.
    """
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    spec = importlib.util.find_spec("matplotlib")
    folder = Path(spec.origin or "").parent / "mpl-data" / "fonts" / "ttf" if spec else Path()
    if not (folder / "DejaVuSans.ttf").exists():
        return "Helvetica", "Helvetica-Bold"
    pdfmetrics.registerFont(TTFont("DejaVu", folder / "DejaVuSans.ttf"))
    pdfmetrics.registerFont(TTFont("DejaVu-Bold", folder / "DejaVuSans-Bold.ttf"))
    return "DejaVu", "DejaVu-Bold"


class _Paper:
    """The parts of one document, in the order in which they are printed."""

    def __init__(self) -> None:
        from reportlab.lib.styles import ParagraphStyle

        self.plain, self.bold = fonts()
        self.text = ParagraphStyle(
            "text", fontName=self.plain, fontSize=9, leading=12, spaceAfter=4
        )
        self.small = ParagraphStyle("small", parent=self.text, fontSize=8, leading=10, spaceAfter=0)
        self.strong = ParagraphStyle("strong", parent=self.small, fontName=self.bold)
        self.amount = ParagraphStyle("amount", parent=self.small, alignment=2)
        self.strong_amount = ParagraphStyle("strong amount", parent=self.strong, alignment=2)
        self.head = ParagraphStyle(
            "head", parent=self.text, fontName=self.bold, fontSize=12, leading=15, spaceBefore=12
        )
        self.title = ParagraphStyle("title", parent=self.head, fontSize=16, leading=20)
        self.parts: list[Any] = []

    def say(self, text: str, style: Any = None) -> None:
        """A paragraph; what people wrote is never taken for markup."""
        self.parts.append(self.cell(text, style or self.text))

    def cell(self, text: str, style: Any) -> Any:
        from reportlab.platypus import Paragraph

        return Paragraph(escape(text).replace("\n", "<br/>"), style)

    def table(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        widths: Sequence[float],
        amounts: Sequence[int] = (),
    ) -> None:
        """
        A table whose heading is repeated on every page.

        Parameters
        ----------
        head, rows
            Texts; an empty head leaves the heading out.
        widths
            Shares of the page's width.
        amounts
            Columns that are aligned to the right.
        """
        from reportlab.lib import colors
        from reportlab.platypus import LongTable, TableStyle

        def style(k: int, is_strong: bool) -> Any:
            if k in amounts:
                return self.strong_amount if is_strong else self.amount
            return self.strong if is_strong else self.small

        def cells_of(row: Sequence[str], is_strong: bool) -> list[Any]:
            return [self.cell(text, style(k, is_strong)) for k, text in enumerate(row)]

        # A row with nothing but its first cell is a heading of those below it.
        cells = [cells_of(row, len(row) > 1 and not any(row[1:])) for row in rows]
        if head:
            cells.insert(0, cells_of(head, True))
        table = LongTable(
            cells,
            colWidths=[WIDTH * share / sum(widths) for share in widths],
            repeatRows=1 if head else 0,
            splitInRow=1,  # a remark or a list of goods may be longer than a page
        )
        lines = [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LINEBELOW", (0, 0), (-1, -1), 0.25, colors.lightgrey),
            ("TOPPADDING", (0, 0), (-1, -1), 2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
        ]
        if head:
            lines.append(("LINEBELOW", (0, 0), (-1, 0), 0.75, colors.black))
        table.setStyle(TableStyle(lines))
        self.parts.append(table)

    def print(self, title: str, page: str) -> bytes:
        """The document; ``page`` is how pages are numbered, with a gap ``n``."""
        from reportlab.platypus import SimpleDocTemplate

        file = io.BytesIO()
        document = SimpleDocTemplate(
            file,
            pagesize=(595, 842),
            leftMargin=MARGIN,
            rightMargin=MARGIN,
            topMargin=MARGIN,
            bottomMargin=MARGIN,
            title=title,
            author="boca",
            invariant=1,  # the same report is the same file
        )

        def foot(canvas: Any, _: Any) -> None:
            canvas.setFont(self.plain, 8)
            canvas.drawString(MARGIN, MARGIN / 2, title[:90])
            number = page.format(n=canvas.getPageNumber())
            canvas.drawRightString(595 - MARGIN, MARGIN / 2, number)

        document.build(self.parts, onFirstPage=foot, onLaterPages=foot)
        return file.getvalue()


def to_pdf(t: Texts, setup: Setup, report: AwardReport) -> bytes:
    """The report on paper."""
    paper, show = _Paper(), setup.money.show
    paper.say(report.title, paper.title)
    for sentence in report.lead:
        paper.say(sentence)
    paper.table((), report.facts, (1, 2))
    if report.own is not None:
        _own(t, setup, report, report.own, paper)
    if report.lines:
        paper.say(t("report.by_bidder"), paper.head)
        _by_bidder(t, setup, report, paper)
        paper.say(t("report.by_good"), paper.head)
        _by_good(t, report, paper)
    paper.say(t("report.payments"), paper.head)
    paper.say(report.rule)
    explained = [line for line in report.winners if line.why]
    if explained:
        rows = [(line.name, line.why, show(line.payment)) for line in explained]
        paper.table((), rows, (2, 5, 2), amounts=(2,))
    if report.checks or report.proofs:
        paper.say(t("report.proofs"), paper.head)
        for sentence in report.checks:
            paper.say(sentence)
        head = (t("proofs.check"), t("proofs.what"), t("proofs.result"))
        if report.proofs:
            paper.table(head, report.proofs, (1, 7, 2))
    paper.say(t("report.protocol"), paper.head)
    head4 = (t("report.number"), t("report.at"), t("report.what"), t("report.who"))
    protocol = [(str(line.number), line.at, line.what, line.who) for line in report.protocol]
    paper.table(head4, protocol, (1.1, 6.3, 6.6, 3))
    for sentence in remarks(t, report):
        paper.say(sentence)
    paper.say(t("report.fingerprints"), paper.head)
    for row in report.fingerprints:
        paper.say(f"{row.name}: {row.value}", paper.strong)
        paper.say(row.use)
    return paper.print(report.title, t.sentences["report.page"])


def _own(t: Texts, setup: Setup, report: AwardReport, own: AwardLine, paper: _Paper) -> None:
    paper.say(t("report.own"), paper.head)
    pays = t("trade.receive" if own.payment < 0 else "result.pays")
    rows = [
        (t("result.gets"), every_good(t, setup, own)),
        (pays, setup.money.show(abs(own.payment))),
    ]
    if own.bid is not None:
        rows.append((t("result.bid"), setup.money.show(own.bid)))
    paper.table((), rows, (1, 2))
    paper.say(own.why)
    if report.own_steps:
        paper.table((), report.own_steps, (2, 1), amounts=(1,))


def _by_bidder(t: Texts, setup: Setup, report: AwardReport, paper: _Paper) -> None:
    show = setup.money.show
    has_bids = any(line.bid is not None for line in report.lines)
    head = [t("result.outcome_bidder"), t("result.outcome_bundle")]
    head += [t("outcome.value")] if has_bids else []
    head.append(t("result.outcome_pays"))
    rows = []
    for line in report.winners:
        bid = [] if not has_bids else ["" if line.bid is None else show(line.bid)]
        rows.append([line.name, every_good(t, setup, line), *bid, show(line.payment)])
    widths = (3, 6, 3, 3) if has_bids else (3, 7, 3)
    paper.table(head, rows, widths, amounts=(2, 3) if has_bids else (2,))
    if report.losers:
        names = t.listing(line.name for line in report.losers)
        paper.say(f"{t.count('report.losers', len(report.losers))} {names}.")


def _by_good(t: Texts, report: AwardReport, paper: _Paper) -> None:
    rows: list[tuple[str, ...]] = []
    has_groups = any(row.good.group for row in report.goods)
    group: str | None = None
    for row in report.goods:
        good = row.good
        if has_groups and good.group != group:
            group = good.group
            rows.append((group or t("goods.other"), "", "", ""))
        name = f"{row.name}, {good.unit}" if good.unit else row.name
        holders = [*row.holders, *([(t("award.outside"), row.outside)] if row.outside else [])]
        words = t("words.comma").join(t("words.copies", n=n, good=who) for who, n in holders)
        rows.append((name, str(good.capacity), words or t("report.nobody"), str(row.left or "")))
    head = (t("goods.good"), t("demand.copies"), t("report.holders"), t("report.left"))
    paper.table(head, rows, (4, 1.6, 6, 2), amounts=(1, 3))
