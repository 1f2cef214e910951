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
}
