extension JID {
  /// Reads an `xmpp:` URI (RFC 5122 §2), without its query and fragment.
  /// - Returns: `nil` for anything else.
  package init?(uri text: String) {
    let scheme = "xmpp:"
    guard text.prefix(scheme.count).lowercased() == scheme else { return nil }
    let path = text.dropFirst(scheme.count).prefix { $0 != "?" && $0 != "#" }
    self.init(parsing: PercentEncoding.decoded(path))
  }
}
