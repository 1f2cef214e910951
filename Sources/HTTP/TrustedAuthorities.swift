import Sockets

/// The certificates that requests trust beside the system's, read once.
///
/// `@unchecked Sendable`: after `init` it is touched on the queue of one engine only.
final class TrustedAuthorities: @unchecked Sendable {
  private let trust: TrustOptions
  private var read: Result<[UInt8]?, HTTPError>?

  init(_ trust: TrustOptions) { self.trust = trust }

  /// - Parameter systemBundle: the file of the system's own.
  /// - Returns: what to trust instead of that file; `nil`: the file.
  /// - Throws: `.tls`.
  func bundle(besides systemBundle: String?) throws(HTTPError) -> [UInt8]? {
    if let read { return try read.get() }
    let result: Result<[UInt8]?, HTTPError>
    do throws(SocketError) {
      result = .success(try trust.bundle(systemBundle: systemBundle))
    } catch {
      switch error {
      case .tls(let text), .authorities(let text): result = .failure(.tls(text))
      default: result = .failure(.tls("\(error)"))
      }
    }
    read = result
    return try result.get()
  }
}
