/// The head of a request to the server's web side (RFC 9112 §3, §5).
struct WebRequest: Sendable {
  let method: String
  /// Path and query, as they were sent.
  let target: String
  /// Names in lower case; of several fields of one name the last.
  let headers: [String: String]

  /// The path without the query, in its parts as they were sent.
  var path: [Substring] {
    target.prefix { $0 != "?" }.split(separator: "/")
  }

  /// Bytes of its body; 0 when there is none, `nil` when nobody can tell.
  var bodyCount: Int? {
    guard headers["transfer-encoding"] == nil else { return nil }
    guard let text = headers["content-length"] else { return 0 }
    return Int(text).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Reads a head without the empty line at its end; `nil` when it is none.
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

/// What the server's web side answers.
struct WebReply: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// A part of a file; the descriptor is closed when it was sent.
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

  /// Status line and fields, with the empty line.
  var head: [UInt8] {
    var text =
      "HTTP/1.1 \(status) \(status < 400 ? "OK" : "No")\r\nContent-Length: \(byteCount)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    return Array((text + "\r\n").utf8)
  }
}

/// The body of a request, as it comes.
protocol WebBody: AnyObject {
  /// Bytes that have not been given yet.
  var rest: Int { get }
  /// The next bytes; `nil` at the end.
  /// - Throws: `SocketError` when the client has gone.
  func next() async throws -> [UInt8]?
}

/// A part of the server's web side.
protocol WebHandling: Sendable {
  /// - Returns: `nil` when the request is for somebody else.
  func answer(_ request: WebRequest, _ body: any WebBody) async throws -> WebReply?
}
