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
  /// Indicates whether enabled scripts are started.
  var startsScripts = true
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
    case bridge(ClientRequest)
    /// Imports the history of another program.
    case importHistory(ImportRequest)
    /// Lists or changes scripts and their rights.
    case scripts(ScriptsRequest)
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
      case .scripts(let request): request.onlyReads
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
    ["send"] + ReadingRequest.commands + ClientRequest.commands
    + ["export", "import", "scripts", "accounts", "login", "logout", "doctor", "theme"]

  /// Reads `arguments` (without the program's name). `--` ends options; `--name=value` and `--name
  /// value` mean the same.
  static func parse(_ arguments: [String]) throws(UsageError) -> (CommandLineOptions, Command) {
    var parser = Parser(rest: arguments[...])
    return try parser.run()
  }
}

extension CommandLineOptions {
  fileprivate init(_ given: GivenOptions) {
    account = given["--account"]
    passwordFile = given["--password-file"]
    server = given["--server"]
    security = given["--tls"].flatMap { Account.Security(rawValue: $0) }
    caFile = given["--ca-file"]
    httpURL = given["--http-url"]
    acceptsWeakerSignIn = given.has("--accept-weaker-sign-in")
    theme = given["--theme"]
    language = given["--lang"]
    isPlain = given.has("--plain")
    wantsScreen = given.has("--screen")
    config = given["--config"]
    profile = given["--profile"]
    logLevel = given["--log-level"]
    isLocal = given.has("--local")
    isFresh = given.has("--fresh")
    startsScripts = !given.has("--no-scripts")
    usesBrowser = given.has("--browser")
  }
}

private struct Parser {
  var rest: ArraySlice<String>
  var given = GivenOptions()
  var options = CommandLineOptions()
  var words: [String] = []

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
    options = CommandLineOptions(given)
    if given.has("--version") {
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
    guard let option = CommandLineOption.named(name) else {
      throw UsageError("cli.unknown-option", ["option": name])
    }
    guard option.value == .none else {
      return try given.add(option, try filled(inline ?? rest.popFirst(), of: name))
    }
    guard let inline else { return try given.add(option) }
    // The path is never an argument of its own.
    guard option.name == "--socket" else {
      throw UsageError("cli.takes-no-value", ["option": name])
    }
    try given.add(option, try filled(inline, of: name))
  }

  /// - Throws: `UsageError` for an empty value, too: a variable of the script is empty.
  private func filled(_ value: String?, of option: String) throws(UsageError) -> String {
    guard let value, !value.isEmpty else {
      throw UsageError("cli.needs-value", ["option": option])
    }
    return value
  }

  private mutating func command() throws(UsageError) -> CommandLineOptions.Command {
    if let directory = given["--local-server"] {
      return .localServer(directory: directory, program: words.first)
    }
    let wantsHelp = given.has("--help")
    guard let name = words.first else {
      if wantsHelp { return .help(nil) }
      if given.has("--print-config") { return .printConfiguration }
      if given.has("--print-keys") { return .printKeys }
      if let shell = given["--completion"].flatMap({ CompletionScript.Shell(rawValue: $0) }) {
        return .printCompletion(shell)
      }
      try given.check(for: nil)
      try checkLocal()
      return .fullScreen
    }
    if ["xmpp:", "natter:"].contains(where: { name.lowercased().hasPrefix($0) }) {
      if wantsHelp { return .help(nil) }
      try limit(Array(words.dropFirst()), 0, "natter")
      try given.check(for: nil)
      try checkLocal()
      options.address = name
      return .fullScreen
    }
    _ = try filled(name, "natter", "COMMAND")
    guard CommandLineOptions.commandNames.contains(name) else {
      // These options take no command.
      for option in ["--print-config", "--print-keys", "--completion"] where given.has(option) {
        try limit(words, 0, option)
      }
      throw UsageError("cli.unknown-command", ["command": name])
    }
    if wantsHelp { return .help(name) }
    try given.check(for: name)
    try checkLocal()
    // The command would use the account of a real server instead, unnoticed.
    if options.isLocal { throw UsageError("cli.local-without-command", ["command": name]) }
    let operands = Array(words.dropFirst())
    switch name {
    case "send":
      let to = try filled(operands.first, name, "JID")
      let (text, file) = (operands.dropFirst(), given["--file"])
      let isInput = text.isEmpty || file == nil && text.elementsEqual(["-"])
      return .send(to: to, text: isInput ? nil : text.joined(separator: " "), file: file)
    case "unread", "contacts", "rooms":
      try limit(operands, 0, name)
      return .read(
        ReadingRequest(name == "unread" ? .unread : name == "rooms" ? .rooms : .contacts, given))
    case "history":
      let jid = try filled(operands.first, name, "JID")
      try limit(operands, 1, name)
      return .read(ReadingRequest(.history(jid), given))
    case "search":
      let query = try filled(operands.joined(separator: " "), name, "TEXT")
      return .read(ReadingRequest(.search(query), given))
    case "export":
      for operand in operands { _ = try filled(operand, name, "JID") }
      return .export(try ExportRequest(operands, given))
    case "serve":
      try limit(operands, 0, name)
      return .bridge(
        .serve(
          name: given["--as"], isOffline: given.has("--offline"),
          socket: given["--socket"].map { $0.isEmpty ? .account : .path($0) }))
    case "tail":
      if given.has("--since"), given.has("--after") { throw UsageError("cli.two-beginnings") }
      return .bridge(
        .tail(
          TailRequest(
            addresses: operands, since: given.time("--since"), cursor: given.number("--after"),
            isJSON: given.has("--json"))))
    case "call":
      let method = try filled(operands.first, name, "METHOD")
      try limit(operands, 2, name)
      return .bridge(.call(method: method, parameters: operands.dropFirst().first))
    case "import":
      return .importHistory(try ImportRequest(operands, given))
    case "scripts": return .scripts(try ScriptsRequest(operands, given))
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
      if given.has("--crash") { return .crash(try number(operands.first ?? "1")) }
      if let jid = operands.first { try checkAccount(try filled(jid, name, "JID"), name) }
      return .doctor(operands.first)
    }
  }

  /// Checks the options that only go with the built-in server, and those that do not: the program
  /// finds it and signs in to it by itself.
  private func checkLocal() throws(UsageError) {
    guard options.isLocal else {
      if options.isFresh { throw UsageError("cli.fresh-needs-local") }
      return
    }
    for option in ["--server", "--tls", "--ca-file", "--http-url", "--password-file"]
    where given.has(option) {
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
