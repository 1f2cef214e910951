import XML

/// A message that retracts an earlier one (XEP-0424), or a room's notice that a moderator retracted
/// a message (XEP-0425).
package enum XEP0424Retraction {
  package static let namespace = "urn:xmpp:message-retract:1"
  /// The namespace of earlier versions, which other clients still send.
  private static let former = "urn:xmpp:message-retract:0"
  private static let moderation = "urn:xmpp:message-moderate:1"
  private static let formerModeration = "urn:xmpp:message-moderate:0"
  private static let fastening = "urn:xmpp:fasten:0"

  /// Returns the elements of a message that retracts the message `id` (§3.1): they mark its text as
  /// a fallback for clients without support.
  package static func elements(of id: String) -> [Element] {
    [
      Element("retract", namespace, ["id": id]),
      Element("fallback", XEP0428Fallback.namespace, ["for": namespace]),
      XEP0334Hints.store,
    ]
  }

  /// Returns the id of the message to retract, and whether a moderator, not the author, retracts
  /// it; `nil` when `element` retracts nothing.
  static func target(in element: Element) -> (id: String, isModerated: Bool)? {
    if let retract = element.first("retract", namespace), let id = retract["id"], !id.isEmpty {
      return (id.identifier, retract.first("moderated", moderation) != nil)
    }
    // XEP-0424 v0.3 and XEP-0425 v0.2.
    guard let applied = element.first("apply-to", fastening), let id = applied["id"], !id.isEmpty
    else { return nil }
    if let moderated = applied.first("moderated", formerModeration) {
      return moderated.first("retract", former) == nil ? nil : (id.identifier, true)
    }
    return applied.first("retract", former) == nil ? nil : (id.identifier, false)
  }

  /// Returns whether `element` is what an archive keeps of a retracted message (XEP-0424 §5,
  /// XEP-0425 §5).
  static func isTombstone(_ element: Element) -> Bool {
    element.first("retracted", namespace) != nil || element.first("retracted", former) != nil
      || element.first("moderated", formerModeration)?.first("retracted", former) != nil
  }

  /// Returns whether a moderator retracted it.
  static func isModerated(_ element: Element) -> Bool {
    element.first("moderated", formerModeration) != nil
      || element.first("retracted", namespace)?.first("moderated", moderation) != nil
  }
}

extension MessageStanza {
  /// The id of the message to retract, and whether a moderator, not the author, retracts it; `nil`
  /// when it retracts nothing.
  package var retraction: (id: String, isModerated: Bool)? {
    XEP0424Retraction.target(in: element)
  }

  /// Indicates whether a moderator retracted the message that this is an archive's tombstone of;
  /// `nil` when it is not a tombstone.
  package var tombstone: Bool? {
    guard !hasBody, XEP0424Retraction.isTombstone(element) else { return nil }
    return XEP0424Retraction.isModerated(element)
  }
}
