import Sockets
import Synchronization

/// The hosts on this machine and on private networks that requests may reach: those of the
/// account's own server, if it is there itself, and those that the user has agreed to.
///
/// Addresses of files come from others. Without this check a message could cause requests to
/// programs on this machine, and on its local network, in the user's name.
package final class NetworkReach: Sendable {
  private struct State {
    var agreed: Set<String> = []
    /// The private addresses of the account's own server.
    var home: Set<[UInt8]> = []
  }

  private let state = Mutex(State())
  /// The names of the account's server: the domain, and the host that the user has configured.
  private let names: [String]

  /// - Parameter names: the names of the account's own server.
  package init(home names: [String]) {
    self.names = names.map { DomainName.ascii($0) ?? $0.lowercased() }
  }

  /// Permits requests to `host`, at any address, until the end of the program.
  package func agree(to host: String) { state.withLock { _ = $0.agreed.insert(host.lowercased()) } }

  /// Returns whether a request may reach `address`, an address of `host`.
  func permits(_ host: String, at address: [UInt8]) -> Bool {
    guard PrivateNetwork.contains(address) else { return true }
    return state.withLock { state in
      state.agreed.contains(host) || state.home.contains(address)
        || !state.home.isEmpty && isHome(host) && !PrivateNetwork.isThisMachine(address)
    }
  }

  /// Returns whether `host` is a name of the account's own server, or a subdomain of it.
  private func isHome(_ host: String) -> Bool {
    names.contains { host == $0 || host.hasSuffix("." + $0) }
  }

  /// Looks up the addresses of the account's own server.
  func findHome() async {
    var found: Set<[UInt8]> = []
    for name in names {
      // Loopback addresses count only if the user named this machine: the DNS of any server can
      // return them.
      let isHere =
        name == "localhost" || name.hasSuffix(".localhost") || PrivateNetwork.bytes(of: name) != nil
      // A name without an address is not on a private network.
      let addresses = try? await AddressLookup.addresses(of: name, port: 443, limit: .seconds(10))
      for address in addresses ?? [] {
        if let bytes = address.numericHost.flatMap(PrivateNetwork.bytes),
          PrivateNetwork.contains(bytes), isHere || !PrivateNetwork.isThisMachine(bytes)
        {
          found.insert(bytes)
        }
      }
    }
    let home = found
    state.withLock { $0.home = home }
  }
}
