import ExportService

/// A command that prints what is stored, with its options (natter(1), "Shell commands").
struct ReadingRequest: Equatable {
  /// The data that a command prints.
  enum Subject: Equatable {
    case unread
    case history(String)
    case contacts
    case rooms
    case search(String)
  }

  let subject: Subject
  var isJSON = false
  /// `--total`: prints one number instead of a line for each conversation.
  var isTotal = false
  var since: GivenTime?
  var until: GivenTime?
  /// The most messages; 0: all.
  var limit = 50
  /// `--in`: the address of the only conversation to search.
  var conversation: String?

  init(_ subject: Subject) { self.subject = subject }

  /// The names of the commands.
  static let commands = ["unread", "history", "search", "contacts", "rooms"]
}

/// The options that several commands take, those of `ReadingRequest`, `BridgeRequest`, `natter
/// export` and `natter import`, as they were given.
struct ReadingOptions {
  /// The commands that take an option.
  private static let takers: [(option: String, commands: [String])] = [
    ("--json", ReadingRequest.commands + ["tail", "import"]), ("--total", ["unread"]),
    ("--since", ["history", "export", "import", "tail"]), ("--until", ["history", "export"]),
    ("--limit", ["history", "search"]), ("--in", ["search"]),
    ("--format", ["export"]), ("--output", ["export"]), ("--all", ["export"]),
    ("--force", ["export"]), ("--files", ["export"]), ("--after", ["tail"]),
    ("--as", ["serve", "import"]), ("--offline", ["serve"]), ("--socket", ["serve"]),
  ]

  private var given: [String: String] = [:]

  /// Notes an option.
  /// - Throws: `UsageError` for a value that it does not take.
  mutating func take(_ option: String, _ value: String = "") throws(UsageError) {
    let arguments = ["option": option, "value": value]
    switch option {
    case "--since", "--until":
      guard GivenTime(parsing: value) != nil else { throw UsageError("cli.bad-time", arguments) }
    case "--limit", "--after":
      guard let number = Int(value), number >= 0 else {
        throw UsageError("cli.bad-number", arguments)
      }
    case "--format":
      guard ExportFormat(rawValue: value) != nil else {
        let choices = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError(
          "cli.bad-choice", ["option": option, "value": value, "choices": choices])
      }
    default: break
    }
    given[option] = value
  }

  /// Checks that a command takes all options that were given; `nil`: there is no command.
  func check(for command: String?) throws(UsageError) {
    for (option, commands) in Self.takers where given[option] != nil {
      guard !commands.contains(where: { $0 == command }) else { continue }
      if commands.count == 1 {
        throw UsageError("cli.option-of-command", ["option": option, "command": commands[0]])
      }
      throw UsageError(
        "cli.option-of-commands",
        ["option": option, "commands": commands.joined(separator: ", ")])
    }
  }

  /// Returns the request of `natter export`.
  /// - Parameter addresses: those of the conversations.
  /// - Throws: `UsageError` for options that exclude each other.
  func exportRequest(_ addresses: [String]) throws(UsageError) -> ExportRequest {
    if given["--all"] != nil, let address = addresses.first {
      throw UsageError("cli.extra-operand", ["command": "export --all", "operand": address])
    }
    let output = given["--output"].flatMap { $0 == "-" ? nil : $0 }
    var request = ExportRequest(addresses: addresses, output: output)
    request.format =
      given["--format"].flatMap { ExportFormat(rawValue: $0) }
      ?? output.map { ExportFormat(ofFile: $0) ?? .jsonl }
    request.since = given["--since"].flatMap { GivenTime(parsing: $0) }
    request.until = given["--until"].flatMap { GivenTime(parsing: $0) }
    request.mayReplace = given["--force"] != nil
    request.includesFiles = given["--files"] != nil
    try check(request)
    return request
  }

  /// Checks what only an archive, or everything but an archive, can have.
  private func check(_ request: ExportRequest) throws(UsageError) {
    guard request.format == .archive else {
      guard !request.includesFiles else {
        throw UsageError(
          "cli.option-of-command", ["option": "--files", "command": "export --format archive"])
      }
      return
    }
    if request.output == nil { throw UsageError("cli.export-archive-output") }
    guard request.addresses.isEmpty, request.since == nil, request.until == nil else {
      throw UsageError("cli.export-archive-whole")
    }
  }

  var serveRequest: BridgeRequest {
    .serve(
      name: given["--as"], isOffline: given["--offline"] != nil,
      socket: given["--socket"].map { $0.isEmpty ? .account : .path($0) })
  }

  /// - Throws: `UsageError` for two beginnings.
  func tailRequest(_ addresses: [String]) throws(UsageError) -> BridgeRequest {
    guard given["--since"] == nil || given["--after"] == nil else {
      throw UsageError("cli.two-beginnings")
    }
    return .tail(
      TailRequest(
        addresses: addresses, since: given["--since"].flatMap { GivenTime(parsing: $0) },
        cursor: given["--after"].flatMap { Int($0) }, isJSON: given["--json"] != nil))
  }

  /// The value of an option; `nil`: it was not given.
  func value(of option: String) -> String? { given[option] }

  func request(_ subject: ReadingRequest.Subject) -> ReadingRequest {
    var request = ReadingRequest(subject)
    request.isJSON = given["--json"] != nil
    request.isTotal = given["--total"] != nil
    request.since = given["--since"].flatMap { GivenTime(parsing: $0) }
    request.until = given["--until"].flatMap { GivenTime(parsing: $0) }
    request.limit = given["--limit"].flatMap { Int($0) } ?? request.limit
    request.conversation = given["--in"]
    return request
  }
}
