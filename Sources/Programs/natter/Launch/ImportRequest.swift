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

  /// The options that say what is read, and how: `--undo` has none of them.
  private static let optionsOfFiles = [
    "--find", "--dry-run", "--as", "--me", "--tz", "--since", "--only",
  ]

  init(_ action: Action) { self.action = action }

  /// - Parameter paths: the operands.
  /// - Throws: `UsageError` for options that exclude each other.
  init(_ paths: [String], _ given: GivenOptions) throws(UsageError) {
    if let number = given["--undo"].flatMap({ Int64($0) }) {
      action = .undo(number)
    } else {
      action = given.has("--find") ? .find : .files(paths)
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
    if case .undo = action, let option = Self.optionsOfFiles.first(where: { given.has($0) }) {
      throw UsageError("cli.undo-with", ["option": option])
    }
    format = given["--as"]
    if let format { try GivenOptions.check("--as", format, HistoryFormats.names) }
    names = Set(given.all("--me"))
    zone = given["--tz"]
    since = given.time("--since")
    only = given["--only"].flatMap { JID(typed: $0) }
    isTrial = given.has("--dry-run")
    isJSON = given.has("--json")
  }
}
