import Foundation
import JSONLines
import TestSupport

/// Plays Natter at the pipes of a script: answers its requests, and makes requests of its own.
final class FakeNatter: Sendable {
  /// The answer to a request.
  enum Answer: Sendable {
    case result(JSONValue)
    case error(code: Int, text: String, data: [String: JSONValue] = [:])
    /// There is none.
    case nothing
  }

  /// Answers a request by its method and its parameters; `nil`: as usual.
  typealias Answering = @Sendable (_ method: String, _ parameters: JSONValue) -> Answer?

  struct Request: Sendable {
    let method: String
    let parameters: JSONValue
  }

  struct State: Sendable {
    /// What the script stored.
    var stored: [String: JSONValue] = [:]
    var requests: [Request] = []
    /// The answers of the script, by the ids of the requests.
    var answers: [String: JSONValue] = [:]
    /// The lines of its standard error.
    var log: [String] = []
    var subscriptions = 0

    func requests(_ method: String) -> [JSONValue] {
      requests.filter { $0.method == method }.map(\.parameters)
    }
  }

  /// Something that did not happen; the state instead.
  struct NeverCame: Error, CustomStringConvertible {
    let what: String
    let state: State
    var description: String { "\(what) never came: \(state)" }
  }

  let observed: Observed<State>
  private let program: PipedProgram

  /// Starts a script.
  /// - Parameters:
  ///   - run: the program, and its arguments; a name of a file in `folder` means its path.
  ///   - storage: its working folder.
  ///   - stored: what it stored in an earlier run.
  init(
    _ run: [String], in folder: URL, storage: TemporaryFolder, stored: [String: JSONValue] = [:],
    answering: @escaping Answering = { _, _ in nil }
  ) throws {
    var command = run.map { word in
      let path = folder.appending(path: word).standardizedFileURL.path
      return FileManager.default.fileExists(atPath: path) ? path : word
    }
    // A file that was just written may still be open somewhere, and cannot be executed then.
    if command[0].hasSuffix(".sh") { command.insert("sh", at: 0) }
    let observed = Observed(State(stored: stored))
    self.observed = observed
    program = try PipedProgram(
      command[0], Array(command.dropFirst()),
      environment: [
        "PATH": Programs.searchPath, "LANG": "C.UTF-8", "HOME": storage.root.path,
      ],
      directory: storage.root.path
    ) { line, send in
      guard let value = try? JSONValue(parsing: line.utf8) else {
        return observed.update { $0.log.append("no JSON: \(line)") }
      }
      observed.update { Self.take(value, &$0, answering, send) }
    } takeError: { line in
      observed.update { $0.log.append(line) }
    } end: {
      observed.finish()
    }
  }

  private static func take(
    _ line: JSONValue, _ state: inout State, _ answering: Answering, _ send: (String) -> Void
  ) {
    guard let method = line["method"]?.string else {
      if let id = line["id"]?.string { state.answers[id] = line }
      return
    }
    let parameters = line["params"] ?? .object([:])
    state.requests.append(Request(method: method, parameters: parameters))
    guard let id = line["id"] else { return }
    var members: [String: JSONValue] = ["jsonrpc": .text("2.0"), "id": id]
    switch answering(method, parameters) ?? usual(method, parameters, &state) {
    case .result(let result): members["result"] = result
    case .nothing: return
    case .error(let code, let text, let data):
      members["error"] = .object([
        "code": .integer(code), "message": .text("refused"),
        "data": .object(data.merging(["text": .text(text)]) { $1 }),
      ])
    }
    send(JSONValue.object(members).text)
  }

  private static func usual(
    _ method: String, _ parameters: JSONValue, _ state: inout State
  ) -> Answer {
    let key = parameters["key"]?.string ?? ""
    switch method {
    case "hello": return .result(.object(["api": .integer(1), "natter": .text("0")]))
    case "storage.get":
      guard let value = state.stored[key] else { return .error(code: -32004, text: "not there") }
      return .result(.object(["value": value]))
    case "storage.set":
      state.stored[key] = parameters["value"]
      return .result(.object([:]))
    case "events.subscribe":
      state.subscriptions += 1
      let after = parameters["after"]?["me@example.org"] ?? .integer(100)
      return .result(
        .object([
          "subscription": .text("s\(state.subscriptions)"),
          "after": .object(["me@example.org": after]),
        ]))
    default: return .result(.object([:]))
    }
  }

  /// Waits until something has happened.
  /// - Throws: `NeverCame`.
  @discardableResult
  func waits(
    for what: String, until condition: @escaping @Sendable (State) -> Bool
  ) async throws -> State {
    guard await observed.waits(upTo: .seconds(60), until: condition) else {
      throw NeverCame(what: what, state: observed.value)
    }
    return observed.value
  }

  /// Waits for a request, and returns its parameters.
  /// - Parameter number: of those with this method, counted from 1.
  func request(_ method: String, number: Int = 1) async throws -> JSONValue {
    try await waits(for: "\(method) \(number)") { $0.requests(method).count >= number }
      .requests(method)[number - 1]
  }

  /// Makes a request, and returns the line of the answer.
  func ask(_ method: String, _ parameters: JSONValue = .object([:])) async throws -> JSONValue {
    let id = "n\(UUID().uuidString)"
    send(["id": .text(id), "method": .text(method), "params": parameters])
    let state = try await waits(for: "the answer to \(method)") { $0.answers[id] != nil }
    return state.answers[id] ?? .null
  }

  /// Runs a command of the script, and returns the result.
  func run(_ command: String, _ arguments: String...) async throws -> JSONValue? {
    try await ask(
      "command.run",
      .object([
        "name": .text(command), "arguments": .array(arguments.map(JSONValue.text)),
        "account": .text("me@example.org"),
      ]))["result"]
  }

  /// Sends an event of a subscription.
  func send(
    _ event: String, cursor: Int? = nil, in subscription: String = "s1",
    _ data: [String: JSONValue]
  ) {
    var parameters: [String: JSONValue] = [
      "subscription": .text(subscription), "event": .text(event),
      "data": .object(data.merging(["account": .text("me@example.org")]) { first, _ in first }),
    ]
    if let cursor { parameters["cursor"] = .integer(cursor) }
    send(["method": .text("event"), "params": .object(parameters)])
  }

  private func send(_ members: [String: JSONValue]) {
    program.send(JSONValue.object(members.merging(["jsonrpc": .text("2.0")]) { $1 }).text)
  }

  /// Kills the script, and waits for its end.
  func kill() async -> ExitStatus? {
    program.signal(SIGKILL)
    return await program.waitsForEnd()
  }

  /// Ends the script in order, as Natter does.
  func end() async -> ExitStatus? {
    send(["method": .text("bye"), "params": .object([:])])
    return await closeInput()
  }

  /// Closes the standard input of the script, and waits for its end.
  func closeInput() async -> ExitStatus? {
    program.closeInput()
    return await program.waitsForEnd()
  }
}
