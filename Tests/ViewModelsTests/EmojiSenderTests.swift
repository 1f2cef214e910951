import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Messages whose names in colons become emoji.
@Suite struct EmojiSenderTests {
  private final class Wanted { var isOn = true }

  private let ports = FakePorts(conversations: [Conversation(jid: .bob)], now: .afternoon)

  @Test func `messages, replies and corrections are sent with emoji where the user wants that`()
    async throws
  {
    let setting = Wanted()
    let sender = EmojiSender(ports) { setting.isOn ? EmojiNames(tag: "en") : nil }
    let first = message(1, "hello", from: .alice)
    try await sender.send("a :tada:", to: .bob)
    try await sender.send("b :tada:", replyingTo: first)
    try await sender.correct(first, with: "c :tada:")
    setting.isOn = false
    try await sender.send("d :tada:", to: .bob)
    let calls = await ports.calls.joined(separator: "\n")
    for text in ["a 🎉", "b 🎉", "c 🎉", "d :tada:"] { #expect(calls.contains(text), "\(calls)") }
  }
}
