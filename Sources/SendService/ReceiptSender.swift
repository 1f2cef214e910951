import NatterCore
import XMPP

/// Tells contacts that their messages arrived, where they ask for it (XEP-0184).
///
/// Only those who may see this account's presence get a receipt: to a stranger it would tell that somebody is there (§8).
package actor ReceiptSender: SessionConsuming {
  private let roster: any RosterStoring
  private var channel: (any StanzaChannel)?

  package init(roster: any RosterStoring) { self.roster = roster }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
  }

  package func sessionEnded() async { channel = nil }

  package func receive(_ stanzas: [Stanza]) async {
    let asking = stanzas.compactMap { stanza -> (JID, String)? in
      guard case .message(let message) = stanza, message.requestsReceipt, message.kind != .error,
        message.kind != .groupchat, let id = message.id, let from = message.from
      else { return nil }
      return (from, id)
    }
    guard !asking.isEmpty, let channel else { return }
    // Without the roster nobody is known to be allowed: then nobody is told.
    let trusted = Set(
      ((try? await roster.contacts()) ?? [])
        .filter { $0.subscription == .from || $0.subscription == .both }.map(\.jid))
    for (from, id) in asking where trusted.contains(from.bare) {
      let receipt = Element(
        "message", Namespace.client, ["to": from.description, "type": "chat"],
        [
          Element("received", Namespace.receipts, ["id": id]),
          Element("store", "urn:xmpp:hints"),
        ])
      // A receipt is worth nothing once the connection is gone: the sender's own archive tells him then.
      try? await channel.send(receipt)
    }
  }
}
