import FoundationEssentials
import Glibc
import JSONLines
import NatterCore
import ScriptService
import System
import Terminal
import Text
import ViewModels
import XMPP

/// `natter scripts`: lists scripts, enables and disables them, gives and takes back rights. It
/// changes the file of the rights only; a Natter that is running follows the file.
struct ScriptsCommand {
  let localizer: Localizer
  let folders: ScriptFolders
  let catalogue: ScriptCatalogue
  /// The folder with the templates of scripts.
  let resources: URL
  /// How far programs are confined here.
  let confinement: () async -> ScriptConfinement
  /// Prints a line.
  let print: (String) throws -> Void
  /// Asks a question that the user answers with yes or no; `nil`: there is no terminal.
  let agrees: ((String) -> Bool)?
  var now: () -> Date = { Date() }

  /// The most bytes of a log that are read.
  private static let logLimit = 1 << 20

  private var file: GrantFile { GrantFile(folders.grants) }

  /// - Returns: the exit code.
  /// - Throws: `CommandFailure`, `GrantFileError`.
  func run(_ request: ScriptsRequest) async throws -> ExitCode {
    switch request {
    case .list(let isJSON): try list(isJSON)
    case .enable(let name, let isAgreed): try await enable(name, isAgreed)
    case .disable(let name): try await disable(name)
    case .restart(let name): try await restart(name)
    case .grant(let name, let right, let accounts, let scope):
      try await grant(name, right, accounts, scope)
    case .revoke(let name, let right): try await revoke(name, right)
    case .log(let name): try log(name)
    case .check(let folder): try check(folder)
    case .new(let name, let language):
      return try ScriptsNewCommand(
        localizer: localizer, folder: folders.user, resources: resources, print: print
      ).run(name, in: language)
    }
    return .done
  }

  private func list(_ isJSON: Bool) throws {
    let grants = try file.read()
    if let problem = catalogue.problem() {
      throw CommandFailure(code: .failed, text: localizer(problem.key, problem.arguments))
    }
    let listing = ScriptListing(
      localizer: localizer, found: catalogue.read(), grants: grants)
    if isJSON {
      for object in listing.objects { try print(object.text) }
    } else {
      let lines = listing.lines
      for line in lines { try print(line) }
      // A program gets no lines.
      if lines.isEmpty, agrees != nil { try say("cli.scripts.none", ["path": folders.user]) }
    }
  }

  private func enable(_ name: String, _ isAgreed: Bool) async throws {
    let script = try found(name)
    guard case .good(let manifest, let digest) = script.reading else { return }
    // An unreadable file is reported before anything is asked.
    _ = try file.read()
    let description = ScriptDescription(localizer: localizer)
    for line in description.lines(of: manifest, named: name) { try print(line) }
    if await confinement() == .open { try say("cli.scripts.open") }
    if !isAgreed {
      guard let agrees else {
        throw CommandFailure(code: .usage, text: localizer("cli.scripts.needs-yes"))
      }
      guard agrees(localizer("cli.scripts.question", ["name": name])) else {
        throw CommandFailure(code: .failed, text: localizer("cli.scripts.declined", ["name": name]))
      }
    }
    try await file.change {
      var entry = $0.entries[name] ?? ScriptGrants.Entry()
      (entry.isEnabled, entry.digest) = (true, digest)
      $0.entries[name] = entry
    }
    try say("cli.scripts.enabled", ["name": name])
  }

  private func disable(_ name: String) async throws {
    let isThere = catalogue.read(name) != nil
    let isKnown = try await file.change {
      guard $0.entries[name] != nil else { return false }
      $0.entries[name]?.isEnabled = false
      return true
    }
    guard isThere || isKnown else { throw unknown(name) }
    try say("cli.scripts.disabled", ["name": name])
  }

  /// Has a running Natter restart a script: it follows the file.
  private func restart(_ name: String) async throws {
    let script = try found(name)
    let date = now()
    let isCurrent = try await file.change { grants -> Bool in
      guard let entry = grants.entries[name], entry.isEnabled else {
        throw CommandFailure(
          code: .failed, text: localizer("error.script.state.off", ["name": name]))
      }
      guard entry.digest == script.digest else { return false }
      grants.entries[name]?.restarted = date
      return true
    }
    guard isCurrent else {
      throw CommandFailure(
        code: .failed, text: localizer("error.script.state.changed", ["name": name]))
    }
    try say("cli.scripts.restarted", ["name": name])
  }

  private func grant(
    _ name: String, _ right: ScriptRight, _ accounts: Set<JID>, _ scope: BridgeScope?
  ) async throws {
    // A name without a folder is that of another program.
    let script = catalogue.read(name)
    if let script, let problem = ScriptProblem(script, localizer) {
      throw CommandFailure(code: problem.code, text: problem.text)
    }
    let permission = script?.manifest?.permission(right)
    if script != nil, permission == nil {
      throw CommandFailure(
        code: .failed,
        text: localizer("cli.scripts.undeclared", ["name": name, "right": right.name]))
    }
    let grant = ScriptGrant(
      right, accounts: accounts, scope: scope ?? permission?.scope ?? .all)
    let date = now()
    let isEnabled = try await file.change {
      var entry = $0.entries[name] ?? ScriptGrants.Entry()
      entry.add(ScriptGrants.StoredGrant(grant, given: date))
      $0.entries[name] = entry
      return entry.isEnabled
    }
    let arguments = [
      "name": name, "right": ScriptDescription(localizer: localizer).line(of: grant),
    ]
    if script == nil {
      try say("cli.scripts.granted-program", arguments)
    } else {
      try say(isEnabled ? "cli.scripts.granted" : "cli.scripts.granted-off", arguments)
    }
  }

  private func revoke(_ name: String, _ right: ScriptRight?) async throws {
    var wasRefused = false
    let wasHeld = try await file.change { grants in
      wasRefused = right.map { grants.entries[name]?.never.contains($0) == true } ?? false
      return grants.entries[name]?.remove(right)
    }
    if wasHeld == nil, catalogue.read(name) == nil { throw unknown(name) }
    let arguments = ["name": name, "right": right?.name ?? ""]
    guard wasHeld == true else {
      if wasRefused { return try say("cli.scripts.asks-again", arguments) }
      throw CommandFailure(
        code: .failed,
        text: localizer(
          right == nil ? "cli.scripts.no-rights" : "cli.scripts.not-held", arguments))
    }
    try say(right == nil ? "cli.scripts.revoked-all" : "cli.scripts.revoked", arguments)
  }

  private func log(_ name: String) throws {
    let path = folders.log(of: name)
    let content: Data?
    do { content = try PrivateFile.read(path, limit: Self.logLimit) } catch {
      throw CommandFailure(code: .failed, text: localizer("cli.unreadable-file", ["path": path]))
    }
    guard let content else {
      guard catalogue.read(name) != nil else { throw unknown(name) }
      throw CommandFailure(code: .failed, text: localizer("cli.scripts.no-log", ["name": name]))
    }
    for line in content.split(separator: UInt8(ascii: "\n")) {
      try print(SafeText.line(String(decoding: line, as: UTF8.self)))
    }
  }

  private func check(_ folder: String) throws {
    guard let script = catalogue.read(at: folder) else {
      throw CommandFailure(
        code: .usage, text: localizer("cli.scripts.no-folder", ["path": folder]))
    }
    if let problem = ScriptProblem(script, localizer) {
      throw CommandFailure(code: problem.code, text: problem.text)
    }
    guard let manifest = script.manifest else { return }
    let description = ScriptDescription(localizer: localizer)
    for line in description.lines(of: manifest, named: script.name) { try print(line) }
    try say("cli.scripts.good", ["path": folder])
  }

  /// Returns a script that is good.
  /// - Throws: `CommandFailure` if there is none of that name, or nothing of it is used.
  private func found(_ name: String) throws -> FoundScript {
    guard let script = catalogue.read(name) else { throw unknown(name) }
    if let problem = ScriptProblem(script, localizer) {
      throw CommandFailure(code: problem.code, text: problem.text)
    }
    return script
  }

  private func unknown(_ name: String) -> CommandFailure {
    CommandFailure(code: .failed, text: localizer("cli.scripts.unknown", ["name": name]))
  }

  private func say(_ key: String, _ arguments: [String: String] = [:]) throws {
    try print(SafeText.line(localizer(key, arguments)))
  }
}

extension ScriptsCommand {
  /// The command on the terminal, or in a pipe.
  init(context: LaunchContext) {
    let path = context.environment["PATH"] ?? ""
    let isTerminal = isatty(STDIN_FILENO) != 0
    self.init(
      localizer: context.localizer, folders: ScriptFolders(context),
      catalogue: ScriptCatalogue(context), resources: context.resources,
      confinement: { await ConfinementCheck.run(searchPath: path).level },
      print: { try StandardStreams.report($0, context.localizer) },
      agrees: isTerminal
        ? { question in
          StandardStreams.write(question, to: STDERR_FILENO)
          return context.readsYes()
        } : nil)
  }
}
