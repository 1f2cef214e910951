import Glibc

/// An address at which a client may reach its server, and the way TLS begins there.
package struct Endpoint: Hashable, Sendable {
  /// The way TLS begins.
  package enum Mode: String, Hashable, Sendable {
    /// TLS from the first byte on (XEP-0368).
    case directTLS
    /// TLS after `<starttls/>` (RFC 6120 §5).
    case startTLS
    /// No TLS: for this machine only.
    case plain
  }

  /// A name, a numeric address, or the path of a Unix socket (it begins with `/`).
  package let host: String
  package let port: Int
  package let mode: Mode
  /// Indicates whether the endpoint comes from an SRV record; otherwise it was configured or
  /// guessed.
  package let fromSRV: Bool

  package init(host: String, port: Int, mode: Mode, fromSRV: Bool = false) {
    self.host = host
    self.port = port
    self.mode = mode
    self.fromSRV = fromSRV
  }
}

extension Endpoint {
  /// Returns whether `host` is certainly this machine: by its name alone (RFC 6761 §6.3), as a
  /// numeric address with or without brackets, or as the path of a Unix socket. Names that need a
  /// look-up are not.
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

/// The permitted ways of TLS.
package enum ConnectionSecurity: Hashable, Sendable {
  /// Both, in the order of the SRV records.
  case automatic
  case startTLS
  case direct
  /// No TLS: for this machine only.
  case off

  /// Indicates whether direct TLS is allowed.
  var allowsDirect: Bool { self == .automatic || self == .direct }
  /// Indicates whether `<starttls/>` is allowed.
  var allowsStartTLS: Bool { self == .automatic || self == .startTLS }
}

extension Endpoint {
  /// Returns whether the system's resolver finds an address of the host within `limit`.
  package func hasAddress(limit: Duration) async -> Bool {
    if host.hasPrefix("/") { return access(host, F_OK) == 0 }
    // The reason of a failure makes no difference here.
    return (try? await AddressLookup.addresses(of: host, port: Int(port), limit: limit)) != nil
  }
}
