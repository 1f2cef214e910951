/// Host names in the form that the network uses.
///
/// The conversions of the system and of libcurl depend on the locale, which may well be "C".
package enum DomainName {
  /// Returns a name with its internationalised labels as A-labels (RFC 5890 §2.3.2.1), in lower
  /// case.
  ///
  /// `name` must be prepared already, as a JID's domain is (RFC 7622 §3.2): normalised and mapped.
  /// - Returns: `nil` when a label is too long or the name is empty; a pure ASCII name is returned
  ///   unchanged, in lower case.
  package static func ascii(_ name: String) -> String? {
    var labels: [String] = []
    // By scalars: a combining mark after a dot, or a letter such as U+0D4E before it, forms one
    // character with it.
    for part in name.lowercased().unicodeScalars.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "." })
    {
      if part.allSatisfy({ $0.value < 0x80 }) {
        labels.append(String(part))
      } else {
        guard let encoded = Punycode.encoded(part.map(\.value)),
          encoded.utf8.count <= Punycode.longest
        else { return nil }
        labels.append("xn--" + encoded)
      }
    }
    let joined = labels.joined(separator: ".")
    return joined.isEmpty ? nil : joined
  }

  /// Returns whether `host` is a numeric address or a path on this machine, so that nothing is
  /// looked up.
  package static func isLiteral(_ host: String) -> Bool {
    if host.contains(":") || host.hasPrefix("/") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
