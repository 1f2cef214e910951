import BoundedText

/// An XMPP address, `localpart@domainpart/resourcepart` (RFC 7622 §3.1).
package struct JID: Hashable, Sendable {
  package let local: String?
  package let domain: String
  package let resource: String?

  /// Creates an address from prepared parts (RFC 7622 §3.2-3.4); outside text goes through
  /// `init(parsing:)`.
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
    guard local != nil || resource != nil else { return domain }
    var text = ""
    // Each part may have one more character beside it.
    text.reserveCapacity(
      (local?.utf8.count ?? 0) + domain.utf8.count + (resource?.utf8.count ?? 0) + 2)
    if let local {
      text += local
      text += "@"
    }
    text += domain
    if let resource {
      text += "/"
      text += resource
    }
    return text
  }
}

/// The reason why a text is not an address.
package enum JIDError: Error, Hashable, Sendable, CaseIterable {
  case empty
  /// An `@` has nothing before it.
  case emptyLocal
  case emptyDomain
  /// A `/` has nothing after it.
  case emptyResource
  /// A character that is not allowed before the `@` (RFC 7622 §3.3.1).
  case forbiddenInLocal
  case forbiddenInDomain
  case forbiddenInResource
  /// A part is longer than 1023 bytes, or the whole address than 3071.
  case tooLong
}

extension JID {
  /// Reads an address as stanzas contain it, and prepares its parts (RFC 7622 §3); `nil` when it is
  /// not an address.
  package init?(parsing text: String) {
    guard let jid = try? JID.parse(text) else { return nil }
    self = jid
  }

  /// Does the same as `init(parsing:)`, but throws the reason.
  package static func parse(_ text: String) throws(JIDError) -> JID {
    guard !text.isEmpty else { throw .empty }
    if let plain = plain(text) { return plain }
    // Check the length before preparing a part, which takes time in proportion to it.
    guard text.utf8.count <= JIDPreparation.longestAddress else { throw .tooLong }
    // The first slash begins the resource, which may contain more slashes, and at signs
    // (RFC 7622 §3.2).
    let utf8 = text.utf8
    let slash = utf8.firstIndex(of: UInt8(ascii: "/"))
    let address = text[..<(slash ?? text.endIndex)]
    var local: String?
    var domain = address
    if let at = address.utf8.firstIndex(of: UInt8(ascii: "@")) {
      local = try JIDPreparation.local(address[..<at])
      domain = address[address.utf8.index(after: at)...]
    }
    let prepared = try JIDPreparation.domain(domain)
    var resource: String?
    if let slash { resource = try JIDPreparation.resource(text[utf8.index(after: slash)...]) }
    return JID(local: local, domain: prepared, resource: resource)
  }

  /// Reads `text` when it is in its final form already, as almost every address in a stanza is.
  /// This fast path matters because every consumer of a stanza reads its sender. `nil` when full
  /// preparation is needed.
  private static func plain(_ text: String) -> JID? {
    let found = text.utf8.withContiguousStorageIfAvailable { bytes -> JID? in
      guard bytes.count <= JIDPreparation.longest else { return nil }
      var at: Int?
      var slash: Int?
      for index in bytes.indices {
        let byte = bytes[index]
        if byte == UInt8(ascii: "/") {
          slash = index
          break
        }
        if byte == UInt8(ascii: "@"), at == nil {
          at = index
        } else if !JIDPreparation.isPlain(byte) {
          return nil
        }
      }
      let address = bytes[..<(slash ?? bytes.count)]
      let domain = address[((at ?? -1) + 1)...]
      guard at != 0, JIDPreparation.isPlainDomain(domain) else { return nil }
      var resource: String?
      if let slash {
        let rest = bytes[(slash + 1)...]
        guard !rest.isEmpty, rest.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return nil }
        resource = String(decoding: rest, as: UTF8.self)
      }
      return JID(
        local: at.map { String(decoding: bytes[..<$0], as: UTF8.self) },
        domain: String(decoding: domain, as: UTF8.self), resource: resource)
    }
    return found ?? nil
  }

  /// Reads an address that the user entered: with blanks around it, a full-width `＠`, the `xmpp:`
  /// of a link, or invisible characters that were copied with it.
  package init?(userInput text: String) {
    guard let jid = try? JID.parse(userInput: text) else { return nil }
    self = jid
  }

  /// Does the same as `init(userInput:)`, but throws the reason.
  package static func parse(userInput text: String) throws(JIDError) -> JID {
    // Surrounding characters may be removed, and percent-encoding may triple the length.
    guard text.utf8.count <= 4 * JIDPreparation.longestAddress else { throw .tooLong }
    return try parse(JIDPreparation.cleaned(text).bounded)
  }

  /// Returns this address with another resource, prepared; `nil` when `resource` is not valid.
  package func with(resource: String) -> JID? {
    guard let prepared = try? JIDPreparation.resource(Substring(resource)) else { return nil }
    return JID(local: local, domain: domain, resource: prepared)
  }
}
