import Foundation

/// A command of Natter whose standard input and output are lines for programs, such as
/// `natter serve`.
package final class BridgeRun: Sendable {
  /// A line of its output as a JSON object.
  package struct Line: Sendable {
    package let text: String
    package init(text: String) { self.text = text }
    /// The members; empty for anything else.
    package var members: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }
    package var result: [String: Any]? { members["result"] as? [String: Any] }
    package var errorCode: Int? { (members["error"] as? [String: Any])?["code"] as? Int }
  }

  /// A request that was not answered in time; what came instead.
  package struct NoAnswer: Error {
    package let request: String
    package let lines: [String]
  }

  private let program: PipedNatter
  private let observed = Observed<[String]>([])

  /// - Parameter more: added to its environment.
  package init(_ arguments: [String], home: Home, _ more: [String: String] = [:]) throws {
    program = try PipedNatter(arguments, home: home, more, readsErrors: false, into: observed) {
      $0.append($1)
    }
  }

  package var identifier: pid_t { program.child.identifier }
  package var lines: [String] { observed.value }

  package func send(_ line: String) { program.send(line) }

  /// Sends a request, without waiting for its answer.
  /// - Parameter parameters: JSON.
  package func request(_ method: String, _ parameters: String = "{}", id: Int) {
    send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#)
  }

  /// Waits for the answer to a request.
  package func answer(to id: Int, upTo limit: Duration = .seconds(60)) async throws -> Line {
    try await line("answer \(id)", upTo: limit) { ($0.members["id"] as? Int) == id }
  }

  /// Waits for a line.
  package func line(
    _ what: String, upTo limit: Duration = .seconds(60),
    where condition: @escaping @Sendable (Line) -> Bool
  ) async throws -> Line {
    _ = await observed.waits(upTo: limit) { lines in
      lines.contains { condition(Line(text: $0)) }
    }
    guard let line = lines.first(where: { condition(Line(text: $0)) }) else {
      throw NoAnswer(request: what, lines: lines)
    }
    return Line(text: line)
  }

  /// Sends a request, and waits for its answer.
  @discardableResult
  package func ask(_ method: String, _ parameters: String = "{}", id: Int) async throws -> Line {
    request(method, parameters, id: id)
    return try await answer(to: id)
  }

  /// Says hello, with the id 0.
  package func greet() async throws { try await ask("hello", #"{"api":1}"#, id: 0) }

  package func signal(_ number: Int32) { program.child.signal(number) }

  package func waitsForEnd() async -> ExitStatus? {
    await program.child.waitsForEnd(upTo: .seconds(60))
  }
}
