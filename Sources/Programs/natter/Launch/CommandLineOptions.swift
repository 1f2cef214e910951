import NatterCore
import XMPP

/// The options that the full screen and every command that connects share
/// (interface.md, "Command line").
struct CommandLineOptions: Equatable {
  var account: String?
  var passwordFile: String?
  var server: String?
  var security: Account.Security?
  var caFile: String?
  var httpURL: String?
  /// Indicates whether a weaker authentication mechanism than the last time is accepted.
  var acceptsWeakerSignIn = false
  var theme: String?
  var language: String?
  var isPlain = false
  /// The full screen, whatever the settings say.
  var wantsScreen = false
  var config: String?
  var profile: String?
  var logLevel: String?
  var isLocal = false
  var isFresh = false
  /// `natter login`: uses a browser instead of a password.
  var usesBrowser = false
  /// An `xmpp:` or `natter:` address to open.
  var address: String?

  /// The command to run.
  enum Command: Equatable {
    case fullScreen
    case send(to: String, text: String?, file: String? = nil)
    /// Prints what is stored.
    case read(ReadingRequest)
    /// Writes what is stored for other programs and people.
    case export(ExportRequest)
    /// Works through the bridge.
    case bridge(BridgeRequest)
    /// Imports the history of another program.
    case importHistory(ImportRequest)
    case accounts
    case login(String)
    case logout(String)
    case doctor(String?)
    /// Prints a crash report; 1 is the newest.
    case crash(Int)
    /// Checks a theme's file.
    case checkTheme(String)
    case printConfiguration
    case printKeys
    case printCompletion(CompletionScript.Shell)
    case version
    case help(String?)
    /// The built-in server; started by `--local`, not by the user.
    /// - Parameter program: the command that runs Natter in a shell; `nil`: as it is installed.
    case localServer(directory: String, program: String? = nil)

    /// Indicates whether the user runs it, and not this program.
    var isForPeople: Bool { if case .localServer = self { false } else { true } }

    /// Indicates whether it only prints something and needs no account, no directory and no log.
    var isForItself: Bool {
      switch self {
      case .help, .printConfiguration, .printKeys, .printCompletion, .checkTheme: true
      default: false
      }
    }

    /// Indicates whether it writes nothing of Natter's own, not even a directory.
    var onlyReads: Bool {
      switch self {
      case .read, .export, .crash: true
      default: false
      }
    }

    /// Returns whether configuration warnings go to standard error: the full screen and the report
    /// show them in their own way.
    func printsWarnings(_ options: CommandLineOptions) -> Bool {
      switch self {
      case .fullScreen: options.isPlain
      case .doctor, .crash: false
      default: true
      }
    }
  }

  /// The names of the commands, for help and for the nearest match.
  static let commandNames =
    ["send"] + ReadingRequest.commands + BridgeRequest.commands
    + ["export", "import", "accounts", "login", "logout", "doctor", "theme"]

  /// Reads `arguments` (without the program's name). `--` ends options; `--name=value` and `--name
  /// value` mean the same.
  static func parse(_ arguments: [String]) throws(UsageError) -> (CommandLineOptions, Command) {
    var parser = Parser(rest: arguments[...])
    return try parser.run()
  }
}

private struct Parser {
  var rest: ArraySlice<String>
  var options = CommandLineOptions()
  var words: [String] = []
  var wantsHelp = false
  var wantsVersion = false
  var printsConfiguration = false
  var printsKeys = false
  var completedShell: CompletionScript.Shell?
  var serverDirectory: String?
  var file: String?
  var printsCrash = false
  var reading = ReadingOptions()
  var importing = ImportOptions()

  mutating func run() throws(UsageError) -> (CommandLineOptions, CommandLineOptions.Command) {
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      }
      if argument.hasPrefix("-"), argument != "-" {
        try option(argument)
      } else {
        words.append(argument)
      }
    }
    if wantsVersion {
      // A command may follow; which one does not matter.
      if let word = words.first, !CommandLineOptions.commandNames.contains(word) {
        try limit([word], 0, "--version")
      }
      return (options, .version)
    }
    let command = try command()
    return (options, command)
  }

  private mutating func option(_ argument: String) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let inline = parts.count > 1 ? String(parts[1]) : nil
    switch name {
    case "-h", "--help": wantsHelp = true
    case "-V", "-v", "--version": wantsVersion = true
    case "--print-config": printsConfiguration = true
    case "--print-keys": printsKeys = true
    case "--local": options.isLocal = true
    case "--fresh": options.isFresh = true
    case "--plain": options.isPlain = true
    case "--screen": options.wantsScreen = true
    case "--browser": options.usesBrowser = true
    case "--crash": printsCrash = true
    case "--accept-weaker-sign-in": options.acceptsWeakerSignIn = true
    case "--account": options.account = try value(name, inline)
    case "--password-file": options.passwordFile = try value(name, inline)
    case "--server": options.server = try value(name, inline)
    case "--ca-file": options.caFile = try value(name, inline)
    case "--file": file = try value(name, inline)
    case "--json", "--total", "--all", "--force", "--files", "--offline": try reading.take(name)
    case "--socket":
      // The path is never an argument of its own.
      if inline?.isEmpty == true { throw UsageError("cli.needs-value", ["option": name]) }
      try reading.take(name, inline ?? "")
    case "--since", "--until", "--limit", "--in", "--format", "--output", "--after", "--as":
      let text = try value(name, inline)
      try reading.take(name, text)
    case let flag where ImportOptions.flags.contains(flag): try importing.take(name)
    case let option where ImportOptions.valued.contains(option):
      let text = try value(name, inline)
      try importing.take(name, text)
    case "--http-url": options.httpURL = try value(name, inline)
    case "--theme": options.theme = try value(name, inline)
    case "--lang": options.language = try value(name, inline)
    case "--config": options.config = try value(name, inline)
    case "--profile": options.profile = try value(name, inline)
    case "--local-server": serverDirectory = try value(name, inline)
    case "--completion":
      let text = try value(name, inline)
      guard let shell = CompletionScript.Shell(rawValue: text) else {
        throw UsageError(
          "cli.bad-choice", ["option": name, "value": text, "choices": "bash, zsh, fish"])
      }
      completedShell = shell
    case "--tls":
      let text = try value(name, inline)
      guard let security = Account.Security(rawValue: text) else {
        throw UsageError(
          "cli.bad-choice",
          ["option": name, "value": text, "choices": "auto, starttls, direct, off"])
      }
      options.security = security
    case "--log-level":
      let text = try value(name, inline)
      guard ["error", "warning", "info", "debug"].contains(text) else {
        throw UsageError(
          "cli.bad-choice",
          ["option": name, "value": text, "choices": "error, warning, info, debug"])
      }
      options.logLevel = text
    default: throw UsageError("cli.unknown-option", ["option": name])
    }
    let takesNone =
      [
        "-h", "--help", "-V", "-v", "--version", "--print-config", "--print-keys", "--local",
        "--fresh", "--plain", "--screen", "--browser", "--accept-weaker-sign-in", "--json",
        "--total", "--all", "--force", "--files", "--offline", "--crash",
      ] + ImportOptions.flags
    if inline != nil, takesNone.contains(name) {
      throw UsageError("cli.takes-no-value", ["option": name])
    }
  }

  private mutating func value(_ name: String, _ inline: String?) throws(UsageError) -> String {
    // An empty value comes from a script in which a variable is empty.
    guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
      throw UsageError("cli.needs-value", ["option": name])
    }
    return value
  }

  private mutating func command() throws(UsageError) -> CommandLineOptions.Command {
    if let serverDirectory { return .localServer(directory: serverDirectory, program: words.first) }
    if file != nil, words.first != "send" {
      throw UsageError("cli.option-of-command", ["option": "--file", "command": "send"])
    }
    if options.usesBrowser, words.first != "login" {
      throw UsageError("cli.option-of-command", ["option": "--browser", "command": "login"])
    }
    if printsCrash, words.first != "doctor" {
      throw UsageError("cli.option-of-command", ["option": "--crash", "command": "doctor"])
    }
    guard let name = words.first else {
      if wantsHelp { return .help(nil) }
      if printsConfiguration { return .printConfiguration }
      if printsKeys { return .printKeys }
      if let completedShell { return .printCompletion(completedShell) }
      try checkOptions(for: nil)
      try checkLocal()
      return .fullScreen
    }
    if ["xmpp:", "natter:"].contains(where: { name.lowercased().hasPrefix($0) }) {
      if wantsHelp { return .help(nil) }
      try limit(Array(words.dropFirst()), 0, "natter")
      try checkOptions(for: nil)
      try checkLocal()
      options.address = name
      return .fullScreen
    }
    _ = try filled(name, "natter", "COMMAND")
    guard CommandLineOptions.commandNames.contains(name) else {
      // These options take no command.
      for (isAsked, option) in [
        (printsConfiguration, "--print-config"), (printsKeys, "--print-keys"),
        (completedShell != nil, "--completion"),
      ] where isAsked {
        try limit(words, 0, option)
      }
      throw UsageError("cli.unknown-command", ["command": name])
    }
    if wantsHelp { return .help(name) }
    try checkOptions(for: name)
    try checkLocal()
    // The command would use the account of a real server instead, unnoticed.
    if options.isLocal { throw UsageError("cli.local-without-command", ["command": name]) }
    let operands = Array(words.dropFirst())
    switch name {
    case "send":
      let to = try filled(operands.first, name, "JID")
      let text = operands.dropFirst()
      if let file {
        return .send(to: to, text: text.isEmpty ? nil : text.joined(separator: " "), file: file)
      }
      if text.isEmpty || text.elementsEqual(["-"]) { return .send(to: to, text: nil) }
      return .send(to: to, text: text.joined(separator: " "))
    case "unread", "contacts", "rooms":
      try limit(operands, 0, name)
      return .read(
        reading.request(name == "unread" ? .unread : name == "rooms" ? .rooms : .contacts))
    case "history":
      let jid = try filled(operands.first, name, "JID")
      try limit(operands, 1, name)
      return .read(reading.request(.history(jid)))
    case "search":
      return .read(
        reading.request(.search(try filled(operands.joined(separator: " "), name, "TEXT"))))
    case "export":
      for operand in operands { _ = try filled(operand, name, "JID") }
      return .export(try reading.exportRequest(operands))
    case "serve":
      try limit(operands, 0, name)
      return .bridge(reading.serveRequest)
    case "tail": return .bridge(try reading.tailRequest(operands))
    case "call":
      let method = try filled(operands.first, name, "METHOD")
      try limit(operands, 2, name)
      return .bridge(.call(method: method, parameters: operands.dropFirst().first))
    case "import":
      return .importHistory(try importing.request(operands, reading))
    case "accounts":
      try limit(operands, 0, name)
      return .accounts
    case "login", "logout":
      let jid = try filled(operands.first, name, "JID")
      try limit(operands, 1, name)
      try checkAccount(jid, name)
      return name == "login" ? .login(jid) : .logout(jid)
    case "theme":
      guard let verb = operands.first else { throw missing(name, "check FILE") }
      guard verb == "check" else {
        throw UsageError("cli.unknown-command", ["command": "theme \(verb)"])
      }
      let file = try filled(operands.dropFirst().first, "theme check", "FILE")
      try limit(operands, 2, "theme check")
      return .checkTheme(file)
    default:
      try limit(operands, 1, name)
      if printsCrash { return .crash(try number(operands.first ?? "1")) }
      if let jid = operands.first { try checkAccount(try filled(jid, name, "JID"), name) }
      return .doctor(operands.first)
    }
  }

  /// Checks that a command takes its options; `nil`: there is none.
  private func checkOptions(for command: String?) throws(UsageError) {
    try reading.check(for: command)
    try importing.check(for: command)
  }

  /// Checks the options that only go with the built-in server, and those that do not: the program
  /// finds it and signs in to it by itself.
  private func checkLocal() throws(UsageError) {
    guard options.isLocal else {
      if options.isFresh { throw UsageError("cli.fresh-needs-local") }
      return
    }
    let given = [
      ("--server", options.server), ("--tls", options.security?.rawValue),
      ("--ca-file", options.caFile), ("--http-url", options.httpURL),
      ("--password-file", options.passwordFile),
    ]
    if let option = given.first(where: { $0.1 != nil })?.0 {
      throw UsageError("cli.not-with-local", ["option": option])
    }
  }

  /// A command with an account as its operand takes no other account as an option.
  private func checkAccount(_ jid: String, _ command: String) throws(UsageError) {
    guard let other = options.account, other != jid else { return }
    // Case does not matter in an address (RFC 7622 §3.2, §3.3).
    if let named = JID(typed: jid), named == JID(typed: other) { return }
    throw UsageError("cli.two-accounts", ["command": command, "address": jid, "account": other])
  }

  /// - Returns: an operand that is not empty.
  /// - Throws: `UsageError` for an empty one, too: a variable of the script is empty.
  private func filled(
    _ operand: String?, _ command: String, _ name: String
  ) throws(UsageError) -> String {
    guard let operand, !operand.allSatisfy(\.isWhitespace) else { throw missing(command, name) }
    return operand
  }

  private func number(_ text: String) throws(UsageError) -> Int {
    guard let number = Int(text), number > 0 else {
      throw UsageError("cli.bad-crash", ["text": text])
    }
    return number
  }

  private func missing(_ command: String, _ operand: String) -> UsageError {
    UsageError("cli.missing-operand", ["command": command, "operand": operand])
  }

  private func limit(_ operands: [String], _ count: Int, _ command: String) throws(UsageError) {
    guard operands.count > count else { return }
    throw UsageError("cli.extra-operand", ["command": command, "operand": operands[count]])
  }
}
