import CCurl
import Glibc

/// libcurl as one thing of the process, whichever module uses it.
package enum CurlLibrary {
  private static let code: CURLcode = {
    // With CURLOPT_NOSIGNAL libcurl leaves SIGPIPE alone, and TLS writes to a socket whose peer has gone raise it.
    signal(SIGPIPE, SIG_IGN)
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

  /// Whether it can be used. Loads and prepares it at the first call, which takes some milliseconds.
  package static var isReady: Bool { code == CURLE_OK }

  /// Why it cannot, in the words of the system's loader; where that has found it, libcurl's own.
  package static var problem: String {
    if let words = natter_curl_problem() { return String(cString: words) }
    return code == CURLE_OK ? "" : String(cString: curl_easy_strerror(code))
  }
}
