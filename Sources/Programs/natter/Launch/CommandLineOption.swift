import ExportService
import ImportService

/// An option of the command line.
struct CommandLineOption {
  /// The long form, with its dashes.
  let name: String
  let value: CompletionScript.Value
  /// The commands that take it; empty: it goes with any of them, and without one.
  let commands: [String]

  private init(
    _ name: String, _ value: CompletionScript.Value = .none, of commands: [String] = []
  ) {
    self.name = name
    self.value = value
    self.commands = commands
  }

  /// The options for users.
  static let all = [
    Self("--account", .other), Self("--password-file", .file), Self("--server", .other),
    Self("--tls", .words(["auto", "starttls", "direct", "off"])), Self("--ca-file", .file),
    Self("--http-url", .other), Self("--accept-weaker-sign-in"), Self("--theme", .other),
    Self("--lang", .other),
    Self("--log-level", .words(["error", "warning", "info", "debug"])), Self("--plain"),
    Self("--screen"), Self("--config", .file), Self("--profile", .other), Self("--local"),
    Self("--fresh"), Self("--no-scripts"), Self("--yes", of: ["scripts"]),
    Self("--js", of: ["scripts"]), Self("--py", of: ["scripts"]), Self("--sh", of: ["scripts"]),
    Self("--browser", of: ["login"]), Self("--crash", of: ["doctor"]),
    Self("--file", .file, of: ["send"]),
    Self("--json", of: ReadingRequest.commands + ["tail", "import", "scripts"]),
    Self("--since", .other, of: ["history", "export", "import", "tail"]),
    Self("--until", .other, of: ["history", "export"]),
    Self("--limit", .other, of: ["history", "search"]),
    Self("--in", .other, of: ["search", "scripts"]),
    Self("--fetch", of: ["history"]), Self("--total", of: ["unread"]),
    Self("--format", .words(ExportFormat.allCases.map(\.rawValue)), of: ["export"]),
    Self("--output", .file, of: ["export"]), Self("--all", of: ["export"]),
    Self("--force", of: ["export"]), Self("--files", of: ["export"]),
    Self("--as", .words(HistoryFormats.names), of: ["serve", "import"]),
    Self("--me", .other, of: ["import"]), Self("--tz", .other, of: ["import"]),
    Self("--only", .other, of: ["import"]), Self("--dry-run", of: ["import"]),
    Self("--find", of: ["import"]), Self("--undo", .other, of: ["import"]),
    Self("--after", .other, of: ["tail"]), Self("--offline", of: ["serve"]),
    Self("--socket", of: ["serve"]), Self("--print-config"), Self("--print-keys"),
    Self("--completion", .words(CompletionScript.Shell.allCases.map(\.rawValue))),
    Self("--version"), Self("--help"),
  ]

  /// `CommandLineOptions.Command.localServer`, which is not for users.
  private static let localServer = Self("--local-server", .file)
  private static let short = ["-h": "--help", "-V": "--version", "-v": "--version"]

  /// Returns the option with a long or short name; `nil` if there is none.
  static func named(_ name: String) -> Self? {
    let long = short[name] ?? name
    return (all + [localServer]).first { $0.name == long }
  }
}
