"""Why an auction ended as it did: for one bidder, and for those who see everything."""

from boca.core.market import Market
from boca.live.auction.choices import cost
from boca.live.auction.events import AwardTerm, Bundle, TradeTerm
from boca.live.auction.views import AuctionProgress, OutcomeRow, ResultView, Setup
from boca.live.web.texts import Texts


def why_words(t: Texts, result: ResultView) -> str:
    """Why it ended so for a bidder, in sentences."""
    reasons = result.reasons
    if result.setup.kind == "exchange":
        return f"{moves_words(t, result)} {t.say(reasons)}"
    if result.setup.rules.payment_rule == "core":
        # The last sentence says it all, the sums before it are only a part.
        reasons = reasons[-1:]
    if result.best is None or any(result.bundle):
        return t.say(reasons)
    best, units = result.best
    bundle = t.bundle(best, result.setup.market)
    return t(reasons[0].key, value=result.setup.money.show(units), bundle=bundle)


def moves_words(t: Texts, result: ResultView) -> str:
    """What a participant gives, gets, and pays or receives, in a sentence."""
    market, show = result.setup.market, result.setup.money.show
    held = result.held or (0,) * market.num_goods
    if not result.wins:
        return t("trade.keeps", held=t.bundle(held, market))
    moves = _moves(t, "", held, result.bundle, market)
    payment = result.payment
    key = "pays" if payment > 0 else "receives" if payment < 0 else "even"
    return t(f"trade.{key}", moves=moves, amount=show(abs(payment)))


def _moves(t: Texts, suffix: str, held: Bundle, bundle: Bundle, market: Market) -> str:
    """What changes hands: ``suffix`` chooses between a sentence and a few words."""
    pairs = list(zip(held, bundle, strict=True))
    gives, gets = [max(a - b, 0) for a, b in pairs], [max(b - a, 0) for a, b in pairs]
    key = "gives_gets" if any(gives) and any(gets) else "gives" if any(gives) else "gets"
    words = {"gives": t.bundle(gives, market), "gets": t.bundle(gets, market)}
    return t(f"trade.{key}{suffix}", **words)


def payment_steps(t: Texts, result: ResultView) -> list[tuple[str, str]]:
    """The sum behind a VCG payment, label and amount by line; empty where the rules keep it."""
    if result.setup.kind != "sell":
        return _award_steps(t, result) if result.setup.kind == "buy" else _trade_steps(t, result)
    vcg = [s for s in result.reasons if s.key in ("result.vcg", "result.vcg-reserve")]
    if not vcg or result.setup.rules.payment_rule == "core":
        return []
    sums = vcg[0].gaps
    steps = [
        (t("result.step_without"), sums["without"]),
        (t("result.step_with"), f"\u2212 {sums['with']}"),
    ]
    if vcg[0].key == "result.vcg-reserve":
        steps.append((t("result.step_reserve"), f"+ {sums['reserve']}"))
    return [*steps, (t("result.step_pays"), sums["payment"])]


def _award_steps(t: Texts, result: ResultView) -> list[tuple[str, str]]:
    """Offer, what is paid on top, and what is not."""
    told = [s for s in result.reasons if s.key in ("award.vcg", "award.vcg-capped", "award.core")]
    if not told:
        return []
    sums, show = told[0].gaps, result.setup.money.show
    steps = [(t("award.step_offer"), sums["offer"]), (t("award.step_more"), f"+ {sums['more']}")]
    if result.less:
        steps.append((t("award.step_less"), f"\u2212 {show(result.less)}"))
    return [*steps, (t("result.step_pays"), sums["payment"])]


def _trade_steps(t: Texts, result: ResultView) -> list[tuple[str, str]]:
    """The value afterwards, less the one before and what is kept; turned round for who receives."""
    told = [s for s in result.reasons if s.key == "trade.why"]
    if not told:
        return []
    sums, show = told[0].gaps, result.setup.money.show
    value, keeps = t("trade.step_value"), t("trade.step_keeps")
    kept, amount = t("trade.step_kept"), show(abs(result.payment))
    if result.payment < 0:
        return [
            (keeps, sums["keeps"]),
            (value, f"\u2212 {sums['value']}"),
            (kept, f"+ {sums['kept']}"),
            (t("trade.receive"), amount),
        ]
    return [
        (value, sums["value"]),
        (keeps, f"\u2212 {sums['keeps']}"),
        (kept, f"\u2212 {sums['kept']}"),
        (t("result.step_pays"), amount),
    ]


def why_settled(t: Texts, view: AuctionProgress, row: OutcomeRow) -> str:
    """The sum behind a bidder's payment, for the staff; empty for whoever receives nothing."""
    why, rules, figures = row.why, view.setup.rules, view.setup.money.figures
    if view.setup.kind == "buy" and any(row.bundle) and why is None:
        return t("award.why_offered")
    if isinstance(why, AwardTerm):
        return _award_settled(t, view, row, why)
    if isinstance(why, TradeTerm):
        return _trade_settled(t, view, row, why)
    if why is None:
        return ""
    key = "core" if rules.payment_rule == "core" else "vcg"
    key += "_reserve" if rules.reserve else ""
    gaps = {
        "without": figures(why.others_without),
        "with": figures(why.others_with),
        "vcg": figures(why.others_without - why.others_with + why.reserve),
        "reserve": figures(why.reserve),
        "payment": figures(row.payment),
    }
    return t(f"outcome.why_{key}", **gaps)


def _award_settled(t: Texts, view: AuctionProgress, row: OutcomeRow, why: AwardTerm) -> str:
    rules, market, figures = view.setup.rules, view.setup.market, view.setup.money.figures
    total = view.total or 0
    prices = [units or 0 for units in rules.at_most_units(market)]
    is_less = row.payment < why.offer + why.cost_without - total
    key = "core" if rules.payment_rule == "core" else "vcg_capped"
    return t(
        f"award.why_{key if is_less else 'vcg'}",
        offer=figures(why.offer),
        without=figures(why.cost_without),
        cost=figures(total),
        most=figures(cost(row.bundle, prices)),
        payment=figures(row.payment),
    )


def _trade_settled(t: Texts, view: AuctionProgress, row: OutcomeRow, why: TradeTerm) -> str:
    market, figures = view.setup.market, view.setup.money.figures
    held = tuple(market.endowments[row.bidder].tolist())
    moves = _moves(t, "_short", held, row.bundle, market)
    return t(
        "trade.why_settled",
        # Names of goods stay as they are, so only the first letter is made large.
        moves=moves[:1].upper() + moves[1:],
        value=figures(why.value),
        keeps=figures(why.keeps),
        without=figures(why.gain_without),
        gain=figures(view.total or 0),
        kept=figures(why.value - why.keeps - row.payment),
    )


def rule_line(t: Texts, setup: Setup) -> str:
    """How payments were computed, in a line."""
    room = {"sell": "outcome", "buy": "award", "exchange": "trade"}[setup.kind]
    return t(f"{room}.rule_{setup.rules.payment_rule}")


def checks(t: Texts, view: AuctionProgress) -> list[str]:
    """
    What was checked before the outcome was written to the log.

    The sentences hold for every outcome that is there: :mod:`boca.live.auction.job_results`
    refuses any other.
    """
    if not view.outcome:
        return []
    rule = view.setup.rules.payment_rule
    if view.setup.kind == "buy":
        keys = ["outcome.check_feasible", "outcome.check_reported"]
        keys.append("award.check_offered" if rule == "offered" else f"outcome.check_{rule}")
    elif view.setup.kind == "exchange":
        keys = ["outcome.check_feasible", "outcome.check_reported", "trade.check_rule"]
        keys += [] if rule == "vcg" else ["trade.check_balance"]
    else:
        keys = [f"outcome.check_{name}" for name in ("feasible", "reported", rule, "between")]
    sentences = [t(key) for key in keys]
    if view.verified_by:
        sentences.append(t("outcome.check_solver", solver=view.verified_by))
    return sentences
