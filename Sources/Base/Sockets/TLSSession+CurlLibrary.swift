import CCurl
import Glibc

/// The process-wide state of libcurl, shared by all modules.
package enum CurlLibrary {
  private static let code: CURLcode = {
    // With CURLOPT_NOSIGNAL libcurl does not handle SIGPIPE, and TLS writes to a closed socket
    // raise it.
    signal(SIGPIPE, SIG_IGN)
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

  /// Indicates whether libcurl can be used. Loads and initialises it at the first call, which takes
  /// some milliseconds.
  package static var isReady: Bool { code == CURLE_OK }

  /// The reason why libcurl cannot be used, from the system's loader; if that has found it, from
  /// libcurl itself.
  package static var problem: String {
    if let text = natter_curl_problem() { return String(cString: text) }
    return code == CURLE_OK ? "" : String(cString: curl_easy_strerror(code))
  }
}
