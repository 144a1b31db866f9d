"""Why an auction ended as it did: for one bidder, and for those who see everything."""

from boca.live.auction.views import AuctionProgress, OutcomeRow, ResultView
from boca.live.web.texts import Texts


def why_words(t: Texts, result: ResultView) -> str:
    """Why it ended so for a bidder, in sentences."""
    reasons = result.reasons
    if result.setup.rules.payment_rule == "core":
        # The last sentence says it all, the sums before it are only a part.
        reasons = reasons[-1:]
    if result.best is None or any(result.bundle):
        return t.say(reasons)
    best, units = result.best
    bundle = t.bundle(best, result.setup.market)
    return t(reasons[0].key, value=result.setup.money.show(units), bundle=bundle)


def payment_steps(t: Texts, result: ResultView) -> list[tuple[str, str]]:
    """The sum behind a VCG payment, label and amount by line; empty where the rules keep it."""
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


def why_settled(t: Texts, view: AuctionProgress, row: OutcomeRow) -> str:
    """The sum behind a bidder's payment, for the staff; empty for whoever receives nothing."""
    why = row.why
    if why is None:
        return ""
    rules, figures = view.setup.rules, view.setup.money.figures
    key = "vcg_reserve" if rules.reserve else "vcg"
    gaps = {
        "without": figures(why.others_without),
        "with": figures(why.others_with),
        "vcg": figures(why.others_without - why.others_with + why.reserve),
        "reserve": figures(why.reserve),
        "payment": figures(row.payment),
    }
    return t(f"outcome.why_{'core' if rules.payment_rule == 'core' else key}", **gaps)


def checks(t: Texts, view: AuctionProgress) -> list[str]:
    """
    What was checked before the outcome was written to the log.

    The sentences hold for every outcome that is there: :mod:`boca.live.auction.job_results`
    refuses any other.
    """
    if not view.outcome:
        return []
    names = ("feasible", "reported", view.setup.rules.payment_rule, "between")
    sentences = [t(f"outcome.check_{name}") for name in names]
    if view.verified_by:
        sentences.append(t("outcome.check_solver", solver=view.verified_by))
    return sentences
