import Sockets
import Synchronization

/// Which hosts on this machine and on private networks requests may go to: those of the account's own server, where that is
/// there itself, and those that the user has agreed to.
///
/// Addresses of files come from others. Without this a message could have the programs of this machine, and of the network
/// that it is in, asked in the user's name.
package final class NetworkReach: Sendable {
  private struct State {
    var agreed: Set<String> = []
    /// The private addresses of the account's own server.
    var home: Set<[UInt8]> = []
  }

  private let state = Mutex(State())
  /// The names of the account's server: the domain, and the host that the user has named.
  private let names: [String]

  /// - Parameter names: of the account's own server.
  package init(home names: [String]) {
    self.names = names.map { DomainName.ascii($0) ?? $0.lowercased() }
  }

  /// Lets requests go to `host`, wherever that is, until the end of the program.
  package func agree(to host: String) { state.withLock { _ = $0.agreed.insert(host.lowercased()) } }

  /// Whether a request may go to `address`, which is one of `host`.
  func permits(_ host: String, at address: [UInt8]) -> Bool {
    guard PrivateNetwork.contains(address) else { return true }
    return state.withLock { state in
      state.agreed.contains(host) || state.home.contains(address)
        || !state.home.isEmpty && isHome(host)
    }
  }

  /// Whether `host` is called as the account's own server is, or as a part of it.
  private func isHome(_ host: String) -> Bool {
    names.contains { host == $0 || host.hasSuffix("." + $0) }
  }

  /// Looks up where the account's own server is.
  func findHome() async {
    var found: Set<[UInt8]> = []
    for name in names {
      // Only a user who named this machine means it: the DNS of any server can give its address.
      let isHere =
        name == "localhost" || name.hasSuffix(".localhost") || PrivateNetwork.bytes(of: name) != nil
      // A name that is not found is nowhere near.
      let addresses = try? await AddressLookup.addresses(of: name, port: 443, limit: .seconds(10))
      for address in addresses ?? [] {
        if let bytes = address.numericHost.flatMap(PrivateNetwork.bytes),
          PrivateNetwork.contains(bytes), isHere || bytes.first != 127
        {
          found.insert(bytes)
        }
      }
    }
    let home = found
    state.withLock { $0.home = home }
  }
}
