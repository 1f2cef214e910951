import XML

extension MessageStanza {
  /// Indicates whether the sender requests a receipt (XEP-0184 §5.1).
  package var requestsReceipt: Bool { element.first("request", Namespace.receipts) != nil }

  /// The id of the message that this one is a receipt for (XEP-0184 §5.2).
  package var receiptID: String? {
    element.first("received", Namespace.receipts)?["id"]?.nonEmpty?.identifier
  }
}
