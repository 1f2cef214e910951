// There is no Swift Testing where `natter-bench` is, as for `until`.
#if canImport(Testing)
  import JSONLines
  import Testing

  /// A program that a test plays: it sends requests in lines of JSON, and gets their answers.
  package protocol JSONClient: Sendable {
    /// The lines that it has received.
    var received: Observed<[String]> { get }
    /// Returns an id that no request before had.
    func nextID() -> Int
    /// Sends a line.
    func write(_ line: String)
  }

  extension JSONClient {
    /// Sends a request, without waiting for its answer.
    /// - Returns: its id.
    @discardableResult package func ask(_ method: String, _ parameters: String = "{}") -> Int {
      let id = nextID()
      write(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#)
      return id
    }

    /// Returns the line that begins so.
    package func line(_ head: String) async throws -> JSONValue {
      #expect(
        await received.waits { lines in lines.contains { $0.hasPrefix(head) } }, "no \(head)")
      let line = try #require(received.value.last { $0.hasPrefix(head) })
      return try JSONValue(parsing: line.utf8)
    }

    /// Returns the answer to a request: the whole object.
    package func answer(to id: Int) async throws -> JSONValue {
      try await line(#"{"jsonrpc":"2.0","id":\#(id),"#)
    }

    /// Sends a request, and returns its result.
    @discardableResult package func call(_ method: String, _ parameters: String = "{}") async throws
      -> JSONValue
    {
      let answer = try await answer(to: ask(method, parameters))
      #expect(answer["error"] == nil, "\(method): \(answer.text)")
      return try #require(answer["result"])
    }

    /// Sends a request that fails, and returns its error.
    package func failure(of method: String, _ parameters: String = "{}") async throws -> JSONValue {
      let answer = try await answer(to: ask(method, parameters))
      return try #require(answer["error"], "\(answer.text)")
    }

    /// Returns the code of the error of a request.
    package func code(of method: String, _ parameters: String = "{}") async throws -> Int? {
      try await failure(of: method, parameters)["code"]?.int
    }
  }
#endif
