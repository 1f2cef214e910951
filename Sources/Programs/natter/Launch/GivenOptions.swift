import ImportService
import NatterCore
import XMPP

/// The options of a command line, with their values.
struct GivenOptions {
  private var values: [String: [String]] = [:]

  /// Adds an option.
  /// - Parameter value: empty for an option without one.
  /// - Throws: `UsageError` for a value that it does not take.
  mutating func add(_ option: CommandLineOption, _ value: String = "") throws(UsageError) {
    let arguments = ["option": option.name, "value": value]
    switch option.name {
    case "--since", "--until":
      guard GivenTime(parsing: value) != nil else { throw UsageError("cli.bad-time", arguments) }
    case "--limit", "--after":
      guard let number = Int(value), number >= 0 else {
        throw UsageError("cli.bad-number", arguments)
      }
    case "--only":
      guard JID(typed: value) != nil else {
        throw UsageError("cli.bad-address", ["address": value])
      }
    case "--tz":
      guard HistoryZone(value) != nil else { throw UsageError("cli.bad-zone", ["zone": value]) }
    case "--undo":
      guard let number = Int64(value), number > 0 else {
        throw UsageError("cli.bad-import", arguments)
      }
    // The choices are those of one of its commands.
    case "--as": break
    default:
      if case .words(let choices) = option.value { try Self.check(option.name, value, choices) }
    }
    values[option.name, default: []].append(value)
  }

  /// Checks that a value is one of `choices`.
  static func check(_ option: String, _ value: String, _ choices: [String]) throws(UsageError) {
    guard !choices.contains(value) else { return }
    throw UsageError(
      "cli.bad-choice",
      ["option": option, "value": value, "choices": choices.joined(separator: ", ")])
  }

  /// Checks that a command takes all options that were given; `nil`: there is no command.
  func check(for command: String?) throws(UsageError) {
    for option in CommandLineOption.all where has(option.name) && !option.commands.isEmpty {
      guard !option.commands.contains(where: { $0 == command }) else { continue }
      if option.commands.count == 1 {
        throw UsageError(
          "cli.option-of-command", ["option": option.name, "command": option.commands[0]])
      }
      throw UsageError(
        "cli.option-of-commands",
        ["option": option.name, "commands": option.commands.joined(separator: ", ")])
    }
  }

  /// Indicates whether an option was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The last value of an option; `nil`: it was not given.
  subscript(name: String) -> String? { values[name]?.last }

  /// The values of an option that may be repeated.
  func all(_ name: String) -> [String] { values[name, default: []] }

  /// The last value of an option that is a time.
  func time(_ name: String) -> GivenTime? { self[name].flatMap { GivenTime(parsing: $0) } }

  /// The last value of an option that is a number.
  func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }
}
