import ImportService
import XMPP

/// A call of `natter import`, with its options (natter(1), "Shell commands").
struct ImportRequest: Equatable {
  /// The action of the command.
  enum Action: Equatable {
    case files([String])
    /// `--find`: lists the histories of known programs.
    case find
    /// `--undo`: removes what an import added.
    case undo(Int64)
  }

  let action: Action
  /// `--as`: the name of the format; `nil`: by the content.
  var format: String?
  /// `--me`: the user's nicks.
  var names: Set<String> = []
  /// `--tz`: the zone of local times in histories; `nil`: the one of this machine.
  var zone: String?
  var since: GivenTime?
  /// `--only`: the address of the only conversation to import.
  var only: JID?
  /// `--dry-run`: stores nothing.
  var isTrial = false
  var isJSON = false

  init(_ action: Action) { self.action = action }
}

/// The options that only `natter import` takes, as they were given.
struct ImportOptions {
  private var given: [String: String] = [:]
  private var names: Set<String> = []

  /// The options without a value, and those with one.
  static let flags = ["--find", "--dry-run"]
  static let valued = ["--me", "--tz", "--only", "--undo"]

  /// Notes an option.
  /// - Throws: `UsageError` for a value that it does not take.
  mutating func take(_ option: String, _ value: String = "") throws(UsageError) {
    let arguments = ["option": option, "value": value]
    switch option {
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
    case "--me": names.insert(value)
    default: break
    }
    given[option] = value
  }

  /// Checks that no other command follows; `nil`: there is none.
  func check(for command: String?) throws(UsageError) {
    guard command != "import", let option = given.keys.min() else { return }
    throw UsageError("cli.option-of-command", ["option": option, "command": "import"])
  }

  /// - Parameters:
  ///   - paths: the operands.
  ///   - reading: the options that other commands take, too.
  func request(_ paths: [String], _ reading: ReadingOptions) throws(UsageError) -> ImportRequest {
    let action: ImportRequest.Action
    if let number = given["--undo"].flatMap({ Int64($0) }) {
      action = .undo(number)
    } else {
      action = given["--find"] != nil ? .find : .files(paths)
    }
    switch action {
    case .files:
      guard !paths.isEmpty, !paths.contains("") else {
        throw UsageError("cli.missing-operand", ["command": "import", "operand": "PATH"])
      }
    case .find, .undo:
      if let path = paths.first {
        throw UsageError("cli.extra-operand", ["command": "import", "operand": path])
      }
    }
    let format = reading.value(of: "--as")
    if let format, !HistoryFormats.names.contains(format) {
      let choices = HistoryFormats.names.joined(separator: ", ")
      throw UsageError(
        "cli.bad-choice", ["option": "--as", "value": format, "choices": choices])
    }
    let shared = reading.request(.unread)
    var request = ImportRequest(action)
    request.format = format
    request.names = names
    request.zone = given["--tz"]
    request.since = shared.since
    request.only = given["--only"].flatMap { JID(typed: $0) }
    request.isTrial = given["--dry-run"] != nil
    request.isJSON = shared.isJSON
    return request
  }
}
