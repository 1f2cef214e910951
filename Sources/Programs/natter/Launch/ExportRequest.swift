import ExportService

/// `natter export`, with its options (natter(1), "Shell commands").
struct ExportRequest: Equatable {
  /// The addresses of the conversations; empty: all of them.
  var addresses: [String] = []
  /// `nil`: lines to read on a terminal, objects elsewhere.
  var format: ExportFormat?
  var since: GivenTime?
  var until: GivenTime?
  /// The path of the new file; `nil`: standard output.
  var output: String?
  /// `--force`: replaces an existing file.
  var mayReplace = false
  /// `--files`: an archive contains the downloaded files.
  var includesFiles = false

  init() {}

  /// - Parameter addresses: those of the conversations.
  /// - Throws: `UsageError` for options that exclude each other.
  init(_ addresses: [String], _ given: GivenOptions) throws(UsageError) {
    if given.has("--all"), let address = addresses.first {
      throw UsageError("cli.extra-operand", ["command": "export --all", "operand": address])
    }
    self.addresses = addresses
    output = given["--output"].flatMap { $0 == "-" ? nil : $0 }
    format =
      given["--format"].flatMap { ExportFormat(rawValue: $0) }
      ?? output.map { ExportFormat(ofFile: $0) ?? .jsonl }
    since = given.time("--since")
    until = given.time("--until")
    mayReplace = given.has("--force")
    includesFiles = given.has("--files")
    try check()
  }

  /// Checks what only an archive, or everything but an archive, can have.
  private func check() throws(UsageError) {
    guard format == .archive else {
      guard !includesFiles else {
        throw UsageError(
          "cli.option-of-command", ["option": "--files", "command": "export --format archive"])
      }
      return
    }
    if output == nil { throw UsageError("cli.export-archive-output") }
    guard addresses.isEmpty, since == nil, until == nil else {
      throw UsageError("cli.export-archive-whole")
    }
  }
}
