import Glibc

/// One place where a client may reach its server, and how TLS begins there.
package struct Endpoint: Hashable, Sendable {
  package enum Mode: String, Hashable, Sendable {
    /// TLS from the first byte on (XEP-0368).
    case directTLS
    /// TLS after `<starttls/>` (RFC 6120 §5).
    case startTLS
    /// No TLS at all: on this machine only.
    case plain
  }

  /// A name, an address in numbers, or a Unix socket's path (it begins with `/`).
  package let host: String
  package let port: Int
  package let mode: Mode
  /// Whether a name server told of it; otherwise it was given or guessed.
  package let fromSRV: Bool

  package init(host: String, port: Int, mode: Mode, fromSRV: Bool = false) {
    self.host = host
    self.port = port
    self.mode = mode
    self.fromSRV = fromSRV
  }
}

extension Endpoint {
  /// Whether `host` is certainly this machine, by its name alone (RFC 6761 §6.3) or as an address in numbers, brackets allowed,
  /// or a Unix socket's path. A name that a name server may say so of is not.
  package static func isThisMachine(_ host: String) -> Bool {
    if host.hasPrefix("/") { return true }
    let bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    var four = in_addr()
    if inet_pton(AF_INET, bare, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    var six = in6_addr()
    if inet_pton(AF_INET6, bare, &six) == 1 {
      return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }
    var name = bare.lowercased()
    if name.hasSuffix(".") { name.removeLast() }
    return name == "localhost" || name.hasSuffix(".localhost")
  }
}

/// Which ways of TLS may be used.
package enum ConnectionSecurity: Hashable, Sendable {
  /// Both, in the order the name servers give.
  case automatic
  case startTLS
  case direct
  /// None: on this machine only.
  case off

  /// Whether TLS from the first byte on is allowed.
  var allowsDirect: Bool { self == .automatic || self == .direct }
  /// Whether `<starttls/>` is allowed.
  var allowsStartTLS: Bool { self == .automatic || self == .startTLS }
}

extension Endpoint {
  /// Whether the system's resolver finds an address of the host, within `limit`.
  package func hasAddress(limit: Duration) async -> Bool {
    if host.hasPrefix("/") { return access(host, F_OK) == 0 }
    // Why there is none makes no difference here.
    return (try? await AddressLookup.addresses(of: host, port: Int(port), limit: limit)) != nil
  }
}
