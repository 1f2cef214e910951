import Foundation
import TestSupport
import Testing

/// A line of 9,600 baud: 960 bytes a second. What is counted is bytes, for those are what one waits
/// for there.
@Suite(.requires(.slixmpp), .limitedConcurrency) struct SlowLineTests {
  /// On a terminal that takes no more than that, and says so (`stty`).
  private func start(_ home: Home, settings: String = "") throws -> PTYProcess {
    try home.folder.write("[ui]\n\(settings)\n", to: "config/natter/config.toml")
    return try PTYProcess(
      "sh", ["-c", "stty 9600; exec \"$1\" --local", "sh", Programs.natter],
      environment: home.environment(), bytesPerSecond: 960)
  }

  @Test func `at 9600 baud a message, a letter and another tab cost no more than a moment`()
    async throws
  {
    let home = try Home()
    let first = try await NatterRun.chatting(home: home)
    let bob = try await first.peer("bob")
    try await bob.send("hello", to: "me@localhost")
    try await first.open(chat: "bob@localhost")
    try await first.shows("hello")
    #expect(await first.quit() == .exited(0))
    await bob.signOut()

    let terminal = try start(home, settings: "transitions = true\nclock = false")
    try await terminal.expects("the conversation, online", upTo: .seconds(60)) { screen in
      screen.text(row: 0).contains("online") && screen.contains("Write a message")
    }
    let again = try await SlixmppPeer(
      "bob@localhost", password: "secret", host: "127.0.0.1",
      port: try #require(home.localServer).port, security: .off, authority: nil)
    // A start is a screen, the questions about the terminal, and what came meanwhile.
    #expect(terminal.outputCount < 6000)
    var mark = terminal.outputCount
    func cost() -> Int {
      defer { mark = terminal.outputCount }
      return terminal.outputCount - mark
    }
    // A letter: its echo, at once, a fiftieth of a second of the line.
    let text = "slow but sure"
    for count in 1...text.count {
      terminal.type(String(text.dropFirst(count - 1).prefix(1)))
      try await terminal.shows("> " + text.prefix(count), upTo: .seconds(60))
    }
    #expect(cost() <= 20 * text.count + 60)
    // A message of two lines: less than two seconds, with the letters coming in between.
    try await again.send("from the other side\nof the line", to: "me@localhost")
    try await terminal.shows("of the line", upTo: .seconds(60))
    terminal.type("!")
    try await terminal.shows("> \(text)!", upTo: .seconds(60))
    #expect(cost() <= 1900)
    // Another tab: a screen's cells and their colours, each time, and no slide, which is five of
    // them.
    terminal.press(.f(3))
    try await terminal.shows("CONTACTS", upTo: .seconds(60))
    terminal.press(.f(2))
    try await terminal.shows("> \(text)!", upTo: .seconds(60))
    #expect(cost() <= 2 * 5000)
    terminal.press(.control("q"))
    #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    await again.signOut()
  }

  @Test func `behind a pseudo-terminal it is noticed by when the terminal answers`() async throws {
    let home = try Home()
    let terminal = try PTYProcess(
      Programs.natter, ["--local"], environment: home.environment(), bytesPerSecond: 4000)
    try await terminal.expects("the desktop, online", upTo: .seconds(60)) { screen in
      screen.text(row: 0).contains("online") && screen.contains("DIRECT")
    }
    // A frame that is drawn while an answer is outstanding is not asked about: on a busy machine
    // some are not.
    for _ in 1...10 where !terminal.screen.text(row: 0).hasSuffix("online") {
      terminal.press(.f(3))
      try await terminal.shows("CONTACTS", upTo: .seconds(60))
      terminal.press(.f(2))
      try await terminal.expects("the chats", upTo: .seconds(60)) { !$0.contains("CONTACTS") }
    }
    // There is no list beside the conversation any more, and no clock.
    try await terminal.expects("less", upTo: .seconds(60)) {
      !$0.contains("DIRECT") && $0.text(row: 0).hasSuffix("online")
    }
    terminal.press(.control("q"))
    #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  @Test func `a flood is not drawn message by message: what has scrolled away is left out`()
    async throws
  {
    let home = try Home()
    let first = try await NatterRun.chatting(home: home)
    let bob = try await first.peer("bob")
    try await bob.send("hello", to: "me@localhost")
    try await first.open(chat: "bob@localhost")
    try await first.shows("hello")
    #expect(await first.quit() == .exited(0))
    await bob.signOut()
    let terminal = try start(home)
    try await terminal.expects("the conversation, online", upTo: .seconds(60)) { screen in
      screen.text(row: 0).contains("online") && screen.contains("Write a message")
    }
    let again = try await SlixmppPeer(
      "bob@localhost", password: "secret", host: "127.0.0.1",
      port: try #require(home.localServer).port, security: .off, authority: nil)
    let mark = terminal.outputCount
    let count = 200
    for number in 1...count {
      try await again.send("message number \(number) of a flood", to: "me@localhost")
    }
    try await terminal.shows("message number \(count) of a flood", upTo: .seconds(120))
    // Drawn one by one, each would move the rows above it: two thousand bytes, two hundred times.
    #expect(terminal.outputCount - mark < count * 2000 / 4)
    terminal.press(.control("q"))
    #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    await again.signOut()
  }
}
