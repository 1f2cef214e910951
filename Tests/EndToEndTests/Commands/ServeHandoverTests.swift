import Foundation
import TestSupport
import Testing

/// `natter serve` while other instances of Natter take its account, and end.
@Suite(.limitedConcurrency) struct ServeHandoverTests {
  private static let account = ServeOwners.account

  private func home() async throws -> Home { try await ServeOwners.home() }

  /// Opens the conversation of the built-in server. Its first message may be that for line mode.
  private func opensConversation(_ screen: NatterRun) async throws {
    try await screen.waitsOnline()
    try await screen.open(chat: "natter@localhost")
  }

  @Test func `a full screen gets the account without a question, and serve gets it back`()
    async throws
  {
    let home = try await home()
    let serve = try BridgeRun(["serve"] + Self.account, home: home)
    try await serve.greet()
    #expect(try await home.waits(forHolder: serve.identifier))
    let subscription = try await serve.ask(
      "events.subscribe", #"{"events":["message.new"]}"#, id: 1)
    #expect(subscription.errorCode == nil, "\(subscription.text)")

    let screen = try NatterRun.local(home: home)
    try await opensConversation(screen)
    #expect(try #require(home.holder) != serve.identifier)
    // It goes on through the screen, with its subscription.
    try await screen.say("said on the screen")
    _ = try await serve.line("the message on the screen") {
      $0.text.contains("said on the screen") && $0.members["method"] as? String == "event"
    }
    #expect(try await serve.ask("conversations.list", id: 2).errorCode == nil)
    #expect(await screen.quit() == .exited(0))

    #expect(try await home.waits(forHolder: serve.identifier))
    #expect(try await serve.ask("conversations.list", id: 3).errorCode == nil)
    serve.signal(SIGTERM)
    #expect(await serve.waitsForEnd() == .exited(143))
    #expect(home.bridgeSockets == [])
    // Each event came once.
    let events = serve.lines.filter { $0.contains("said on the screen") }
    #expect(events.count == 1, "\(events)")
  }

  @Test func `messages through serve are stored once, in order, whenever their owner is killed`()
    async throws
  {
    try await ServeOwners(home()).kill(3) { _ in 0 }
  }

  @Test func `beside a Natter that does not listen, messages wait for it`() async throws {
    let home = try await home()
    try home.folder.write("[bridge]\nsocket = false\n", to: "config/natter/config.toml")
    let screen = try NatterRun.local(home: home)
    try await opensConversation(screen)
    #expect(home.bridgeSockets == [])
    let serve = try BridgeRun(["serve"] + Self.account, home: home)
    try await serve.greet()
    let answer = try await serve.ask(
      "messages.send", #"{"conversation":"natter@localhost","body":"left for the screen"}"#, id: 1)
    #expect(answer.errorCode == nil, "\(answer.text)")
    try await screen.shows("left for the screen")
    #expect(
      try await serve.ask("rooms.join", #"{"conversation":"a@b"}"#, id: 2).errorCode == -32011)
    // It has the account as soon as the screen has ended.
    #expect(await screen.quit() == .exited(0))
    #expect(try await home.waits(forHolder: serve.identifier))
    serve.signal(SIGINT)
    #expect(await serve.waitsForEnd() == .exited(130))
  }
}
