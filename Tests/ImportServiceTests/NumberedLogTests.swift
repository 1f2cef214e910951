import Foundation
import NatterCore
import Testing
import TestSupport
import XMPP

@testable import ImportService

/// Logs that poezio and mcabber 1.1.2 wrote.
@Suite struct PoezioTests {
  private let folder = Histories.path("poezio")

  @Test func `all messages of a folder are read`() throws {
    #expect(HistoryFormats.format(of: folder) is PoezioFormat.Type)
    let items = try Histories.read(PoezioFormat.self, folder)
    let messages = Histories.messages(items)
    #expect(messages.count == 25)
    #expect(messages[0].body == "Hello from bob" && messages[1].body == "two\nlines")
    #expect(messages[0].sentAt == Histories.date(10) && messages[0].precision == .second)
    #expect(messages[0].conversation == Histories.bob && messages[0].kind == .direct)
    #expect(messages[0].nick == nil && messages[0].account == nil)
    #expect(messages.count { $0.direction == .outgoing } == 4)
    #expect(messages[7].body == "Hello bob, it's me" && messages[7].direction == .outgoing)
    // The log of the roster.
    #expect(items.count == 26 && items.last == .skipped)
  }

  @Test func `in a room more than two speak, and own nicks are given`() throws {
    let home = try TemporaryFolder("poezio")
    defer { home.remove() }
    try home.write(
      """
      MI 20261128T21:04:09Z 000 carol joined the room
      MR 20261128T21:04:10Z 000 <car>ol> \u{A0}hello
      MR 20261128T21:04:11Z 000 <ali>  older versions
      MR 20261128T21:04:12Z 001 <dave> \u{A0}cut off

      """, to: "tea@other.natter.test")
    let path = home.path("tea@other.natter.test")
    let items = try Histories.read(PoezioFormat.self, path, Histories.context(["ali"]))
    let messages = Histories.messages(items)
    #expect(messages.map(\.nick) == ["car>ol", "ali"])
    #expect(messages.map(\.body) == ["hello", "older versions"])
    #expect(messages.map(\.direction) == [.incoming, .outgoing])
    #expect(messages.allSatisfy { $0.kind == .room })
    #expect(items.last == .refused(place: "\(path):4"))
  }

  @Test func `an occupant has a file of the full address`() throws {
    let home = try TemporaryFolder("poezio")
    defer { home.remove() }
    let name = "tea@rooms.natter.test\\carol"
    try home.write("MR 20261128T21:04:10Z 000 <carol> \u{A0}psst\n", to: name)
    let message = try #require(
      try Histories.messages(PoezioFormat.self, home.root.path).first)
    #expect(message.conversation == Histories.tea.with(resource: "carol"))
    #expect(message.kind == .direct && message.nick == nil && message.body == "psst")
    try home.write("no log\n", to: "a b")
    #expect(
      try Histories.read(PoezioFormat.self, home.path("a b"))
        == [.refused(place: home.path("a b"))])
  }

  @Test func `a damaged log is read as far as possible`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + "/bob@natter.test")))
    try Histories.damage(PoezioFormat.self, Array(bytes.prefix(500)), as: "bob@natter.test")
  }
}

@Suite struct McabberTests {
  private let folder = Histories.path("mcabber")

  @Test func `all messages of a folder are read`() throws {
    #expect(HistoryFormats.format(of: folder) is McabberFormat.Type)
    let items = try Histories.read(McabberFormat.self, folder, Histories.context(["ali"]))
    let messages = Histories.messages(items)
    #expect(
      messages.map(\.body) == [
        "Hello from bob", "two\nlines", "/me waves", "日本語です", "it's \"quoted\" <b>&amp;",
        "a tpyo", "a typo", "Hello bob", "room words",
      ])
    #expect(messages[0].sentAt == Histories.date(22) && messages[0].precision == .second)
    #expect(messages.map(\.direction).suffix(2) == [.outgoing, .outgoing])
    let room = try #require(messages.last)
    #expect(room.conversation == Histories.tea && room.kind == .room && room.nick == "ali")
    #expect(!items.contains { if case .refused = $0 { true } else { false } })
  }

  @Test func `a link to another contact's history is not read twice`() throws {
    let home = try TemporaryFolder("mcabber")
    defer { home.remove() }
    try home.write("MR 20261128T21:04:22Z 000 hello\n", to: "bob@natter.test")
    try FileManager.default.createSymbolicLink(
      atPath: home.path("robert@natter.test"), withDestinationPath: "bob@natter.test")
    #expect(try Histories.messages(McabberFormat.self, home.root.path).count == 1)
  }

  @Test func `lines that are none, long and broken texts`() throws {
    let home = try TemporaryFolder("mcabber")
    defer { home.remove() }
    var bytes = Array(
      "MR 20261128T21:04:22Z 0001 two\ndigits\nnothing\nMS 20261128T21:04:23Z 000 a".utf8)
    bytes += [0xFF, 0x00, 0x62, 0x0A]
    bytes += Array("MR 20261128T21:04:24Z 000 ".utf8) + [UInt8](repeating: 0x78, count: 1 << 20)
    bytes += Array("x\nMR 20261128T21:04:25Z 000 end".utf8)
    let path = home.path("bob@natter.test")
    try Data(bytes).write(to: URL(filePath: path))
    let items = try Histories.read(McabberFormat.self, path)
    #expect(Histories.messages(items).map(\.body) == ["two\ndigits", "a\u{FFFD}b", "end"])
    #expect(items.contains(.refused(place: "\(path):3")))
    #expect(items.contains(.refused(place: "\(path):5")))
  }

  @Test func `a damaged history is read as far as possible`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + "/bob@natter.test")))
    try Histories.damage(McabberFormat.self, bytes, as: "bob@natter.test")
  }
}
