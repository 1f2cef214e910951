import BoundedText
import Text
import XMPP

/// An address that the program can open: `natter://module/action?name=value`, or `xmpp:` (RFC 5122,
/// with the queries of XEP-0147).
nonisolated package struct ResourceAddress: Hashable, Sendable {
  /// The supported URI schemes.
  package enum Scheme: String, Hashable, Sendable { case natter, xmpp }

  package let scheme: Scheme
  /// `natter://`: module and action, as in `rooms/join`. `xmpp:`: the JID.
  package let path: String
  /// The query type after the `?` of an `xmpp:` address; empty for none.
  package let query: String
  package let parameters: [String: String]
  /// The account that is to be used (RFC 5122 §2.3); `nil`: the current one.
  package let account: String?

  /// Returns true if `text` begins with one of the schemes, complete or not.
  package static func isBegun(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":") else { return false }
    return Scheme(rawValue: text[..<colon].lowercased()) != nil
  }

  /// Parses an address; `nil` if it has neither scheme, or is malformed.
  package init?(_ text: String) {
    let text = text.trimmed
    guard let colon = text.firstIndex(of: ":"),
      let scheme = Scheme(rawValue: text[..<colon].lowercased())
    else { return nil }
    self.scheme = scheme
    var rest = text[text.index(after: colon)...]
    if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
    var account: String?
    if scheme == .natter {
      guard rest.hasPrefix("//") else { return nil }
      rest = rest.dropFirst(2)
    } else if rest.hasPrefix("//") {
      // An authority names the account to use; the path follows it.
      guard let slash = rest.dropFirst(2).firstIndex(of: "/"),
        let name = Self.decoded(rest[..<slash].dropFirst(2))
      else { return nil }
      if !name.isEmpty { account = name }
      rest = rest[rest.index(after: slash)...]
    }
    self.account = account
    let mark = rest.firstIndex(of: "?") ?? rest.endIndex
    guard let path = Self.decoded(rest[..<mark]), !path.isEmpty else { return nil }
    self.path = path.last == "/" ? String(path.dropLast()) : path
    var query = ""
    var parameters: [String: String] = [:]
    let behind = mark < rest.endIndex ? rest[rest.index(after: mark)...] : ""
    // XEP-0147 separates them by semicolons; if there is one, `&` is part of a value. Web pages
    // that do not follow it write `&` between them.
    let parts = behind.split {
      scheme == .xmpp && behind.contains(";") ? $0 == ";" : ";&".contains($0)
    }
    for (index, part) in parts.enumerated() {
      guard let equal = part.firstIndex(of: "=") else {
        if index == 0, let word = Self.decoded(part) { query = word.lowercased() }
        continue
      }
      guard let name = Self.decoded(part[..<equal]),
        let value = Self.decoded(part[part.index(after: equal)...])
      else { return nil }
      parameters[name.lowercased()] = value
    }
    self.query = query
    self.parameters = parameters
  }

  /// Returns the `xmpp:` address of `jid` with a query of XEP-0147, to be shared with others.
  package static func xmpp(
    _ jid: JID, query: String, parameters: [(name: String, value: String)] = []
  ) -> String {
    parameters.reduce("xmpp:\(encoded(jid.description, also: "@/"))?\(query)") {
      "\($0);\($1.name)=\(encoded($1.value))"
    }
  }

  private static func encoded(_ text: String, also plain: String = "") -> String {
    var result = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": result.unicodeScalars.append(scalar)
      case _ where plain.unicodeScalars.contains(scalar): result.unicodeScalars.append(scalar)
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return result
  }

  /// Decodes `%41` to `A`; `nil` if the result is not UTF-8, or contains control characters.
  private static func decoded(_ text: Substring) -> String? {
    guard let bytes = PercentDecoding.validBytes(of: text),
      let result = String(validating: bytes, as: UTF8.self)?.bounded
    else { return nil }
    // A line end may be part of a message's text; other control characters are invalid.
    return result.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0.value == 0x7F }
      ? nil : result
  }
}
