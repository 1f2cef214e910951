import API
import HTTP
import NatterCore
import Sockets
import Synchronization
import XMPP

/// The ways into the web: one for each set of authorities that is trusted, made when it is first needed, all over one multi
/// handle.
nonisolated final class WebClients: Sendable {
  private struct Made {
    var clients: [String: APIClient] = [:]
    /// Whose multi handle all use.
    var first: CurlTransport?
  }

  private let made = Mutex(Made())

  /// - Parameter caFile: the authorities that an account trusts beside the system's.
  func client(caFile: String?) -> APIClient {
    made.withLock { made in
      if let known = made.clients[caFile ?? ""] { return known }
      let transport = CurlTransport(
        trust: TrustOptions(caFile: caFile),
        userAgent: "\(ClientIdentity.name)/\(ClientIdentity.version)", sharing: made.first)
      if made.first == nil { made.first = transport }
      let client = APIClient(transport: transport)
      made.clients[caFile ?? ""] = client
      return client
    }
  }
}

extension APIClient {
  /// The same for the files of an account: those on private networks only where its own server is, unless the user agrees.
  nonisolated func forFiles(of account: Account) -> APIClient {
    var client = self
    client.fileReach = NetworkReach(home: [account.jid.domain, account.server].compactMap { $0 })
    return client
  }
}
