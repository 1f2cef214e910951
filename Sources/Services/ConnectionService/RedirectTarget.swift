import NatterCore

/// A host that a server redirects to: `HOST`, `HOST:PORT`, an IPv6 address in brackets or without a
/// port (RFC 6120 §4.9.3.19, XEP-0198 §5).
struct RedirectTarget: Hashable, Sendable {
  let host: String
  let port: Int?

  /// - Returns: `nil` for a text that names no host, such as a path: a server does not redirect its
  ///   clients to a file.
  init?(_ text: String) {
    var host = text[...]
    while host.first?.isWhitespace == true { host.removeFirst() }
    while host.last?.isWhitespace == true { host.removeLast() }
    var port: Int?
    let colons = host.count { $0 == ":" }
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      let rest = host[host.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      if !rest.isEmpty {
        guard let number = Self.port(rest.dropFirst()) else { return nil }
        port = number
      }
      host = host[..<end].dropFirst()
    } else if colons == 1, let colon = host.firstIndex(of: ":") {
      guard let number = Self.port(host[host.index(after: colon)...]) else { return nil }
      port = number
      host = host[..<colon]
    }
    guard !host.isEmpty, host.utf8.count < 1024, !host.hasPrefix("/"),
      host.allSatisfy({ !$0.isWhitespace && $0 != "\0" })
    else { return nil }
    self.host = String(host)
    self.port = port
  }

  private static func port(_ text: Substring) -> Int? {
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text),
      (1...65535).contains(number)
    else { return nil }
    return number
  }
}

extension Account {
  /// Returns the same account, with another host of its server.
  func at(_ target: RedirectTarget) -> Account {
    var account = self
    account.server = target.host
    account.port = target.port
    return account
  }
}
