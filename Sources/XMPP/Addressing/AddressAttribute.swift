/// An address as an attribute of an element has it.
///
/// That an attribute is absent often has a meaning of its own: a stanza without `from` is from the own account or its
/// server (RFC 6120 §8.1.2.1), a `<delay/>` without one is the room's or the server's. Text that is no address must never
/// get that meaning: anybody can have a server pass it on, with a resource that this client refuses and the server takes.
package enum AddressAttribute: Hashable, Sendable {
  case absent
  /// There is text, and it is no address (RFC 7622 §3).
  case unreadable
  case address(JID)

  /// Reads what stands in an attribute, or in a field; `nil`: nothing does.
  package init(_ text: String?) {
    switch text {
    case nil: self = .absent
    case let text?: self = JID(parsing: text).map { .address($0) } ?? .unreadable
    }
  }

  /// The address; `nil` without one. For readers to whom absent and unreadable are the same.
  package var jid: JID? { if case .address(let jid) = self { jid } else { nil } }

  /// The address, or what it stands for when it is absent; `nil` when it cannot be read.
  package func jid(ifAbsent implied: JID) -> JID? {
    switch self {
    case .absent: implied
    case .unreadable: nil
    case .address(let jid): jid
    }
  }
}

extension Element {
  /// The address in `attribute`.
  package func address(_ attribute: String) -> AddressAttribute {
    AddressAttribute(self[attribute])
  }
}
