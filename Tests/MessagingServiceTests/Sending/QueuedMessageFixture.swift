import Foundation
import NatterCore
import XMPP

extension Message {
  /// A message that waits in the outbox.
  static func queued(
    _ originID: String, to conversation: JID = JID(local: "bob", domain: "example.org"),
    at seconds: Double = 1000, effect: Effect? = nil
  ) -> Message {
    Message(
      id: Message.ID(1), conversation: conversation,
      sender: JID(local: "alice", domain: "example.org"), direction: .outgoing, body: originID,
      sentAt: Date(timeIntervalSince1970: seconds), originID: originID, delivery: .queued,
      effect: effect)
  }
}
