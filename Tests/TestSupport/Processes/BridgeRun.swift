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

  private let child: ChildProcess
  private let input: Int32
  private let observed = Observed<[String]>([])

  /// - Parameter more: added to its environment.
  package init(_ arguments: [String], home: Home, _ more: [String: String] = [:]) throws {
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    pipe(&toChild)
    pipe(&fromChild)
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = toChild[1]
    defer { for end in [toChild[0], fromChild[1]] { close(end) } }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    child = try ChildProcess(
      Programs.natter, arguments, environment: home.environment(more),
      directory: home.home.path, descriptors: (toChild[0], fromChild[1], null))
    let observed = observed
    PipeLines.read(fromChild[0]) { line in
      observed.update { $0.append(line) }
    } end: {
      observed.finish()
    }
  }

  deinit {
    close(input)
    child.release()
  }

  package var identifier: pid_t { child.identifier }
  package var lines: [String] { observed.value }

  package func send(_ line: String) {
    Array((line + "\n").utf8).withUnsafeBytes { _ = writeToPipe(input, $0) }
  }

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

  package func signal(_ number: Int32) { child.signal(number) }

  package func waitsForEnd() async -> ExitStatus? {
    await child.waitsForEnd(upTo: .seconds(60))
  }
}
