import XML
import XMPP

extension Message {
  /// The kind of a message whose body is not its text. Natter shows a text of its own instead;
  /// `body` is empty.
  package enum Content: Hashable, Sendable {
    /// Encrypted (XEP-0380), and not decrypted.
    case encrypted(XEP0380Encryption)
    /// An unknown payload; the namespace is untrusted.
    case unknown(namespace: String)
    /// A call (XEP-0353).
    case call(Call)
  }

  /// The state of a call from a contact.
  package enum Call: String, Hashable, Sendable {
    /// Possibly still ringing.
    case ringing
    /// No client answered it.
    case missed
    /// Another client of the account answered it.
    case answered
    /// Another client of the account declined it.
    case declined
  }

  /// Indicates whether it is encrypted and could not be read.
  package var isEncrypted: Bool {
    if case .encrypted = content { true } else { false }
  }
}

extension IncomingMessage {
  /// The content of a message other than a text.
  package enum Payload: Hashable, Sendable {
    /// A message; `source` is its stanza as XML, for a version that can read it. `nil`: too large
    /// to store.
    case content(Message.Content, source: String?)
    /// The end of the call with this id: not a message of its own.
    case callEnd(id: String, Message.Call)
  }

  /// Returns whether it is shown as a message: an unknown payload only from a user's client, and a
  /// call only from a contact's address.
  /// - Parameter account: the account's bare address.
  package func isKept(by account: JID) -> Bool {
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

extension MessageStanza {
  /// Larger stanzas are not stored: the ciphertext of a typed message has a few hundred bytes, and
  /// so have its keys for each device.
  private static let sourceLimit = 32768
  private static let nameLimit = 100

  /// The text to store: its text, or its effect on another message; empty if `payload` has the
  /// content; `nil` if there is nothing to store.
  package var content: String? {
    if let effect { return effect.text }
    if encryption != nil { return "" }
    // The text beside it is a fallback of the other client, for recipients that cannot decrypt it.
    if isKeyTransport, announcedEncryption != nil { return nil }
    if let fallbackText { return fallbackText }
    return essence == nil ? nil : ""
  }

  /// The content other than a text; `nil` if the text is all, or there is nothing.
  package var payload: IncomingMessage.Payload? {
    switch essence {
    case .content(.call, _), .callEnd, nil: essence
    // Serialized only here, once for each message, not to determine its kind.
    case .content(let content, _): .content(content, source: source)
    }
  }

  /// `payload` without the stanza's XML.
  private var essence: IncomingMessage.Payload? {
    guard effect == nil else { return nil }
    if let encryption {
      let known = XEP0380Encryption(
        method: Self.shortened(encryption.method), name: encryption.name.map(Self.shortened))
      return .content(.encrypted(known), source: nil)
    }
    if isKeyTransport || hasText { return nil }
    if let step = callStep {
      switch step.kind {
      case .propose: return .content(.call(.ringing), source: nil)
      // The end of a call that was taken changes nothing: the answer of the other client counts
      // more, whether it becomes known before or later.
      case .retract, .finish: return .callEnd(id: step.call, .missed)
      case .accept, .proceed: return .callEnd(id: step.call, .answered)
      case .reject: return .callEnd(id: step.call, .declined)
      case .ringing: return nil
      }
    }
    return unknownPayload.map { .content(.unknown(namespace: Self.shortened($0)), source: nil) }
  }

  /// Indicates whether it is an invitation to a room and nothing more. The text beside it is the
  /// inviter's reason; an encrypted text, a file, a call or an unknown payload is a message.
  package var isOnlyInvitation: Bool {
    guard let invitation = XEP0045Invitation(self) else { return false }
    // A mediated one is from a room, which forwards the invitation alone (XEP-0045 §7.8.2).
    return invitation.isMediated || essence == nil && SharedFile(self) == nil
  }

  /// A hash of the content of a message that cannot be read, to distinguish it from another one
  /// with the same id. It is the same live, as a carbon copy and from an archive; `nil` if the
  /// message can be read.
  package var contentPrint: String? {
    guard case .content(let content, _) = essence else { return nil }
    let namespace: String? =
      switch content {
      case .encrypted: encryption?.method
      case .unknown: unknownPayload
      case .call: nil
      }
    let parts = element.elements.filter { $0.namespace == namespace }
    guard !parts.isEmpty else { return nil }
    var hash = StableHash()
    for part in parts { hash.add(part) }
    return hash.text
  }

  /// Indicates whether it is stored as a message of its own, or changes one.
  package var isStored: Bool {
    guard content != nil else { return false }
    switch essence {
    case nil, .content(.encrypted, _), .content(.call, _): return true
    case .content(.unknown, _): return from?.local != nil && from?.resource != nil
    case .callEnd: return false
    }
  }

  private var source: String? {
    let text = XMLWriter().string(element)
    return text.utf8.count <= Self.sourceLimit ? text : nil
  }

  private static func shortened(_ text: String) -> String {
    String(text.unicodeScalars.prefix(nameLimit))
  }
}
