import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Messages whose shown text is not the original, and the end of a text.
@Suite struct MessageContentTests {
  private let omemo = Message.Content.encrypted(
    XEP0380Encryption(method: "eu.siacs.conversations.axolotl"))

  private func message(
    _ id: Int64, _ content: Message.Content?, _ body: String = "", from sender: JID = .bob,
    at minutes: Double = 0
  ) -> Message {
    let isOwn = sender.bare == .alice
    return Message(
      id: .init(id), conversation: .bob, sender: sender,
      direction: isOwn ? .outgoing : .incoming, body: body, sentAt: .minutes(minutes),
      originID: "o\(id)", delivery: isOwn ? .sent : nil, content: content)
  }

  private func rows(_ messages: Message...) async -> [String] {
    let lifetime = Lifetime()
    let timeline = TimelineViewModel(
      format: testFormat(), archive: FakePorts(messages: messages), lifetime: lifetime,
      now: { .minutes(60) })
    timeline.show(Conversation(jid: .bob))
    await lifetime.settle()
    return timeline.items.filter { $0.kind != .day }.map(\.body)
  }

  @Test func `each says in Natter's own text what it is`() async {
    let contents: [Message.Content] = [
      omemo, .encrypted(XEP0380Encryption(method: "urn:e", name: "En\nigma")),
      .unknown(namespace: "urn:e\u{1b}x"), .call(.ringing), .call(.missed), .call(.answered),
      .call(.declined),
    ]
    for content in contents {
      let rows = await rows(message(1, content), message(2, nil, "fine", at: 9))
      #expect(rows.count == 2 && rows.last == "fine")
      #expect(rows.first?.contains("{") == false && rows.first?.contains("\n") == false)
      #expect(rows.first?.contains("timeline.") == false)
    }
    #expect(
      await rows(message(1, omemo), message(2, nil, "x", at: 9)).first
        == "Encrypted message (OMEMO), which Natter cannot read yet")
    #expect(
      await rows(message(1, .unknown(namespace: MessageStanza.overLimitNamespace))).first
        == "A message that Natter cannot read: it is too large or too complex")
    #expect(
      await rows(message(1, .call(.ringing), at: 58))
        == ["bob is calling; Natter cannot take calls"])
    // Its end never arrived: no call rings for an hour.
    #expect(await rows(message(1, .call(.ringing))) == ["Missed call"])
  }

  @Test
  func `that the answer is not encrypted is shown below, until the other side writes in clear`()
    async
  {
    let notice = "What you write here is not encrypted: Natter cannot encrypt yet."
    #expect(await rows(message(1, omemo)).last == notice)
    #expect(
      await rows(message(1, omemo), message(2, nil, "mine", from: .alice, at: 1)).last == notice)
    #expect(await rows(message(1, omemo), message(2, nil, "clear", at: 1)).last == "clear")
    #expect(await rows(message(1, omemo, from: .alice)).count == 1)
    let deleted = Message(
      id: .init(2), conversation: .bob, sender: .bob, direction: .incoming, body: "",
      sentAt: .minutes(1), originID: "o2", retraction: .author)
    #expect(await rows(message(1, omemo), deleted).last == notice)
    #expect(await rows(deleted).last != notice)
  }

  @Test func `an answer to it says that it is in clear, and it cannot be edited`() async {
    let shell = ShellViewModel(
      FakePorts(
        messages: [message(1, omemo)],
        conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))]))
    await shell.load()
    shell.open(.bob)
    await shell.finish()
    shell.input.beginReply(to: message(1, omemo))
    shell.showAim()
    #expect(shell.status.message.text.contains("unencrypted"))
  }

  @Test func `a call whose end never arrived is missed in a copy and in an answer, too`() async {
    let call = message(1, .call(.ringing))
    let shell = ShellViewModel(
      FakePorts(
        messages: [call], conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))]),
      now: ManualNow(.minutes(60)))
    var copies: [String] = []
    shell.onCopy = { copies.append($0) }
    await shell.load()
    shell.open(.bob)
    await shell.finish()
    shell.input.beginReply(to: call)
    shell.showAim()
    #expect(shell.status.message.text.contains("Missed call"))
    shell.copyMessage()
    #expect(copies == ["Missed call"])
  }

  @Test func `line ends around a text make no rows, and how it is indented stays`() async {
    for (text, shown) in [
      ("\n\n  a\n\nb\n \n", "  a\n\nb"), ("a", "a"), ("a\r\n", "a"), ("\u{2028}a\u{2029}", "a"),
      ("\n \n", ""), (" a ", " a"),
    ] {
      #expect(await rows(message(1, nil, text)) == [shown], "\(text.debugDescription)")
    }
  }
}
