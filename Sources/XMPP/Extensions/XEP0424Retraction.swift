/// A message that takes an earlier one back (XEP-0424), or a room's word that one is taken back (XEP-0425).
package enum XEP0424Retraction {
  package static let namespace = "urn:xmpp:message-retract:1"
  /// Of earlier versions, which others still write.
  private static let former = "urn:xmpp:message-retract:0"
  private static let moderation = "urn:xmpp:message-moderate:1"
  private static let formerModeration = "urn:xmpp:message-moderate:0"
  private static let fastening = "urn:xmpp:fasten:0"

  /// What a message has in it that takes back the one that is called `id` (§3.1): its text is there for clients that do not
  /// know better.
  package static func elements(of id: String) -> [Element] {
    [
      Element("retract", namespace, ["id": id]),
      Element("fallback", XEP0428Fallback.namespace, ["for": namespace]),
      XEP0334Hints.store,
    ]
  }

  /// Which message is to be taken back, and whether that is somebody's decision who did not write it; `nil`: none.
  static func target(in element: Element) -> (id: String, isModerated: Bool)? {
    if let retract = element.first("retract", namespace), let id = retract["id"], !id.isEmpty {
      return (id, retract.first("moderated", moderation) != nil)
    }
    // XEP-0424 v0.3 and XEP-0425 v0.2.
    guard let applied = element.first("apply-to", fastening), let id = applied["id"], !id.isEmpty
    else { return nil }
    if let moderated = applied.first("moderated", formerModeration) {
      return moderated.first("retract", former) == nil ? nil : (id, true)
    }
    return applied.first("retract", former) == nil ? nil : (id, false)
  }

  /// Whether `element` is what an archive has kept of a message that was taken back (XEP-0424 §5, XEP-0425 §5).
  static func isTombstone(_ element: Element) -> Bool {
    element.first("retracted", namespace) != nil || element.first("retracted", former) != nil
      || element.first("moderated", formerModeration)?.first("retracted", former) != nil
  }

  /// Whether it was a moderator who took it back.
  static func isModerated(_ element: Element) -> Bool {
    element.first("moderated", formerModeration) != nil
      || element.first("retracted", namespace)?.first("moderated", moderation) != nil
  }
}

extension MessageStanza {
  /// Which message is to be taken back, and whether that is somebody's decision who did not write it; `nil`: none.
  package var retraction: (id: String, isModerated: Bool)? {
    XEP0424Retraction.target(in: element)
  }

  /// What an archive has kept of a message that was taken back, and whether a moderator did it; `nil`: it is none.
  package var tombstone: Bool? {
    guard body == nil, XEP0424Retraction.isTombstone(element) else { return nil }
    return XEP0424Retraction.isModerated(element)
  }
}
