/// An XMPP address, `localpart@domainpart/resourcepart` (RFC 7622 §3.1).
package struct JID: Hashable, Sendable {
  package let local: String?
  package let domain: String
  package let resource: String?

  /// An address from parts that are already prepared (RFC 7622 §3.2-3.4); text from outside goes through `init(parsing:)`.
  package init(local: String?, domain: String, resource: String? = nil) {
    self.local = local
    self.domain = domain
    self.resource = resource
  }

  /// This address without its resource part.
  package var bare: JID { resource == nil ? self : JID(local: local, domain: domain) }
  package var isBare: Bool { resource == nil }
}

extension JID: CustomStringConvertible {
  package var description: String {
    (local.map { $0 + "@" } ?? "") + domain + (resource.map { "/" + $0 } ?? "")
  }
}
