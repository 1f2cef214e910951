import XML

/// The value of an address attribute of an element.
///
/// An absent attribute often has a meaning of its own: a stanza without `from` is from the own
/// account or its server (RFC 6120 §8.1.2.1), a `<delay/>` without it is the room's or the
/// server's. Text that is not an address must never get that meaning: a sender can make a server
/// forward it, with a resource that this client rejects and the server accepts.
package enum AddressAttribute: Hashable, Sendable {
  case absent
  /// Text that is not an address (RFC 7622 §3).
  case unreadable
  case address(JID)

  /// Reads the text of an attribute or a field; `nil` means that it is absent.
  package init(_ text: String?) {
    switch text {
    case nil: self = .absent
    case let text?: self = JID(parsing: text).map { .address($0) } ?? .unreadable
    }
  }

  /// The address; `nil` without one, for callers to which absent and unreadable are the same.
  package var jid: JID? { if case .address(let jid) = self { jid } else { nil } }

  /// Returns the address, or `implied` when it is absent; `nil` when it cannot be read.
  package func jid(ifAbsent implied: JID) -> JID? {
    switch self {
    case .absent: implied
    case .unreadable: nil
    case .address(let jid): jid
    }
  }
}

extension Element {
  /// Returns the address in `attribute`.
  package func address(_ attribute: String) -> AddressAttribute {
    AddressAttribute(self[attribute])
  }
}
