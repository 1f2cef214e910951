import API
import HTTP
import Sockets
import Synchronization

/// The ways into the web: one for each set of authorities that is trusted, made when it is first needed.
nonisolated final class WebClients: Sendable {
  private let clients = Mutex<[String: APIClient]>([:])

  /// - Parameter caFile: the authorities that an account trusts beside the system's.
  func client(caFile: String?) -> APIClient {
    clients.withLock { clients in
      if let known = clients[caFile ?? ""] { return known }
      let client = APIClient(
        transport: CurlTransport(
          trust: TrustOptions(caFile: caFile),
          userAgent: "\(ClientIdentity.name)/\(ClientIdentity.version)"))
      clients[caFile ?? ""] = client
      return client
    }
  }
}
