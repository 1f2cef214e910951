import Sockets

/// The certificates that requests trust in addition to the system's, read once.
///
/// `@unchecked Sendable`: after `init` it is accessed on the queue of one engine only.
final class TrustedAuthorities: @unchecked Sendable {
  private let trust: TrustOptions
  private var read: Result<[UInt8]?, HTTPError>?

  init(_ trust: TrustOptions) { self.trust = trust }

  /// Returns the trusted certificates.
  /// - Parameter systemBundle: the system's own file.
  /// - Returns: the certificates that replace that file; `nil` to use the file.
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
