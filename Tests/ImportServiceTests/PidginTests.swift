import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ImportService

@Suite struct PidginTests {
  static let account = "logs/jabber/alice@natter.test%2fLaptop"
  /// 2026-11-28T21:00:00 in UTC+1.
  static let hour = 1_795_896_000

  static let html = """
    <html><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"><title>\
    Conversation with bob@natter.test at Sat 28 Nov 2026 09:04:10 PM CET on \
    alice@natter.test/Laptop (jabber)</title></head><body><h3>Conversation with …</h3>
    <font color="#A82F2F"><font size="2">(09:04:10 PM)</font> <b>Bob &lt;B&gt;:</b></font> \
    <html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>\
    hello<br/>there &amp; &quot;here&quot; &#x263a;</body></html><br/>
    <font color="#16569E"><font size="2">(09:04:11 PM)</font> <b>alice@natter.test/Laptop:\
    </b></font> see <a href="https://natter.test/?a=1&amp;b">this</a>, \
    <a href="https://natter.test/">https://natter.test/</a><br/>
    <font size="2">(09:04:12 PM)</font><b> bob has gone away</b><br/>
    <font color="#062585"><font size="2">(09:04:13 PM)</font> <b>***Bob</b></font> waves<br/>
    <font color="#062585"><font size="2">(09:04:14 PM)</font> <b>***alice</b></font> nods<br/>
    <span style="color: #A82F2F"><span style="font-size: smaller">(11:59:59 PM)</span> <b>Bob:\
    </b></span> late<br>
    <span style="color: #A82F2F"><span style="font-size: smaller">(12:00:01 AM)</span> <b>Bob:\
    </b></span> early<br>
    <font color="#A82F2F"><font size="2">(11/27/2026 09:04:10 PM)</font> <b>Bob:</b></font> old<br/>
    <font color="#A82F2F"><font size="2">(12:00:02 AM)</font> <b>Bob:</b></font> two
    lines<br/>
    <font color="#FF0000"><font size="2">(12:00:03 AM)</font><b> an error</b></font><br/>
    <font color="#A82F2F"><font size="2">(12:00:04 AM)</font> <b>Bob:</b></font> \
    <script>x</script>\u{1B}[31m &#0; &nope; < &<br/>
    </body></html>

    """

  static let text = """
    Conversation with tea@rooms.natter.test at Sat 28 Nov 2026 21:04:10 CET on \
    alice@natter.test/Laptop (jabber)
    (21:04:10) bob: hello
      there: (yes)

    (21:04:11) ali: mine: all
    (21:04:12) The topic is: tea
    (21:04:13) bob entered the room.
    (21:04:14) ***bob waves
    (21:04:15) ***ali nods
    (21:04:16) eve: \u{1B}]0;x\u{7}
    (23:59:59) bob: late
    (00:00:01) bob: early
    (23:55:00) bob: fifteen minutes late
    (21:03:00) bob: the next day

    """

  private func bob(
    _ body: String, _ direction: Message.Direction = .incoming, at second: Int
  ) -> ImportItem {
    message(body, in: "bob@natter.test", direction, at: Self.hour + second)
  }

  private func room(
    _ body: String, by nick: String, _ direction: Message.Direction = .incoming, at second: Int
  ) -> ImportItem {
    roomMessage(body, by: nick, direction, at: Self.hour + second)
  }

  @Test func `an HTML log is read`() throws {
    let fixture = try HistoryFixture()
    let name = Self.account + "/bob@natter.test/2026-11-28.210410+0100CET.html"
    let path = try fixture.write(Self.html, name)
    #expect(PidginHistory.recognizes(path))
    #expect(
      try HistoryFixture.items(PidginHistory.self, path) == [
        bob("hello\nthere & \"here\" \u{263A}", at: 250),
        bob(
          "see this (https://natter.test/?a=1&b), https://natter.test/", .outgoing, at: 251),
        .skipped,
        bob("/me waves", at: 253),
        bob("/me nods", .outgoing, at: 254),
        bob("late", at: 10_799),
        bob("early", at: 10_801),
        bob("old", at: 250 - 86_400),
        bob("two\nlines", at: 10_802),
        .skipped,
        bob("x\u{1B}[31m &#0; &nope; < &", at: 10_804),
      ])
  }

  @Test func `a log of text is read, with the nicks of the user`() throws {
    let fixture = try HistoryFixture()
    let name = Self.account + "/tea@rooms.natter.test.chat/2026-11-28.210410+0100CET.txt"
    let path = try fixture.write(Self.text, name)
    #expect(PidginHistory.recognizes(path))
    let items = try HistoryFixture.items(
      PidginHistory.self, path, HistoryFixture.context(own: ["ali"]))
    #expect(
      items == [
        room("hello\n  there: (yes)\n", by: "bob", at: 250),
        room("mine: all", by: "ali", .outgoing, at: 251),
        .skipped, .skipped,
        room("/me waves", by: "bob", at: 254),
        room("/me nods", by: "ali", .outgoing, at: 255),
        room("\u{1B}]0;x\u{7}", by: "eve", at: 256),
        room("late", by: "bob", at: 10_799),
        room("early", by: "bob", at: 10_801),
        room("fifteen minutes late", by: "bob", at: 10_500),
        room("the next day", by: "bob", at: 86_580),
      ])
  }

  @Test func `other protocols, system logs and other files are passed over`() throws {
    let fixture = try HistoryFixture()
    let name = "2026-11-28.210410+0100CET.txt"
    func log(_ peer: String, _ account: String, _ service: String) -> String {
      "Conversation with \(peer) at Sat 28 Nov 2026 on \(account) (\(service))\n"
        + "(21:04:10) x: hello\n"
    }
    let alice = "alice@natter.test/Laptop"
    try fixture.write(log("bob@natter.test", alice, "jabber"), "\(Self.account)/bob/\(name)")
    try fixture.write(
      "System log for account \(alice) (jabber) connected at X\n---- + ----\n",
      "\(Self.account)/.system/\(name)")
    try fixture.write(
      log("tea@rooms.natter.test/Bob B", alice, "jabber"), "\(Self.account)/room/\(name)")
    try fixture.write(log("1234", "5678", "icq"), "logs/icq/5678/1234/\(name)")
    try fixture.write(log("#natter", "me@irc.test", "irc"), "logs/irc/me/#natter.chat/\(name)")
    try fixture.write("a picture", "\(Self.account)/bob/a.png")
    try fixture.write("no log", "\(Self.account)/zoe/\(name)")
    try fixture.write("<prefs/>", "prefs.xml")
    try fixture.write("no log either", name)
    #expect(PidginHistory.recognizes(fixture.folder.root.path))
    #expect(
      try HistoryFixture.items(PidginHistory.self, fixture.folder.root.path) == [
        .skipped, .skipped,
        .skipped,
        bob("hello", at: 250),
        message("hello", in: "tea@rooms.natter.test/Bob B", at: Self.hour + 250),
        .refused(place: "\(fixture.path(Self.account))/zoe/\(name):1"),
      ])
  }

  @Test(arguments: [
    ("2026-11-28.210410+0100CET.txt", 3600), ("2026-11-28.210410-0530.txt", -19_800),
    ("2026-11-28.210410.txt", 7200),
  ])
  func `the zone is that of the name, or the caller's`(name: String, offset: Int) throws {
    let stamp = try #require(PidginLog.Stamp(name))
    var context = ImportContext()
    context.offset = { _ in 7200 }
    var clock = PidginClock(stamp, context: context)
    let found = clock.time(Array("21:04:10".utf8)[...])
    let time = try #require(found)
    // 2026-11-28T21:04:10Z
    #expect(Int(time.timeIntervalSince1970) == 1_795_899_850 - offset)
  }

  @Test(arguments: [
    ("21:04:10", 0), ("09:04:10 PM", 0), ("9:04:10 p.m.", 0), ("21.04.10", 0),
    ("21\u{6642}04\u{5206}10\u{79D2}", 0), ("\u{4E0B}\u{5348} 09:04:10", 0), ("21:04", -10),
    ("2026-11-28 21:04:10", 0), ("28/11/26 21:04:10", 0), ("11/28/2026 09:04:10 PM", 0),
    ("28.11.2026 21:04:10", 0), ("21:04:10 28.11.2026", 0), ("01/12/2026 21:04:10", 3 * 86_400),
    ("2026\u{5E74}11\u{6708}28\u{65E5} 21\u{6642}04\u{5206}10\u{79D2}", 0),
  ])
  func `times of many languages are read`(text: String, difference: Int) throws {
    let stamp = try #require(PidginLog.Stamp("2026-11-28.210410+0000.txt"))
    var clock = PidginClock(stamp, context: ImportContext())
    let found = clock.time(Array(text.utf8)[...])
    let time = try #require(found)
    #expect(Int(time.timeIntervalSince1970) == 1_795_899_850 + difference)
  }

  @Test(arguments: ["", "yes", "1", "25:00:00", "21:60:00", "1:2:3:4", "12345:00", "1:2:3:4:5:6:7"])
  func `other text in brackets is no time`(text: String) {
    #expect(!PidginClock.isTime(Array(text.utf8)[...]))
  }

  @Test func `a damaged log is read or refused`() throws {
    let fixture = try HistoryFixture()
    for (log, ending) in [(Self.html, "html"), (Self.text, "txt")] {
      try fixture.write(log, "whole")
      let name = "2026-11-28.210410+0100CET.\(ending)"
      #expect(try fixture.readAll(PidginHistory.self, name, fixture.cuts("whole", step: 5)) > 100)
      #expect(try fixture.readAll(PidginHistory.self, name, fixture.flips("whole", step: 5)) > 100)
    }
  }

  @Test func `a log that was cut off loses its last entry only`() throws {
    let fixture = try HistoryFixture()
    let name = "\(Self.account)/bob@natter.test/2026-11-28.210410+0100CET.txt"
    let path = try fixture.write(
      "Conversation with bob@natter.test at X on alice@natter.test/Laptop (jabber)\n"
        + "(21:04:10) bob: hello\n(21:04:11) bob: the\nre", name)
    #expect(
      try HistoryFixture.items(PidginHistory.self, path) == [
        bob("hello", at: 250), .refused(place: "\(path):3"),
      ])
  }
}
