import XMPP

// Addresses in stored data: prepared before they were stored (RFC 7622 §3.1), so they are only
// split.
extension JID {
  /// Creates a JID from the text of one that was prepared before.
  package init(prepared text: String) {
    // By bytes: a resource that begins with a combining mark forms one character with the slash
    // before it.
    let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
    let bare = text[..<(slash ?? text.endIndex)]
    let resource = slash.map { String(text[text.utf8.index(after: $0)...]) }
    guard let at = bare.utf8.firstIndex(of: UInt8(ascii: "@")) else {
      self.init(local: nil, domain: String(bare), resource: resource)
      return
    }
    self.init(
      local: String(bare[..<at]), domain: String(bare[bare.utf8.index(after: at)...]),
      resource: resource)
  }
}

extension JID: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(prepared: try decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
