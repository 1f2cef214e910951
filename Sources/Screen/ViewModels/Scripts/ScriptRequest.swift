import NatterCore

/// A request of `/script`.
nonisolated package enum ScriptRequest: Hashable, Sendable {
  case list
  case enable(String)
  case disable(String)
  case restart(String)
  case log(String)
  case rights(String)
  /// An answer to the oldest question of a script.
  case answer(Answer)

  /// An answer as it is typed.
  package enum Answer: String, Hashable, Sendable, CaseIterable {
    case no, never, once
    /// Until Natter ends.
    case yes
    case always
  }

  /// The operations, and the answers.
  static let operations =
    ["list", "enable", "disable", "restart", "log", "rights"]
    + Answer.allCases.map(\.rawValue).sorted()

  /// - Parameters:
  ///   - text: the text after `/script`.
  ///   - names: the names of all scripts; with a single one, it is meant without its name.
  /// - Throws: `NatterError` for an unknown operation, a name that is missing or unknown, and for
  ///   text after it.
  package init(_ text: String, names: [String]) throws(NatterError) {
    let (first, rest) = CommandCall(rest: text).split
    let operation = first.lowercased()
    if operation.isEmpty || operation == "list", rest.isEmpty {
      self = .list
      return
    }
    if let answer = Answer(rawValue: operation), rest.isEmpty {
      self = .answer(answer)
      return
    }
    let make: ((String) -> ScriptRequest)? =
      switch operation {
      case "enable": { .enable($0) }
      case "disable": { .disable($0) }
      case "restart": { .restart($0) }
      case "log": { .log($0) }
      case "rights": { .rights($0) }
      default: nil
      }
    guard let make else {
      throw NatterError(
        .invalidInput, "scripts.error.operation",
        ["text": text, "names": Self.operations.joined(separator: ", ")])
    }
    if rest.isEmpty, names.count == 1 {
      self = make(names[0])
      return
    }
    guard !rest.isEmpty else {
      throw NatterError(.invalidInput, "scripts.error.name", ["operation": operation])
    }
    guard names.contains(where: { $0.utf8.elementsEqual(rest.utf8) }) else {
      throw NatterError(
        .invalidInput, names.isEmpty ? "scripts.error.none" : "scripts.error.unknown",
        ["name": rest, "names": names.joined(separator: ", ")])
    }
    self = make(rest)
  }
}

/// The commands about scripts.
enum ScriptCommand {
  /// `/script [list|enable|disable|restart|log|rights] [NAME]`.
  static let script = Command("script", aliases: ["scripts"], [.script, .scriptName]) {
    call, context in
    try context.tools.scripts.perform(call.rest)
  }
}
