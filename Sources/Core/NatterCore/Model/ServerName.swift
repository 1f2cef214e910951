import Glibc

/// A server name as the user types it: `HOST`, `HOST:PORT`, `[IPv6]:PORT` or a bare IPv6 address.
package struct ServerName: Hashable, Sendable {
  package let host: String
  /// 1 to 65535; `nil` if absent.
  package let port: Int?

  /// - Returns: `nil` for anything else, such as a URL, a path or a text with blanks.
  package init?(_ text: String) {
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else { return nil }
      host = String(text[text.index(after: text.startIndex)..<close])
      let rest = text[text.index(after: close)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      guard let port = Self.port(rest.dropFirst()) else { return nil }
      self.port = port.value
    } else if text.split(separator: ":", omittingEmptySubsequences: false).count == 2,
      let colon = text.lastIndex(of: ":")
    {
      host = String(text[..<colon])
      guard let port = Self.port(text[text.index(after: colon)...]), port.value != nil else {
        return nil
      }
      self.port = port.value
    } else {
      host = text
      port = nil
    }
    if host.isEmpty || host.contains(where: { $0.isWhitespace || "[]/@".contains($0) }) {
      return nil
    }
    // Several colons occur only in an IPv6 address.
    if host.contains(":"), !Self.isIPv6(host) { return nil }
  }

  private static func isIPv6(_ text: String) -> Bool {
    // The part after a % is the name of an interface.
    var address = in6_addr()
    return inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1
  }

  private static func port(_ text: Substring) -> (value: Int?, Void)? {
    if text.isEmpty { return (nil, ()) }
    guard let number = Int(text), (1...65535).contains(number) else { return nil }
    return (number, ())
  }
}
