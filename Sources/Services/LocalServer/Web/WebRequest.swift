/// The head of an HTTP request (RFC 9112 §3, §5).
struct WebRequest: Sendable {
  let method: String
  /// Path and query, still encoded.
  let target: String
  /// The fields, with names in lower case; the last of several fields with one name.
  let headers: [String: String]

  /// The segments of the path without the query, still encoded.
  var path: [Substring] {
    target.prefix { $0 != "?" }.split(separator: "/")
  }

  /// The length of the body in bytes; 0 without a body, `nil` if the length is unknown.
  var bodyCount: Int? {
    guard headers["transfer-encoding"] == nil else { return nil }
    guard let text = headers["content-length"] else { return 0 }
    return Int(text).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Parses a head without the empty line at its end; `nil` if it is malformed.
  init?(head: some Sequence<UInt8>) {
    let lines = String(decoding: Array(head), as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
      return nil
    }
    method = String(words[0])
    target = String(words[1])
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers[line[..<colon].lowercased()] = String(value)
    }
    self.headers = headers
  }
}

/// A response of the web server.
struct WebReply: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// A part of a file; the descriptor is closed after the response.
    case file(descriptor: CInt, offset: Int, byteCount: Int)
  }

  let status: Int
  var headers: [(name: String, value: String)] = []
  var body = Body.bytes([])

  static func text(_ status: Int, _ text: String) -> WebReply {
    WebReply(
      status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
      body: .bytes(Array(text.utf8)))
  }

  static func json(_ status: Int, _ text: String) -> WebReply {
    WebReply(
      status: status,
      headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
      body: .bytes(Array(text.utf8)))
  }

  var byteCount: Int {
    switch body {
    case .bytes(let bytes): bytes.count
    case .file(_, _, let byteCount): byteCount
    }
  }

  /// The status line and fields, including the empty line.
  var head: [UInt8] {
    var text =
      "HTTP/1.1 \(status) \(status < 400 ? "OK" : "No")\r\nContent-Length: \(byteCount)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    return Array((text + "\r\n").utf8)
  }
}

/// The body of a request, read incrementally.
protocol WebBody: AnyObject {
  /// The number of bytes not yet returned.
  var rest: Int { get }
  /// Returns the next bytes, or `nil` at the end.
  /// - Throws: `SocketError` when the connection is closed.
  func next() async throws -> [UInt8]?
}

/// A handler of HTTP requests.
protocol WebHandling: Sendable {
  /// - Returns: `nil` when the request belongs to another handler.
  func answer(_ request: WebRequest, _ body: any WebBody) async throws -> WebReply?
}
