import NatterCore
import XML
import XMPP

/// The content of a message that is not a text: encrypted (XEP-0380), a call (XEP-0353), or
/// unknown. Natter shows a text of its own for it.
package enum ContentPayload: MessagePayload {
  package static let features: Set<String> = []

  /// Larger stanzas are not stored: the ciphertext of a typed message has a few hundred bytes, and
  /// so have its keys for each device.
  private static let sourceLimit = 32768
  /// The longest namespace or name that is stored, in Unicode scalars.
  private static let nameLimit = 100

  package static func decode(_ stanza: MessageStanza) -> IncomingMessage.Payload? {
    decode(stanza.content, of: stanza)
  }

  /// - Parameter content: the content of `stanza`, which takes some time to determine.
  static func decode(_ content: MessageStanza.Content?, of stanza: MessageStanza)
    -> IncomingMessage.Payload?
  {
    switch content {
    case .encrypted(let encryption):
      let known = XEP0380Encryption(
        method: shortened(encryption.method), name: encryption.name.map(shortened))
      return .content(.encrypted(known), source: source(of: stanza))
    case .call(let step):
      switch step.kind {
      case .propose: return .content(.call(.ringing), source: nil)
      // The end of a call that was taken changes nothing: the answer of the other client counts
      // more, whether it becomes known before or later.
      case .retract, .finish: return .callEnd(id: step.call, .missed)
      case .accept, .proceed: return .callEnd(id: step.call, .answered)
      case .reject: return .callEnd(id: step.call, .declined)
      case .ringing: return nil
      }
    case .unknown(let namespace):
      return .content(.unknown(namespace: shortened(namespace)), source: source(of: stanza))
    case .effect, .text, nil: return nil
    }
  }

  /// Returns whether a text, an effect or nothing is the content of `stanza`.
  static func isAbsent(in stanza: MessageStanza) -> Bool {
    switch stanza.content {
    case .effect, .text, nil: true
    case .encrypted, .call, .unknown: false
    }
  }

  /// Returns a hash of the content of a message that cannot be read, to distinguish it from another
  /// one with the same id. It is the same live, as a carbon copy and from an archive; `nil` if the
  /// message can be read.
  static func print(_ content: MessageStanza.Content?, of stanza: MessageStanza) -> String? {
    let namespace: String
    switch content {
    case .encrypted(let encryption): namespace = encryption.method
    case .unknown(let its): namespace = its
    case .effect, .text, .call, nil: return nil
    }
    let parts = stanza.element.elements.filter { $0.namespace == namespace }
    guard !parts.isEmpty else { return nil }
    var hash = StableHash()
    for part in parts { hash.add(part) }
    return hash.text
  }

  private static func source(of stanza: MessageStanza) -> String? {
    let text = XMLWriter().string(stanza.element)
    return text.utf8.count <= sourceLimit ? text : nil
  }

  private static func shortened(_ text: String) -> String {
    String(text.unicodeScalars.prefix(nameLimit))
  }
}

extension IncomingMessage {
  /// Returns whether it is shown as a message: an unknown payload only from a user's client, and a
  /// call only from a contact's address.
  /// - Parameter account: the account's bare address.
  func isKept(by account: JID) -> Bool {
    switch payload {
    case nil, .content(.encrypted, _): return true
    case .content(.unknown, _):
      // Clients and occupants have a resource; servers, services and rooms send without one.
      return sender.local != nil && sender.resource != nil && conversation != account
    case .content(.call, _):
      return direction == .incoming && sender.bare != account && conversation.isBare
    case .callEnd(_, let end):
      let isOwn = direction == .outgoing || sender.bare == account
      return conversation.isBare && isOwn == (end != .missed)
    }
  }
}
