import CCurl
import Glibc
import Sockets

extension CurlExchange {
  /// Returns the error for libcurl's result.
  func error(_ code: CURLcode) -> HTTPError {
    var detail = errorText.map { String(cString: $0) } ?? ""
    if detail.isEmpty { detail = String(cString: curl_easy_strerror(code)) }
    let port = request.address.port
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(host)
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy(detail)
    case CURLE_OPERATION_TIMEDOUT:
      return detail.contains("too slow") ? .stalled(host: host) : .timedOut(host: host)
    case CURLE_COULDNT_CONNECT where refusedAddress != nil:
      return .privateNetwork(host: host, address: refusedAddress ?? [])
    case CURLE_COULDNT_CONNECT:
      var system = 0
      natter_getinfo_long(easy, CURLINFO_OS_ERRNO, &system)
      switch CInt(truncatingIfNeeded: system) {
      case ECONNREFUSED: return .refused(host: host, port: port)
      case ETIMEDOUT: return .timedOut(host: host)
      case let other: return .unreachable(host: host, port: port, errno: other)
      }
    case CURLE_PEER_FAILED_VERIFICATION:
      var verdict = 0
      natter_getinfo_long(easy, CURLINFO_SSL_VERIFYRESULT, &verdict)
      let problem = CertificateProblem(verifyResult: verdict, detail: detail)
      return .certificate(problem, host: host, detail: detail)
    case CURLE_SSL_CONNECT_ERROR where Self.isBreak(detail): return .handshakeBroken(host: host)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
      CURLE_SSL_ISSUER_ERROR:
      return .tls(detail)
    case CURLE_PARTIAL_FILE: return .incomplete(host: host)
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return .broken(host: host)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND:
      // Proxies that refuse a tunnel have this result, too.
      guard detail.contains("CONNECT") else { return .broken(host: host) }
      var status = 0
      natter_getinfo_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
      return Self.isFinal(proxyStatus: status) ? .proxyRefused(detail) : .proxy(detail)
    default: return .malformed(detail)
    }
  }

  /// Returns whether a proxy's answer to CONNECT is permanent, so that another attempt would get
  /// the same.
  /// - Parameter proxyStatus: the status code; 0 if there was no answer.
  static func isFinal(proxyStatus: Int) -> Bool {
    switch proxyStatus {
    case 408, 425, 429, 500, 502, 503, 504: false
    default: proxyStatus >= 300
    }
  }

  /// Returns whether a handshake failed because the connection broke. libcurl distinguishes this
  /// from a failed negotiation only by its text, which is the system's or OpenSSL's.
  static func isBreak(_ detail: String) -> Bool {
    let text = detail.lowercased()
    return [
      "connection reset by peer", "broken pipe", "ssl_error_syscall", "unexpected eof",
      "ssl_error_zero_return", "connection timed out", "software caused connection abort",
    ].contains { text.contains($0) }
  }
}
