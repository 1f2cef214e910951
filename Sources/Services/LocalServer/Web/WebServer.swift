import Glibc
import Sockets

/// The web server: HTTP/1.1 on loopback, for the protocols that XMPP delegates to HTTP.
struct WebServer: Sendable {
  /// The handlers; the first that returns a reply answers the request.
  let handlers: [any WebHandling]
  /// The largest head of a request in bytes.
  private static let headLimit = 32 << 10
  private static let piece = 256 << 10

  /// Serves clients until the socket is closed or the task is cancelled.
  func run(_ listener: ListeningSocket) async {
    await withDiscardingTaskGroup { group in
      do throws(SocketError) {
        while true {
          let socket = try await listener.accept()
          group.addTask { await serve(socket) }
        }
      } catch {
        // Closed: no more clients can connect.
      }
      group.cancelAll()
    }
  }

  private func serve(_ stream: any ByteStream) async {
    let reader = Reader(stream)
    do {
      while let request = try await reader.head(limit: Self.headLimit) {
        guard let count = request.bodyCount else {
          try await stream.send(WebReply.text(411, "A length is needed.\n").head)
          break
        }
        reader.rest = count
        if request.headers["expect"]?.lowercased() == "100-continue" {
          try await stream.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        let reply = try await answer(request, reader)
        try await send(reply, isHead: request.method == "HEAD", to: stream)
        // Unread bytes of the body would be parsed as the next request.
        guard reader.rest == 0, request.headers["connection"]?.lowercased() != "close" else {
          break
        }
      }
    } catch {
      // The client disconnected, or sent a malformed request.
    }
    stream.close()
  }

  private func answer(_ request: WebRequest, _ body: any WebBody) async throws -> WebReply {
    for handler in handlers {
      if let reply = try await handler.answer(request, body) { return reply }
    }
    return .text(404, "There is nothing here.\n")
  }

  private func send(
    _ reply: WebReply, isHead: Bool, to stream: any ByteStream
  ) async throws {
    switch reply.body {
    case .bytes(let bytes): try await stream.send(reply.head + (isHead ? [] : bytes))
    case .file(let descriptor, let offset, let byteCount):
      defer { close(descriptor) }
      try await stream.send(reply.head)
      if isHead { return }
      var sent = 0
      while sent < byteCount {
        let piece = [UInt8](unsafeUninitializedCapacity: min(Self.piece, byteCount - sent)) {
          buffer, count in
          count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset + sent)))
        }
        // The file was truncated; the client sees that from the content length.
        guard !piece.isEmpty else { throw SocketError.closed }
        try await stream.send(piece)
        sent += piece.count
      }
    }
  }

  /// The parser of one connection's bytes. Only the task that serves the connection uses it.
  private final class Reader: WebBody {
    private let stream: any ByteStream
    private var unread: [UInt8] = []
    var rest = 0

    init(_ stream: any ByteStream) { self.stream = stream }

    /// - Returns: `nil` when the client has closed the connection.
    func head(limit: Int) async throws -> WebRequest? {
      let end = Array("\r\n\r\n".utf8)
      while true {
        if let range = unread.firstRange(of: end) {
          let request = WebRequest(head: unread[..<range.lowerBound])
          unread.removeSubrange(..<range.upperBound)
          guard let request else { throw SocketError.closed }
          return request
        }
        guard unread.count < limit else { throw SocketError.closed }
        guard let more = try await stream.receive() else { return nil }
        unread += more
      }
    }

    func next() async throws -> [UInt8]? {
      guard rest > 0 else { return nil }
      if unread.isEmpty {
        guard let more = try await stream.receive() else { throw SocketError.closed }
        unread = more
      }
      if unread.count <= rest {
        defer { unread = [] }
        rest -= unread.count
        return unread
      }
      let part = Array(unread[..<rest])
      unread.removeFirst(rest)
      rest = 0
      return part
    }
  }
}
