"""What is sealed stays sealed in every export."""

import json

from live_play import market_text
from whole_auction import ZOE, bidder_of, open_desk, wait_until

from boca.live.auction import commands as cmd
from boca.live.auction.submission import Submission, ValueAnswer

# Values that occur nowhere else, so that finding one in a text means that it leaked.
ANNS, BENS = "77123.45", "88234.56"


def published(desk, publish):
    """An auction in which Ann and Ben reported one value each; its id and both receipts."""
    # With the sums behind a payment a winner would learn the others' values: the rules say so.
    text = market_text(
        publish=publish, num_initial=1, num_total=1, close_early=True, explain_payments=False
    )
    auction = desk.create(ZOE, text).result().auction
    links = [desk.invite(ZOE, auction, k, name).result() for k, name in enumerate(("ann", "ben"))]
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    for bidder, value in enumerate((ANNS, BENS)):
        answer = Submission((ValueAnswer(f"r0-b{bidder + 1}-q1", value),))
        desk.submit(bidder_of(auction, bidder), answer, "the-only-key").result()
    wait_until(desk, auction, "stopped")
    desk.command(ZOE, auction, cmd.Close()).result()
    wait_until(desk, auction, "decided")
    desk.command(ZOE, auction, cmd.Publish()).result()
    return auction, links


def units(value):
    return value.replace(".", "")


def test_exports_hold_what_their_reader_may_know(tmp_path):
    """Tests the values of both bidders in the logs of the public, of each bidder and in full."""
    desk = open_desk(tmp_path)
    for publish, public_sees in (("own", False), ("outcome", False), ("all", True)):
        auction, links = published(desk, publish)
        logs = {
            who: "".join(desk.log(reader, auction))
            for who, reader in (
                ("public", None),
                ("ann", bidder_of(auction, 0)),
                ("ben", bidder_of(auction, 1)),
                ("auctioneer", ZOE),
            )
        }
        assert units(ANNS) in logs["ann"]
        assert units(BENS) in logs["ben"]
        assert (units(BENS) in logs["public"]) == public_sees
        assert (units(BENS) in logs["ann"]) == (publish == "all")
        assert (units(ANNS) in logs["public"]) == public_sees
        assert units(ANNS) in logs["auctioneer"]
        for text in logs.values():
            assert all(link.token not in text for link in links)
            assert desk.key.private_hex() not in text
    desk.close()


def test_before_publication_only_kinds_and_seals_are_known_to_the_auditor_alone(tmp_path):
    """Tests that views of one bidder never hold the other's value, in any phase."""
    desk = open_desk(tmp_path)
    auction = desk.create(ZOE, market_text(num_initial=1, num_total=1)).result().auction
    for bidder, name in enumerate(("ann", "ben")):
        desk.invite(ZOE, auction, bidder, name).result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    ann, ben = bidder_of(auction, 0), bidder_of(auction, 1)
    receipt = desk.submit(
        ben, Submission((ValueAnswer("r0-b2-q1", BENS),)), "bens-only-key"
    ).result()
    assert units(BENS) in json.dumps(receipt.content)
    for view in (desk.bidder(ann), desk.setup(ann, auction), desk.public(auction, ann)):
        assert units(BENS) not in repr(view)
        assert receipt.hash not in repr(view)
    desk.close()
