import Foundation
import Testing

/// That the flows' branches are all proved: start-up, long connection, data sync, sending,
/// receiving, storage, modules, shell.
@Suite struct FlowCoverageTests {
  /// One branch of a flow, and the tests that prove it.
  struct Branch: Sendable, CustomTestStringConvertible {
    let flow: String
    let text: String
    let tests: [String]

    init(_ flow: String, _ text: String, _ tests: String...) {
      (self.flow, self.text, self.tests) = (flow, text, tests)
    }

    var testDescription: String { "\(flow): \(text)" }
  }

  static let branches =
    startUp + longConnection + dataSync + sending + receiving + storage + modules + shell

  private static let longConnection = [
    Branch(
      "long connection", "TCP login ok? yes: start heartbeat",
      "TCP login ok: yes, start heartbeat"),
    Branch(
      "long connection", "TCP login ok? no: reconnect, ok? yes: start heartbeat",
      "TCP login ok: no, reconnect, ok: yes, start heartbeat"),
    Branch(
      "long connection", "reconnect ok? no: notify the user, and keep trying, slower",
      "reconnect ok: no, notify the user that it cannot connect and keep trying, slower"),
    Branch(
      "long connection", "heartbeat sent and answered? yes: next beat",
      "heartbeat sent and answered: yes, next beat"),
    Branch(
      "long connection", "heartbeat answered? no: send again, failures > limit? no: next beat",
      "heartbeat sent and answered: no, send again, failures > limit: no, next beat"),
    Branch(
      "long connection", "failures > limit? yes: drop the connection, reconnect",
      "heartbeat answered: no, failures > limit: yes, drop the connection and reconnect"),
    Branch(
      "long connection", "a beat at once after a resume from suspend or a network change",
      "a heartbeat at once after a resume from suspend or a network change",
      "a network change while it waits: the next attempt at once"),
    Branch(
      "long connection",
      "at once, then after 0.3 s, doubling with jitter up to 60 s, ten in the first minute at most",
      "a lost connection is tried again at once, then after 0.3 s and doubling, a line each",
      "at once, then after 0.3 s, and waits double up to a minute",
      "the jitter reaches down to half of a wait, never to nothing",
      "an outage of three seconds ends within a second and a half, and a minute has ten attempts"),
    Branch(
      "long connection", "from 1 s where nothing was ever connected",
      "where nothing was ever connected, the first wait is a second"),
    Branch("long connection", "connect now", "connect now ends the wait"),
    Branch(
      "long connection", "resumption first, including its location",
      "XEP-0198 location: the session is resumed there, or elsewhere when that is down",
      "a connection that breaks: the session goes on with the next one, where the server has it"),
    Branch(
      "long connection", "a new session when resumption fails",
      "the acks of a refused resumption are reported before the old session ends"),
    Branch(
      "long connection", "see-other-host honoured",
      "see-other-host honoured: the next attempt goes there, without a wait"),
    Branch(
      "long connection", "a rejected credential does not retry, it asks",
      "a rejected credential does not retry, it asks"),
    Branch(
      "long connection", "the user always sees the state, and why",
      "the user always sees the state: connecting, waiting and why, online, refused, offline",
      "TCP login ok: no, it waits and tries again, saying why",
      "go offline closes the session and stays offline"),
    Branch(
      "long connection", "by default every 60 s, with 15 s for the answer and 2 resends",
      "by default a beat a minute, 15 seconds for its answer, two more before the connection drops"),
  ]

  private static let dataSync = [
    Branch("data sync", "groupList empty? yes: done", "groupList empty? yes: done"),
    Branch(
      "data sync", "groupList empty? no: save states and unread counts",
      "groupList empty? no: states are saved, group info is refreshed, commands are applied",
      "groupList empty? no: unread counts are what came after the read position"),
    Branch(
      "data sync", "the roster, with roster versioning",
      "with versioning an empty answer keeps what is stored",
      "a full roster replaces the stored one and says what changed"),
    Branch(
      "data sync", "read positions",
      "groupList empty? no: unread counts are what came after the read position"),
    Branch(
      "data sync", "group info: what a room is, and what it can do",
      "entering asks what the room is, knocks, and reports that it is open"),
    Branch(
      "data sync", "group info: a contact's card",
      "the contact's card comes from the node, is kept, and is known at once next time",
      "without a node, or where it is closed, the card of old has to do"),
    Branch(
      "data sync", "command: nickname changed",
      "nickname changed: it is stored, and lists and chats are notified once"),
    Branch(
      "data sync", "refresh group info, save",
      "group info: who belongs to a room is stored, and what a room does not list stays",
      "group info: a contact who was never asked is asked once, and one who keeps it private no more",
      "group info: a contact whose server does not answer is asked again the next time"),
    Branch(
      "data sync", "bookmarks, and older ones as fallback",
      "data sync: bookmarks are a list of conversations, each once",
      "bookmarked rooms are joined; older bookmarks count where there are no newer ones"),
    Branch(
      "data sync", "cmdList: apply each command locally",
      "each command kind has its way to the handler that a module registered",
      "command that fails: it stays on the list and is applied at the next sync"),
    Branch(
      "data sync", "command: contact request",
      "a request is announced once and forgotten when answered"),
    Branch(
      "data sync", "command: room invitation",
      "an invitation is there after a new start, until it is answered"),
    Branch(
      "data sync", "command: removed from a room",
      "command removed from a room: the database knows that the user is outside",
      "who was banned or removed while away is told at the next start, stays out, and has what was said"
    ),
    Branch(
      "data sync", "command: banned from a room",
      "command banned from a room: nothing sends the user back in, also not the bookmark",
      "who was banned or removed while away is told at the next start, stays out, and has what was said"
    ),
    Branch(
      "data sync", "command: the room destroyed", "a destroyed room says where the people went",
      "a room that was ended while Natter was away is reported, and not made anew"),
    Branch(
      "data sync", "command: avatar changed",
      "avatar changed: its id is stored, and what is none is not"),
    Branch(
      "data sync", "command: block list changed",
      "block list changed: the list is read at login, and each push changes it"),
    Branch(
      "data sync", "command: room renamed",
      "command room renamed: what the room is now is asked for, and its name is shown"),
    Branch(
      "data sync", "command: scheduled events changed",
      "a contact's event arrives by itself, is answered, and disappears when deleted"),
    Branch(
      "data sync", "an unknown command is logged and skipped",
      "an unknown command is logged and skipped"),
    Branch(
      "data sync", "group info: the room's name, and what it can do, are kept",
      "group info: the room's name is kept in its conversation, and its features are known"),
    Branch(
      "data sync", "group info: the room's description and picture",
      "group info: the room's description is kept, reported, and known at the next start",
      "group info: the room's picture is the one in its own presence"),
    Branch(
      "data sync", "the newest archive message of each conversation",
      "a contact who wrote before the newest page is on the list, and asked for once",
      "who wrote before all the others is in the list with what was said, be it a contact or not",
      "catch-up reads on from the last known message to the newest, each once"),
    Branch(
      "data sync", "shows progress",
      "progress is reported from the list to the last command, and goes",
      "refreshing that takes its time is shown with how far it is, and a quick one is not"),
    Branch(
      "data sync", "saves in batches",
      "saves in batches: all that the lists hold is stored, and reported, at once"),
    Branch(
      "data sync", "requests in parallel", "requests run in parallel, and not all at once"),
    Branch(
      "data sync", "can be cancelled", "cancelled, it stops; what is stored by then stays",
      "the user stops it, and has it begin anew",
      "refreshing is asked for, and stopped, by a typed command"),
    Branch("data sync", "idempotent", "twice is as good as once"),
  ]

  private static let sending = [
    Branch(
      "sending", "file? yes, server has it? yes: build message",
      "server has it? yes: its address is used and nothing is put; no: it is put again"),
    Branch(
      "sending", "server has it: its address still answers HEAD with the same size",
      "server has it? only where its address still answers with the same size"),
    Branch(
      "sending", "server has it? no: temporary message",
      "an upload that breaks off is tried with another slot, waits, and outlives the program"),
    Branch(
      "sending", "server has it? no: upload, get file key, build message",
      "a file is uploaded and then offered, with everything known about it"),
    Branch(
      "sending", "file? no: build message (body + unique id)",
      "connected: the stanza carries the body, its id as origin-id, and asks for a receipt"),
    Branch(
      "sending", "save to database, then show and send",
      "save to database, then show and send: not a byte goes before it is there"),
    Branch(
      "sending", "connected, acknowledged? yes: sent",
      "acknowledged: yes, the message becomes sent",
      "what the room sends back is the acknowledgement, and nothing else is"),
    Branch(
      "sending", "acknowledged: delivered",
      "acknowledged: delivered, by the recipient's receipt, and the screen hears of it"),
    Branch(
      "sending", "acknowledged: read",
      "acknowledged: read, by the recipient's marker, whatever road it takes"),
    Branch(
      "sending", "acknowledged? no: mark failed on screen, offer retry",
      "connected, acknowledged: no, it is failed after a while; retry looks in the archive first",
      "retry sends the failed ones again"),
    Branch(
      "sending", "connected? no, timed out? no: sent by itself after reconnecting",
      "not connected: it is sent by itself after reconnecting, in order, with its own time",
      "timed out: no, it waits"),
    Branch(
      "sending", "timed out? yes: mark failed on screen, offer retry",
      "timed out: yes, it is failed on the screen and not sent by itself",
      "timed out, retry: its time begins anew, and it goes out under the same id",
      "timed out, cancel: it is gone"),
    Branch(
      "sending", "resend never duplicates",
      "after a session that was lost, what the archive has is sent and not written again",
      "resend never duplicates in rooms: the room's archive is asked, by no address"),
    Branch(
      "sending", "nothing typed is lost, not by a crash, not by a kill",
      "what the screen showed before kill -9 is there at the next start",
      "what is typed while the server is down waits, survives a restart and is sent once"),
  ]

  private static let receiving = [
    Branch(
      "opening", "hole inside the newest page? yes: repull, save, show",
      "newest page, hole inside it? yes: the line is shown and the hole repulled until it is gone"),
    Branch(
      "opening", "hole inside the newest page? no: show",
      "hole inside it? no: nothing is repulled"),
    Branch(
      "scrolling back", "got rows? yes, hole? yes: repull, show",
      "got rows? yes, hole? yes: it is repulled, and what is being read stays"),
    Branch(
      "scrolling back", "got rows? yes, hole? no: show",
      "got rows? yes, hole? no: they are shown, and no server is asked"),
    Branch(
      "scrolling back", "got rows? no, ever fetched anything? no: repull",
      "got rows? no: repull, once by itself and then with each page up",
      "ever fetched anything? no: the newest page comes, and nothing of it is unread"),
    Branch(
      "scrolling back", "beginning of the archive reached? yes: show it",
      "beginning of the archive reached? yes: that is shown, and no server is asked again"),
    Branch(
      "scrolling back", "beginning of the archive reached? no: repull",
      "beginning of the archive reached: no, each call brings a page until it is"),
    Branch(
      "scrolling back", "fetching the whole history: gap or beginning not reached? yes: repull",
      "all pages are fetched, and the end says how many messages there are",
      "a lost connection interrupts it, and the next one continues it"),
    Branch(
      "arriving", "command? yes: add to command list, run its handler",
      "command? yes: it is added to the command list, and its handler runs, once",
      "stanza -> command? yes: it is on the list before its handler runs, and stays there until"
        + " that went well"),
    Branch(
      "arriving", "about the conversation list itself? yes: refresh groupList",
      "about the conversation list itself? yes: the views of the list learn what changed",
      "a bookmark that is sent twice, in two forms, is entered once; taken out, it is left"),
    Branch(
      "arriving", "conversation known? no: refresh groupList (creates it)",
      "conversation known? no: the message creates it, and the list hears of it"),
    Branch(
      "arriving", "conversation known? yes: update, save, then update chat and list",
      "conversation known? yes: state and unread are saved, then chat and list are notified"),
    Branch(
      "arriving", "sound and notification",
      "the bell rings for what the user is not looking at, at most once a second",
      "a bell is held back while the archive is read, and rings for what stays unread"),
    Branch(
      "receiving", "ranges of the archive known to be complete",
      "ranges that touch are one; a range that begins the archive has nothing before it",
      "live messages make a range of their own until catch-up has met them"),
    Branch(
      "receiving", "a page never shows two ranges joined as if nothing were missing",
      "offline the line stays between the two, and Enter or the connection loads what is missing",
      "how many are missing is shown where it is known"),
    Branch(
      "receiving", "acknowledged to the server only after it is committed",
      "h counts a stanza only when each consumer has committed what it carries",
      "what a room or another client did is handled only once it is stored"),
    Branch(
      "receiving", "the same message by several roads is stored once",
      "live, copy, archive and resend in any order store each message once",
      "said, repeated on entering, and archived: stored once"),
  ]

  private static let storage = [
    Branch(
      "storage", "one SQLite file per account (WAL)",
      "an account's database is one file, written through a log of its own",
      "a file's name is safe and distinguishes accounts"),
    Branch(
      "storage", "accounts",
      "accounts are kept in their order, private, and replaced by address"),
    Branch("storage", "conversations", "opening makes it once and shows it again"),
    Branch(
      "storage", "messages", "what was stored is there after opening again",
      "any order of any repetitions stores the same set"),
    Branch(
      "storage", "avatars", "avatar changed: its id is stored, and what is none is not",
      "the contact's picture is fetched when it is the one that was announced"),
    Branch(
      "storage", "messages with full-text index", "the search index follows the messages"),
    Branch(
      "storage", "members",
      "group info: who belongs to a room is stored, and what a room does not list stays"),
    Branch(
      "storage", "archive ranges",
      "cut at any request, the database knows what it lacks, and the next sessions bring it",
      "a fresh profile, killed while it fetches for the first time, knows what it lacks, and gets it"
    ),
    Branch("storage", "outbox", "the outbox keeps the order of typing"),
    Branch(
      "storage", "commands", "command that cannot be stored: it is handled only once it is"),
    Branch("storage", "files", "all that is known of a transfer comes back"),
    Branch("storage", "contacts", "a push changes one contact and the version"),
    Branch("storage", "drafts", "a draft is kept until it is emptied"),
    Branch("storage", "settings", "a setting is kept, replaced and taken out"),
    Branch(
      "storage", "migrations tested from every released version",
      "each schema has its file to be tested from",
      "every old file becomes what a new one is, with all it held"),
    Branch(
      "storage", "a damaged file is never overwritten: error, way out",
      "a damaged file is left as it is, and can be set aside",
      "a damaged database is left as it is, or set aside when asked"),
    Branch(
      "storage", "a newer file is never overwritten",
      "a newer file is left as it is", "a database of a newer version is left as it is"),
    Branch(
      "storage", "a file of a development build, or of another program, is never overwritten",
      "a file of a development build is left as it is, and can be set aside",
      "a database of a development build is left as it is, or set aside when asked",
      "a database of another program is left as it is"),
    Branch(
      "storage", "a backup before a step",
      "an old file is copied, then brought forward",
      "a step that fails leaves the schema before it"),
  ]

  @Test(arguments: branches)
  func `every branch of the flows names tests that are there`(branch: Branch) throws {
    #expect(!branch.tests.isEmpty)
    let missing = Set(branch.tests).subtracting(try Checkout.testNames.get())
    #expect(missing.isEmpty, "\(branch.testDescription): \(missing.sorted())")
  }

  @Test func `no branch of the flows is listed twice`() {
    let all = Self.branches.map(\.testDescription)
    #expect(Set(all).count == all.count)
  }
}
