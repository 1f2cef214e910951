import XML
import XMPP

/// A receipt: the id of a message that a client of the recipient has (XEP-0184).
package enum ReceiptPayload: SentMessagePayload {
  package static let features: Set<String> = [Namespace.receipts]

  package static func decode(_ stanza: MessageStanza) -> String? { stanza.receiptID }

  /// Returns the elements of a receipt, with a hint to store it for devices that are offline.
  package static func encode(_ id: String) -> [Element] {
    [Element("received", Namespace.receipts, ["id": id]), XEP0334Hints.store]
  }

  /// The request that a message has beside its text (§5.1).
  package static var request: Element { Element("request", Namespace.receipts) }

  /// Returns whether the sender of `stanza` requests a receipt.
  static func isRequested(by stanza: MessageStanza) -> Bool { stanza.requestsReceipt }
}
