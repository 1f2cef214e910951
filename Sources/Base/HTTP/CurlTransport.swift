import CCurl
import Sockets

/// HTTP by libcurl: one multi handle for the whole program, driven by Dispatch.
///
/// Connections are reused, HTTP/2 is used where the server offers it, and so are the proxies of the
/// environment (`https_proxy`, `all_proxy`, `no_proxy`), but never for this machine. The first
/// request loads libcurl.
package final class CurlTransport: HTTPTransport {
  /// The engine, closed with the last transport that uses it.
  private final class Share: Sendable {
    let engine = CurlEngine()
    deinit { engine.close() }
  }

  private let share: Share
  private let authorities: TrustedAuthorities
  private let userAgent: String

  /// - Parameters:
  ///   - userAgent: the User-Agent header, in ASCII.
  ///   - other: a transport with other trusted authorities, whose multi handle this one shares.
  package init(
    trust: TrustOptions = TrustOptions(), userAgent: String = "Natter",
    sharing other: CurlTransport? = nil
  ) {
    share = other?.share ?? Share()
    authorities = TrustedAuthorities(trust)
    self.userAgent = userAgent
  }

  package func send(
    _ request: HTTPRequest, control: TransferControl?
  ) async throws(HTTPError) -> HTTPResponse {
    var request = request
    if request.headers["User-Agent"] == nil { request.headers["User-Agent"] = userAgent }
    for _ in 0...5 {
      let (response, location) = try await permittedAttempt(request, control: control)
      guard let location else { return response }
      request = try Self.redirected(request, to: location)
    }
    throw .tooManyRedirects
  }

  /// Makes an attempt as `attempt` does. The addresses of the account's own server are looked up
  /// only when they matter.
  private func permittedAttempt(
    _ request: HTTPRequest, control: TransferControl?
  ) async throws(HTTPError) -> (HTTPResponse, location: String?) {
    do throws(HTTPError) {
      return try await attempt(request, control: control)
    } catch {
      guard case .privateNetwork(let host, let address) = error, let reach = request.reach else {
        throw error
      }
      await reach.findHome()
      guard reach.permits(host, at: address) else { throw error }
      return try await attempt(request, control: control)
    }
  }

  private func attempt(
    _ request: HTTPRequest, control: TransferControl?
  ) async throws(HTTPError) -> (HTTPResponse, location: String?) {
    guard request.address.isPermitted else {
      throw .clearTextRefused(host: request.address.host)
    }
    let host = request.address.host
    // A proxy looks up names itself, so only numeric addresses can be checked here.
    if let reach = request.reach, let address = PrivateNetwork.bytes(of: host),
      !reach.permits(host, at: address)
    {
      throw .privateNetwork(host: host, address: address)
    }
    if let field = request.headers.fields.first(where: { !$0.isValid }) {
      throw .invalidHeader(name: field.name)
    }
    let exchange = CurlExchange(request, control: control, authorities: authorities)
    let engine = share.engine
    let result = await withTaskCancellationHandler {
      engine.start(exchange)
      return await exchange.outcome.value()
    } onCancel: {
      engine.cancel(exchange)
    }
    return try result.get()
  }

  /// Returns the same request for the target of a redirection.
  static func redirected(
    _ request: HTTPRequest, to location: String
  ) throws(HTTPError) -> HTTPRequest {
    let old = request.address
    guard let new = WebAddress(location), new.isPermitted,
      new.isEncrypted || !old.isEncrypted, old.isLoopback || !new.mayBeLoopback
    else { throw .redirectRefused(to: location) }
    let isSame = new.hasSameOrigin(as: old)
    switch (request.method, request.redirects) {
    case (.get, .anyServer), (.head, .anyServer): break
    case (.get, .sameServer) where isSame, (.head, .sameServer) where isSame: break
    default: throw .redirectRefused(to: location)
    }
    var request = request
    request.address = new
    if !isSame { request.headers = request.headers.withoutCredentials }
    return request
  }
}
