import XML

/// The content of a message for its reader, beside payloads that show nothing (`SilentPayload`).
extension MessageStanza {
  /// The kinds of content. Of several in a message, the first one of this list counts.
  package enum Content: Hashable, Sendable {
    /// A change of another message: reactions (XEP-0444), or a retraction (XEP-0424).
    case effect
    /// An encrypted text (XEP-0380).
    case encrypted(XEP0380Encryption)
    case text
    /// A step of a call that a user notices (XEP-0353).
    case call(XEP0353Step)
    /// A payload that nothing here reads; its namespace, as the sender wrote it.
    case unknown(namespace: String)
  }

  /// The content; `nil` if there is nothing to store or to show.
  package var content: Content? {
    if reactions != nil || retraction != nil { return .effect }
    if let encryption { return .encrypted(encryption) }
    // The text beside it is a fallback of the other client, for recipients that cannot decrypt it.
    if isKeyTransport { return announcedEncryption == nil && hasText ? .text : nil }
    if hasText { return .text }
    if let callStep { return callStep.kind == .ringing ? nil : .call(callStep) }
    return unknownPayload.map { .unknown(namespace: $0) }
  }

  /// Indicates whether it is stored as a message of its own, or changes one.
  package var isStored: Bool {
    switch content {
    case .effect, .encrypted, .text: true
    case .call(let step): step.kind == .propose
    case .unknown: from?.local != nil && from?.resource != nil
    case nil: false
    }
  }

  /// Indicates whether it has a text to show, which takes less than making it: a body, formatted
  /// text, the description or the URL of a file, a subject that is not the room's, or a location.
  package var hasText: Bool {
    bodyBeginning?.saysNothing == false || body?.saysNothing == false || formattedText != nil
      || outOfBandDescription != nil || sharedFile?.url.saysNothing == false
      || !isSubjectChange && subject?.saysNothing == false || location != nil
  }
}
