import Testing

/// That each way of Prosody 0.12 and ejabberd 23.01 that a client can stumble over in sessions,
/// archives, PEP and after a kill has a test (server-quirks.md).
@Suite struct TrapCoverageTests {
  /// One trap, and the tests that step on it.
  struct Trap: Sendable, CustomTestStringConvertible {
    /// The section of the trap: 4 sessions, 5 archives, 7 publishing, 12 kills.
    let section: Int
    let text: String
    let tests: [String]

    init(_ section: Int, _ text: String, _ tests: String...) {
      (self.section, self.text, self.tests) = (section, text, tests)
    }

    var testDescription: String { "FACTS.md \(section): \(text)" }
  }

  static let traps = sessions + archives + publishing + kills

  private static let sessions = [
    Trap(
      4, "a session that is gone is refused without h: what arrived has to be looked for",
      "failed: a new session is bound, and the server's count is honoured",
      "after a session that was lost, what the archive has is sent and not written again"),
    Trap(
      4, "after the timeout it is refused with h, once",
      "the acks of a refused resumption are reported before the old session ends"),
    Trap(
      4, "too many unacknowledged, or too high an h: the stream ends without a word",
      "a resumption that the server answers by ending the stream is not tried again"),
    Trap(
      4, "an h that is too high, from either side, is an error",
      "a server that has more than was sent is not trusted",
      "more than was sent cannot be acknowledged", "more than there was cannot be handled"),
    Trap(
      4, "an <r/> that is not answered ends the connection: it is, at once, with what is committed",
      "the server hears of a stanza when it is handled, and not before",
      "h counts a stanza only when each consumer has committed what it carries"),
    Trap(
      4, "results of an archive are counted, too",
      "what an archive sends is counted like everything else"),
    Trap(
      4, "after <resumed/> all that was not acknowledged comes again, with a delay",
      "after a resumption all that was not acknowledged comes again: stored once, at its time",
      "what waited for a connection stands between what came over the one before and what comes"
        + " live"),
    Trap(
      4, "a session that is never resumed: what came for it is in the archive only",
      "what was lost when the session began is there some seconds later, as news",
      "catch-up reads on from the last known message to the newest, each once"),
    Trap(
      4,
      "what is to be delivered while a session is handed over is lost, or comes in another order",
      "what was lost when a session went on over another connection",
      "messages delivered in another order are put in the archive's order"),
    Trap(
      4, "the sender gets an error for what another client of the recipient has",
      "an error about one dead device of the recipient is no failure"),
    Trap(
      4, "more than 500 unacknowledged: the sender gets an error for each",
      "one error for each of hundreds that a dead device had is no failure of any"),
    Trap(
      4, "the old connection is still open: it is closed, or told of a conflict",
      "what the server says of the connection that was given up is nothing to the next one",
      "a session that another connection has taken is reported, and not fought over",
      "the session goes on while the server still takes the old connection for open"),
    Trap(
      4, "the same resource again: the old session's messages come to the new one",
      "a new session takes the name of the one before, which ends what is left of that",
      "the same resource again: what the old session had comes to the new one, each message once"),
    Trap(
      4, "a clean end of the stream over unacknowledged messages: they come at the next login",
      "a stream that was closed over unacknowledged messages: they come at the next login, once"),
    Trap(
      4, "without stream management what went into a dead connection is in the archive only",
      "without stream management what went into a dead connection is read from the archive",
      "without stream management what went into a dead connection is looked for, then sent",
      "where the server does not count, its answer to a ping does",
      "a beat of the heart is a ping where the server does not count"),
  ]

  private static let archives = [
    Trap(
      5, "a field that is not known is ignored, or refused: a search would bring every message",
      "an archive that does not announce all of it is not asked",
      "only results that match here are listed"),
    Trap(
      5, "an id that is not known is refused, or ignored: the first page comes again, or the last",
      "an id that the server does not know is replaced by its time, and nothing is doubled",
      "an id that is gone from the archive is replaced by its time",
      "a server that gives the same page again ends the search"),
    Trap(
      5, "complete is missing, false, or wrong where max is 0",
      "complete is true, false or missing",
      "pages are never asked for flipped, empty, or from two sides: servers differ in what they"
        + " answer"),
    Trap(
      5, "a flipped page's ends are swapped",
      "pages are never asked for flipped, empty, or from two sides: servers differ in what they"
        + " answer"),
    Trap(
      5, "pages are shorter than asked for, silently",
      "interrupted between two pages, the next login goes on where it stopped",
      "the archive is looked through page by page as far as needed, and only that peer's"),
    Trap(
      5, "times are whole seconds: many messages have one",
      "messages of one second keep the archive's order",
      "messages of one second keep the archive's order across a hole",
      "an id that is gone, and many messages in its second: none is passed over"),
    Trap(
      5, "an empty page, after the last or before the first, is complete and names neither",
      "an empty page names neither first nor last, and is complete",
      "an empty page is an end, before the first and after the last, and moves nothing"),
    Trap(
      5, "a full address is taken for the bare one, or finds that resource alone",
      "private words are found by a full address, taken for all of the room's or for one"
        + " occupant's"),
    Trap(
      5, "an id of another conversation works, by position or by time",
      "the id of another conversation's message is a position in this one, too"),
    Trap(
      5, "a query to somebody else's address is answered with one's own archive",
      "who answers for others with one's own archive is not believed, and people not asked",
      "a room's archive speaks for no one outside the room"),
    Trap(
      5, "results come without a sender, or from the own address",
      "a page holds what the archive sent for this query, and no one else sees it"),
    Trap(
      5, "a time without a zone is refused", "times are asked for with a time zone"),
    Trap(
      5, "a field that is not known is refused",
      "no field is asked for that every server knows not"),
    Trap(
      5, "a room's archive finds nothing by an address, or does not look at it",
      "resend never duplicates in rooms: the room's archive is asked, by no address",
      "the past of private messages is in the account's archive, not in the room's"),
    Trap(
      5, "a room's archive has subjects without id and body, and addresses for moderators",
      "subjects without id and body, and notices to moderators, are no trouble"),
    Trap(
      5, "own messages come back without the archive's id",
      "a message that was typed meanwhile is where the archive has it",
      "a queued message that the archive has is sent"),
    Trap(
      5, "a message to oneself is there twice, with two ids",
      "a message to oneself, which archives hold twice, is stored once"),
    Trap(
      5, "what bounced is there, too",
      "a message that bounced stays failed, though the archive has it",
      "it is sent again though its copy is there, and looked for among the later ones",
      "a copy from before is none of what is sent again, whenever it is reported",
      "a message that came back and is tried again counts as sent when it is, not before"),
    Trap(
      5, "markers and receipts are not archived without a hint",
      "reading sends one marker to the sender and one position to the account",
      "receipts wait until the archive was caught up with, and for the next session"),
    Trap(
      5, "reactions, retractions and the like are not archived without a hint",
      "a reaction and a retraction go their message's way, with a fallback for old clients"),
    Trap(
      5, "there is none, or it is not the account's",
      "a server without an archive is no error", "a room without an archive is no error"),
  ]

  private static let publishing = [
    Trap(
      7, "publish-options that are not known are refused, and nothing is stored",
      "a bookmark is published privately, in a node that is made first",
      "an item is published as private, with options that every server knows"),
    Trap(
      7, "without options everybody may read",
      "bookmarks that others may read are closed to them, and then published",
      "a node that others may read is closed first"),
    Trap(
      7, "bookmarks are kept in two or three places, or in the old one alone",
      "bookmarked rooms are joined; older bookmarks count where there are no newer ones"),
    Trap(
      7, "one change is told twice, in two forms",
      "a bookmark that is sent twice, in two forms, is entered once; taken out, it is left"),
    Trap(
      7, "each notification comes twice, the second time with addresses and unasked",
      "command that ejabberd sends twice, the second time with addresses: it is applied once",
      "notifications that a server sends twice are applied once"),
    Trap(
      7, "read positions are not told at login",
      "groupList empty? no: unread counts are what came after the read position",
      "two Natters of one account share read positions, also after an absence"),
    Trap(
      7, "no access is said in two ways",
      "a node that is closed to this client is left alone, and markers go all the same"),
    Trap(
      7, "there is no such node: item-not-found, where others say service-unavailable",
      "reading sends one marker to the sender and one position to the account",
      "a bookmark is published privately, in a node that is made first",
      "a server without such a node is asked once"),
    Trap(
      7, "there is no such item: an empty result",
      "a node without positions says nothing, and is not made again"),
    Trap(
      7, "private storage is replaced as a whole",
      "private storage is replaced as a whole: what other clients keep there stays",
      "two bookmarks that go into private storage at once are both there"),
    Trap(
      7, "a node keeps 256 items at most",
      "a bookmark that the server keeps no more is no retraction: 256 are all that one keeps"),
    Trap(
      7,
      "a node that another client made tells nobody what is taken out, and nobody hears what was while he was away",
      "a node that another client made without options is set up like an own one before it is used",
      "a bookmark that another client took out meanwhile is missed: the room is left for good",
      "a bookmark that is not there for another reason takes no one out of a room",
      "a bookmark that another client takes out while Natter is away: its room is left for good"),
    Trap(
      7, "an older client looks for the picture in the card of old",
      "a published picture is also in the older vCard, where older clients look"),
    Trap(
      7, "a card is told in one of two ways",
      "a field is changed, and a contact's client reads it"),
  ]

  private static let kills = [
    Trap(
      12, "the session is gone, and nothing says what arrived",
      "what is written while the server is away goes out once when it is back",
      "every message is stored once and none is lost, whatever breaks on the way"),
    Trap(
      12, "after a clean stop one server tells how far it had got, the other one nothing",
      "after a clean stop what the server had is sent, and the rest is written again",
      "stopped in order over what was under way, the server has each message once"),
    Trap(
      12, "what was published a moment before is gone: bookmarks, read positions, cards",
      "killed, the server has lost what was published: other clients find it there again",
      "bookmarks that a server has lost take no one out of a room, and are put back there",
      "what was published just now and a killed server has lost is put back there",
      "a node that the server has lost leaves read what was read, and is made again",
      "a card that the server has lost is seen to be lost, and made again by the next change"),
    Trap(
      12, "what waited for a client is gone, but for the archive",
      "every message is stored once and none is lost, whatever breaks on the way",
      "what is said while Natter is away is there once after it is back"),
    Trap(
      12, "nobody is in a room any more",
      "a room had forgotten this client: what was said meanwhile is there once, in order",
      "killed, the server has forgotten what it had: Natter is in its room again, with what was"
        + " said"),
    Trap(
      12, "roster, bookmarks and new rooms are gone",
      "a full roster replaces the stored one and says what changed",
      "killed, the server has forgotten what it had: Natter is in its room again, with what was"
        + " said"),
    Trap(
      12, "a token is gone before its time",
      "what the server refuses is renewed once, whatever the clock says"),
  ]

  @Test(arguments: traps)
  func `every trap names tests that are there`(trap: Trap) throws {
    #expect(!trap.tests.isEmpty)
    let missing = Set(trap.tests).subtracting(try Checkout.testNames.get())
    #expect(missing.isEmpty, "\(trap.testDescription): \(missing.sorted())")
  }

  @Test func `no trap is listed twice`() {
    let all = Self.traps.map(\.testDescription)
    #expect(Set(all).count == all.count)
  }
}
