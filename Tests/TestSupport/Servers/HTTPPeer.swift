import Foundation
import Synchronization

/// A web server on loopback that answers as a test defines, well or badly.
package final class HTTPPeer: Sendable {
  /// The request of a client.
  package struct Request: Sendable {
    package let method: String
    package let target: String
    /// Names in lower case.
    package let headers: [String: String]
    /// The part of the body that arrived before the reply.
    package var body: [UInt8] = []
    /// The number of its connection: 1 is the first.
    package let connection: Int

    package var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// The server's reaction to a request.
  package enum Reply: Sendable {
    /// Takes the whole body, then says this, and goes on with the next request.
    case answer(_ status: Int, headers: [(String, String)] = [], body: [UInt8] = [])
    /// The same without looking at the body; then closes.
    case early(_ status: Int, headers: [(String, String)] = [], body: [UInt8] = [])
    /// Takes so many bytes of the body, then says these bytes; closes, or waits for ever.
    case raw([UInt8], afterBodyBytes: Int = 0, closes: Bool = true)
    /// Takes so many bytes of the body, then resets the connection.
    case reset(afterBodyBytes: Int = 0)
    /// Takes so many bytes of the body, then no more, and says nothing.
    case stall(afterBodyBytes: Int = 0)
    /// Says these bytes and, after a part of them, waits until the test says `go`.
    case halting([UInt8], after: Int)

    package static func json(_ text: String, status: Int = 200) -> Reply {
      .answer(status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
  }

  package let port: UInt16
  private let listener: Int32
  private let handler: @Sendable (Request) -> Reply
  private let connections = Mutex<Set<Int32>>([])
  private let accepted = Mutex(0)
  private let asked = Observed<[Request]>([])
  private let gate = Observed(false)

  /// `http://127.0.0.1:PORT`, without a slash at its end.
  package var address: String { "http://127.0.0.1:\(port)" }
  /// The requests so far; a request counts when the server has read the part of the body that it
  /// needs.
  package var requests: [Request] { asked.value }
  package var connectionCount: Int { accepted.withLock { $0 } }

  package init(_ handler: @escaping @Sendable (Request) -> Reply) throws {
    self.handler = handler
    listener = try LoopbackSocket.listener(port: 0)
    port = LoopbackSocket.port(of: listener)
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        guard let self else {
          close(connection)
          break
        }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        serve(connection)
      }
      // Here and not in `deinit`: until now the number must not become another listener's.
      close(listener)
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  /// Lets `.halting` replies go on.
  package func go() { gate.update { $0 = true } }

  /// Waits until something asked for satisfies `condition`.
  package func hears(
    upTo limit: Duration = .seconds(60), _ condition: @escaping @Sendable (Request) -> Bool
  ) async -> Bool {
    await asked.waits(upTo: limit) { $0.contains(where: condition) }
  }

  private func serve(_ connection: Int32) {
    _ = connections.withLock { $0.insert(connection) }
    let number = accepted.withLock { count in
      count += 1
      return count
    }
    Thread.detachNewThread { [handler, asked, gate, weak self] in
      var talk = Talk(connection: connection, number: number, gate: gate)
      while talk.exchange(handler, asked) {}
      _ = self?.connections.withLock { $0.remove(connection) }
      if talk.resets { LoopbackSocket.reset(connection) } else { close(connection) }
    }
  }

  /// One connection, on a thread of its own.
  private struct Talk {
    let connection: Int32
    let number: Int
    let gate: Observed<Bool>
    var unread: [UInt8] = []
    var resets = false

    /// - Returns: whether another request may follow.
    mutating func exchange(
      _ handler: (Request) -> Reply, _ asked: Observed<[Request]>
    ) -> Bool {
      guard var request = head() else { return false }
      let length = Int(request.headers["content-length"] ?? "") ?? 0
      let reply = handler(request)
      var wanted = 0
      switch reply {
      case .answer, .halting: wanted = length
      case .early: wanted = 0
      case .raw(_, let count, _), .reset(let count), .stall(let count): wanted = count
      }
      guard let body = take(wanted) else { return false }
      request.body = body
      let seen = request
      // Handlers that look at the body are asked again with it.
      let last = wanted == length && length > 0 ? handler(seen) : reply
      asked.update { $0.append(seen) }
      switch last {
      case .answer(let status, let headers, let body):
        return say(response(status, headers, body, isHead: request.method == "HEAD"))
      case .early(let status, let headers, let body):
        _ = say(response(status, headers + [("Connection", "close")], body, isHead: false))
        drain()
        return false
      case .raw(let bytes, _, let closes):
        _ = say(bytes)
        if closes { shutdown(connection, Int32(SHUT_WR)) }
        drain()
        return false
      case .reset:
        resets = true
        return false
      case .stall:
        waitForEnd()
        return false
      case .halting(let bytes, let count):
        guard say(Array(bytes.prefix(count))) else { return false }
        let opened = DispatchSemaphore(value: 0)
        Task { [gate] in
          _ = await gate.waits(upTo: .seconds(60)) { $0 }
          opened.signal()
        }
        opened.wait()
        return say(Array(bytes.dropFirst(count)))
      }
    }

    private func response(
      _ status: Int, _ headers: [(String, String)], _ body: [UInt8], isHead: Bool
    ) -> [UInt8] {
      var text = "HTTP/1.1 \(status) Whatever\r\n"
      for (name, value) in headers { text += "\(name): \(value)\r\n" }
      if !headers.contains(where: { $0.0.lowercased() == "content-length" }) {
        text += "Content-Length: \(body.count)\r\n"
      }
      return Array((text + "\r\n").utf8) + (isHead ? [] : body)
    }

    private mutating func head() -> Request? {
      let end = Array("\r\n\r\n".utf8)
      while unread.firstRange(of: end) == nil {
        guard fill() else { return nil }
      }
      guard let range = unread.firstRange(of: end) else { return nil }
      let lines = String(decoding: unread[..<range.lowerBound], as: UTF8.self)
        .components(separatedBy: "\r\n")
      unread.removeSubrange(..<range.upperBound)
      let words = (lines.first ?? "").split(separator: " ").map(String.init)
      guard words.count >= 2 else { return nil }
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        headers[parts[0].lowercased()] =
          parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      }
      return Request(method: words[0], target: words[1], headers: headers, connection: number)
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
      while unread.count < count {
        guard fill() else { return nil }
      }
      defer { unread.removeFirst(count) }
      return Array(unread[..<count])
    }

    private mutating func fill() -> Bool {
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      unread += buffer[..<count]
      return true
    }

    private func drain() {
      var buffer = [UInt8](repeating: 0, count: 65536)
      while recv(connection, &buffer, buffer.count, 0) > 0 {}
    }

    /// Reads nothing more, until the other end goes away.
    private func waitForEnd() {
      // POLLRDHUP, which the C module does not show.
      var watched = pollfd(fd: connection, events: 0x2000, revents: 0)
      poll(&watched, 1, 60_000)
    }

    private func say(_ bytes: [UInt8]) -> Bool {
      var offset = 0
      while offset < bytes.count {
        let count = bytes.withUnsafeBytes {
          Foundation.send(
            connection, $0.baseAddress.map { $0 + offset }, bytes.count - offset,
            Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        offset += count
      }
      return true
    }
  }
}
