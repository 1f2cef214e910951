/// Host names in the form the network knows them.
///
/// The system's and libcurl's own conversions go by the locale, which may well be "C".
package enum DomainName {
  /// A name with its internationalised labels as A-labels (RFC 5890 §2.3.2.1), in lower case.
  ///
  /// `name` has to be prepared already, as a JID's domain is (RFC 7622 §3.2): normalised and mapped.
  /// - Returns: `nil` when a label is too long or the name is empty; anything in ASCII only comes back as it is, in lower case.
  package static func ascii(_ name: String) -> String? {
    var labels: [String] = []
    for label in name.lowercased().split(separator: ".", omittingEmptySubsequences: false) {
      if label.utf8.allSatisfy({ $0 < 0x80 }) {
        labels.append(String(label))
      } else {
        guard let encoded = Punycode.encoded(label.unicodeScalars.map(\.value)),
          encoded.utf8.count <= Punycode.longest
        else { return nil }
        labels.append("xn--" + encoded)
      }
    }
    let joined = labels.joined(separator: ".")
    return joined.isEmpty ? nil : joined
  }

  /// Whether `host` is an address in numbers, or names this machine: there is nothing to look up.
  package static func isLiteral(_ host: String) -> Bool {
    if host.contains(":") || host.hasPrefix("/") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
