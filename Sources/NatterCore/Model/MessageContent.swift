import XMPP

extension Message {
  /// What a message is whose text is not what was said. It is shown in words of Natter's own; its `body` is empty.
  package enum Content: Hashable, Sendable {
    /// Encrypted (XEP-0380), and not decrypted.
    case encrypted(XEP0380Encryption)
    /// Something that is not known here; the namespace is from outside.
    case unknown(namespace: String)
    /// Somebody called (XEP-0353).
    case call(Call)
  }

  /// What became of a call from somebody else.
  package enum Call: String, Hashable, Sendable {
    /// It may still ring.
    case ringing
    /// Nobody took it.
    case missed
    /// Another client of the account took it.
    case answered
    /// Another client of the account declined it.
    case declined
  }

  /// Whether it could not be read because it is encrypted.
  package var isEncrypted: Bool {
    if case .encrypted = content { true } else { false }
  }
}

extension IncomingMessage {
  /// What a message brings in place of a text.
  package enum Payload: Hashable, Sendable {
    /// A message; `source` is its stanza as XML, for a version that can read it. `nil`: it is too large to be kept.
    case content(Message.Content, source: String?)
    /// What became of the call of this id: no message of its own.
    case callEnd(id: String, Message.Call)
  }

  /// Whether it is shown as a message: one that is not known here only from a person, and calls only from a contact's address.
  /// - Parameter account: the own bare address.
  package func isKept(by account: JID) -> Bool {
    switch payload {
    case nil, .content(.encrypted, _): return true
    case .content(.unknown, _):
      // A client has a resource, and so has an occupant; servers, services and rooms speak without one.
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
  /// Larger ones are not kept: the encrypted text of what is typed takes a few hundred bytes, and so do its keys for each device.
  private static let sourceLimit = 32768
  private static let nameLimit = 100

  /// What is stored of it as its text: what it says, or does to another message; empty: `payload` says what it is; `nil`: it is
  /// nothing to be stored.
  package var content: String? {
    if let effect { return effect.text }
    if encryption != nil { return "" }
    // The text that is there beside it is the other client's, for those who cannot read it.
    if isKeyTransport, announcedEncryption != nil { return nil }
    if let words { return words }
    return essence == nil ? nil : ""
  }

  /// What it brings in place of a text; `nil`: its text is all, or there is nothing.
  package var payload: IncomingMessage.Payload? {
    switch essence {
    case .content(.call, _), .callEnd, nil: essence
    // Written out once for each message, and not to see what it is.
    case .content(let content, _): .content(content, source: source)
    }
  }

  /// `payload` without the stanza's text.
  private var essence: IncomingMessage.Payload? {
    guard effect == nil else { return nil }
    if let encryption {
      let known = XEP0380Encryption(
        method: Self.shortened(encryption.method), name: encryption.name.map(Self.shortened))
      return .content(.encrypted(known), source: nil)
    }
    if words != nil || isKeyTransport { return nil }
    if let step = callStep {
      switch step.kind {
      case .propose: return .content(.call(.ringing), source: nil)
      case .retract: return .callEnd(id: step.call, .missed)
      case .accept, .proceed: return .callEnd(id: step.call, .answered)
      case .reject: return .callEnd(id: step.call, .declined)
      case .ringing, .finish: return nil
      }
    }
    return unknownPayload.map { .content(.unknown(namespace: Self.shortened($0)), source: nil) }
  }

  /// What tells a message that cannot be read from another one under the same id: a hash of what is in it, the same live, as a
  /// copy and from an archive; `nil`: it can be read.
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

  /// Whether it is stored as a message of its own, or changes one.
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
