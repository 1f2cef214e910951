/// What a server answered, whether it says yes or no.
package struct HTTPResponse: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  /// Empty when it went into a file.
  package let body: [UInt8]
  /// Where the answer came from, after redirections.
  package let address: WebAddress
  /// How many bytes of the reply went into the file, and from which place on; `nil` when none had to.
  package let written: (offset: Int, byteCount: Int)?

  package init(
    status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], address: WebAddress,
    written: (offset: Int, byteCount: Int)? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.address = address
    self.written = written
  }

  package var isSuccess: Bool { (200..<300).contains(status) }

  /// The length that the server tells; `nil` when it does not.
  package var contentLength: Int? {
    headers["Content-Length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Whether what the server tells of its body is told of a packed form of it (RFC 9110 §8.4).
  package var isEncoded: Bool {
    headers["Content-Encoding"].map { !$0.isEmpty && $0.lowercased() != "identity" } ?? false
  }

  /// How long the whole is of which a range was asked for (RFC 9110 §14.4): what stands behind the slash of
  /// `Content-Range`; `nil` when the server does not tell.
  package var wholeLength: Int? {
    guard let range = headers["Content-Range"]?.lowercased(), range.hasPrefix("bytes"),
      let slash = range.lastIndex(of: "/")
    else { return nil }
    return Int(range[range.index(after: slash)...].filter { $0 != " " }).flatMap {
      $0 >= 0 ? $0 : nil
    }
  }

  /// The media type without its parameters, in lower case; empty when there is none.
  package var mediaType: String {
    let value = headers["Content-Type"] ?? ""
    return String(value.prefix { $0 != ";" }.filter { $0 != " " }).lowercased()
  }
}
