/// The reply of a server, with any status.
package struct HTTPResponse: Sendable {
  /// The status code, as 404.
  package let status: Int
  package let headers: HTTPHeaders
  /// Empty when the body was written to a file.
  package let body: [UInt8]
  /// The address of the reply, after redirections.
  package let address: WebAddress
  /// The number of bytes written to the file, and the offset of the first; `nil` without a file.
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

  /// Indicates whether the status is 200...299.
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// The length that the server states; `nil` when it does not.
  package var contentLength: Int? {
    headers["Content-Length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Indicates whether the server's statements concern a compressed form of the body (RFC 9110
  /// §8.4).
  package var isEncoded: Bool {
    headers["Content-Encoding"].map { !$0.isEmpty && $0.lowercased() != "identity" } ?? false
  }

  /// The total length of the file of which a range was requested (RFC 9110 §14.4): the number after
  /// the slash of `Content-Range`; `nil` when the server does not state it.
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
