import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// A sender that is there and cannot be read is not the own account.
@Suite struct UnreadableSenderTests {
  private let alice = JID(local: "alice", domain: "example.org")
  private let unreadable = "mallory@example.org/r\u{AD}"

  @Test(arguments: ["chat", "normal", "headline", "groupchat"])
  func `says nothing, in a message of its own or in a copy`(type: String) async {
    let store = MemoryMessageStore()
    let receiver = MessageReceiver(account: alice, store: store, hub: EventHub(), log: .none)
    var inner = Element(
      "message", Namespace.client, ["from": unreadable, "to": "\(alice)", "type": type],
      [Element("body", Namespace.client, text: "mine")])
    func copy(_ direction: String) -> Stanza {
      .message(
        from: "\(alice)",
        Element(
          direction, XEP0280Carbon.namespace, [:],
          [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [inner])]))
    }
    await receiver.receive([
      .message(from: unreadable, type: type, body: "mine"), copy("received"), copy("sent"),
    ])
    inner["from"] = "\(alice)/phone"
    inner["to"] = unreadable
    await receiver.receive([copy("sent")])
    #expect(await store.all.isEmpty)
  }
}
