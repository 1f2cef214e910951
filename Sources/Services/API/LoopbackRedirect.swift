import HTTP
import NatterCore
import Sockets

/// A local HTTP listener that receives the code of a sign-in from a browser (RFC 8252 §7.3).
package final class LoopbackRedirect: RedirectWaiting {
  private let socket: ListeningSocket
  /// The text of the page for success and for failure, without markup.
  private let (thanks, sorry): (String, String)

  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - thanks: the text that the browser shows on success, and `sorry` on failure.
  /// - Throws: `SocketError`.
  package init(
    thanks: String, sorry: String,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) throws(SocketError) {
    socket = try ListeningSocket(.ipv4Loopback(port: 0))
    (self.thanks, self.sorry, self.sleep) = (thanks, sorry, sleep)
  }

  deinit { socket.close() }

  package var address: String { "http://127.0.0.1:\(socket.port)/" }
  package var entrance: String { address + secret }
  /// Short enough to type, and too long to guess (RFC 8252 §8.10): other users of this machine can
  /// connect to the listener.
  private let secret = String(
    (0..<8).map { _ in "abcdefghjkmnpqrstuvwxyz23456789".randomElement() ?? "x" })

  package func close() { socket.close() }

  /// The number of connections served at once; others wait in the system's queue.
  private static let visitorLimit = 32

  /// The result of a task.
  private enum Step: Sendable {
    case visitor(PlainSocket)
    case answer(BrowserAnswer)
    /// A connection without an answer has ended.
    case nothing
  }

  /// Waits for a browser that brings the request's state. A request of the entrance is redirected
  /// to the server's page; any other is answered with an error. Connections are served
  /// concurrently: a browser opens some that it does not use.
  /// - Throws: `ConnectionProblem` with the server's reason: `.declined` if the user declined
  ///   (RFC 6749 §4.1.2.1), `.notAuthorized` if the server did; `CancellationError`.
  package func code(for request: BrowserRequest) async throws -> String {
    let answer = try await withThrowingTaskGroup(of: Step.self) { group in
      var visitors = 0
      listen(in: &group)
      defer { group.cancelAll() }
      while let step = try await next(&group) {
        switch step {
        case .answer(let answer): return answer
        case .nothing:
          visitors -= 1
          if visitors == Self.visitorLimit - 1 { listen(in: &group) }
        case .visitor(let visitor):
          visitors += 1
          group.addTask { [self] in await serve(visitor, request) }
          if visitors < Self.visitorLimit { listen(in: &group) }
        }
      }
      throw ConnectionProblem(.closed, host: "127.0.0.1", port: socket.port)
    }
    guard let code = answer.code else {
      throw ConnectionProblem(
        answer.isDeclined ? .declined : .notAuthorized, host: "127.0.0.1",
        detail: answer.error ?? "")
    }
    return code
  }

  private func listen(in group: inout ThrowingTaskGroup<Step, any Error>) {
    group.addTask { [socket] in Step.visitor(try await socket.accept()) }
  }

  private func next(_ group: inout ThrowingTaskGroup<Step, any Error>) async throws -> Step? {
    do { return try await group.next() } catch {
      try Task.checkCancellation()
      throw ConnectionProblem(.closed, host: "127.0.0.1", port: socket.port)
    }
  }

  /// Reads a request within the time limit, and answers it.
  private func serve(_ visitor: PlainSocket, _ request: BrowserRequest) async -> Step {
    let watch = Task { [sleep] in
      // Closes the connection of a client that sends nothing or does not read its answer: that ends
      // pending reads and writes.
      do { try await sleep(Self.timeLimit) } catch { return }
      visitor.close()
    }
    defer { watch.cancel() }
    return await withTaskCancellationHandler {
      guard let target = await Self.target(of: visitor) else {
        await reply(sorry, isFound: false, to: visitor)
        return .nothing
      }
      if target == "/" + secret {
        await send(request.address, visitor)
        return .nothing
      }
      let answer = BrowserAnswer(target, state: request.state)
      await reply(answer?.code != nil ? thanks : sorry, isFound: answer != nil, to: visitor)
      return answer.map { .answer($0) } ?? .nothing
    } onCancel: {
      visitor.close()
    }
  }

  /// For one connection, from its first byte to the end of the page.
  private static let timeLimit = Duration.seconds(10)

  /// Returns the target of a request; `nil` if it is invalid, or its first line does not end within
  /// 8 KiB.
  private static func target(of visitor: PlainSocket) async -> String? {
    var head: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while head.count < 8192, let bytes = try? await visitor.receive() {
      head += bytes
      if head.firstRange(of: end) != nil { break }
    }
    // A truncated code would be a different one.
    guard head.contains(13) || head.contains(10) else { return nil }
    let line = String(decoding: head.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    let words = line.split(separator: " ")
    guard words.count == 3, words[0] == "GET" else { return nil }
    return String(words[1])
  }

  /// Redirects from the address that is short enough to type to the long one.
  private func send(_ address: String, _ visitor: PlainSocket) async {
    let safe = address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? address : ""
    let head =
      "HTTP/1.1 302 Found\r\nLocation: \(safe)\r\nContent-Length: 0\r\nCache-Control: no-store\r\n"
      + "Connection: close\r\n\r\n"
    try? await visitor.send(Array(head.utf8))
    visitor.close()
  }

  private func reply(_ text: String, isFound: Bool, to visitor: PlainSocket) async {
    let safe = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let body =
      "<!doctype html><meta charset=utf-8><title>Natter</title><p>\(isFound ? safe : "404")</p>"
    let head =
      "HTTP/1.1 \(isFound ? "200 OK" : "404 Not Found")\r\nContent-Type: text/html; charset=utf-8\r\n"
      + "Content-Length: \(body.utf8.count)\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    // An error is ignored: a browser that has disconnected needs no page.
    try? await visitor.send(Array((head + body).utf8))
    visitor.close()
  }
}

/// The parameters of a browser's redirect (RFC 6749 §4.1.2).
package struct BrowserAnswer: Hashable, Sendable {
  package let code: String?
  package let error: String?
  /// Indicates whether the user declined (RFC 6749 §4.1.2.1).
  package let isDeclined: Bool

  /// Parses a URL, or its path with a query; `nil` if it is not the answer to the request with
  /// `state`.
  package init?(_ address: String, state: String) {
    guard let mark = address.firstIndex(of: "?") else { return nil }
    var fields: [String: String] = [:]
    let query = address[address.index(after: mark)...].prefix { $0 != "#" }
    for part in query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { continue }
      fields[PercentEncoding.decode(pair[0])] = PercentEncoding.decode(
        pair[1].replacing("+", with: " "))
    }
    guard fields["state"] == state, fields["code"] != nil || fields["error"] != nil else {
      return nil
    }
    code = fields["code"].flatMap { $0.isEmpty ? nil : $0 }
    isDeclined = fields["error"] == "access_denied"
    error = fields["error_description"] ?? fields["error"]
  }
}
