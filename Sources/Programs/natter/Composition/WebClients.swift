import API
import HTTP
import NatterCore
import Sockets
import Synchronization
import XMPP

/// The HTTP clients: one for each set of trusted authorities, created when it is first needed, all
/// over one multi handle.
nonisolated final class WebClients: Sendable {
  private struct Made {
    var clients: [String: APIClient] = [:]
    /// The transport with the multi handle that all use.
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
  /// The same for the files of an account: files on private networks only where its own server is,
  /// unless the user agrees.
  nonisolated func forFiles(of account: Account) -> APIClient {
    var client = self
    client.fileReach = NetworkReach(home: [account.jid.domain, account.server].compactMap { $0 })
    return client
  }
}
