import NatterCore
import ScriptService
import XMPP

/// A command about scripts and the rights of programs (natter(1), "Shell commands").
enum ScriptsRequest: Equatable {
  case list(isJSON: Bool)
  /// - Parameter isAgreed: does not ask.
  case enable(String, isAgreed: Bool)
  case disable(String)
  case restart(String)
  /// - Parameter scope: `nil`: as wide as the manifest asks for.
  case grant(String, ScriptRight, accounts: Set<JID>, scope: BridgeScope?)
  /// - Parameter right: `nil`: all.
  case revoke(String, ScriptRight?)
  case log(String)
  /// - Parameter folder: the path of a script that need not be in the folder of scripts.
  case check(folder: String)
  /// Makes the folder of a new script.
  case new(String, ScriptsNewCommand.Language)

  /// Indicates whether it writes nothing.
  var onlyReads: Bool {
    switch self {
    case .list, .log, .check: true
    case .enable, .disable, .restart, .grant, .revoke, .new: false
    }
  }

  /// The commands that follow `natter scripts`.
  static let verbs = [
    "enable", "disable", "restart", "grant", "revoke", "log", "check", "new",
  ]

  /// The verbs whose options have no use with others.
  private static let ofVerbs = [
    "--yes": "enable", "--in": "grant", "--account": "grant", "--js": "new", "--py": "new",
    "--sh": "new",
  ]

  /// - Parameter operands: what follows `scripts`.
  /// - Throws: `UsageError`.
  init(_ operands: [String], _ given: GivenOptions) throws(UsageError) {
    let verb = operands.first
    for (option, needed) in Self.ofVerbs.sorted(by: { $0.key < $1.key })
    where given.has(option) && verb != needed {
      throw UsageError("cli.scripts.option-of-verb", ["option": option, "verb": needed])
    }
    guard let verb else {
      self = .list(isJSON: given.has("--json"))
      return
    }
    guard Self.verbs.contains(verb) else {
      throw UsageError("cli.unknown-command", ["command": "scripts \(verb)"])
    }
    guard !given.has("--json") else {
      throw UsageError("cli.option-of-command", ["option": "--json", "command": "scripts"])
    }
    let words = Words(operands.dropFirst(), of: verb)
    switch verb {
    case "enable": self = .enable(try words.name(), isAgreed: given.has("--yes"))
    case "disable": self = .disable(try words.name())
    case "restart": self = .restart(try words.name())
    case "grant":
      let (name, right) = (try words.name(), try words.right(at: 1))
      guard let right else { throw words.missing("RIGHT") }
      self = .grant(
        name, right, accounts: try Self.accounts(given, right), scope: try Self.scope(given, right))
    case "revoke": self = .revoke(try words.name(), try words.right(at: 1))
    case "log": self = .log(try words.name())
    case "new": self = .new(try words.name(), try Self.language(given))
    default: self = .check(folder: try words.filled(at: 0, "DIR"))
    }
    try words.limit(verb == "grant" || verb == "revoke" ? 2 : 1)
  }

  private static func language(
    _ given: GivenOptions
  ) throws(UsageError) -> ScriptsNewCommand.Language {
    let languages = ScriptsNewCommand.Language.allCases.filter { given.has($0.option) }
    guard languages.count == 1 else { throw UsageError("cli.scripts-new.language", [:]) }
    return languages[0]
  }

  private static func accounts(
    _ given: GivenOptions, _ right: ScriptRight
  ) throws(UsageError) -> Set<JID> {
    var accounts: Set<JID> = []
    for text in given.all("--account") {
      guard right.hasScope else {
        throw UsageError(
          "cli.scripts.no-scope", ["right": right.name, "option": "--account"])
      }
      guard let jid = JID(typed: text), jid.local != nil else {
        throw UsageError("cli.bad-address", ["address": text])
      }
      accounts.insert(jid.bare)
    }
    return accounts
  }

  private static func scope(
    _ given: GivenOptions, _ right: ScriptRight
  ) throws(UsageError) -> BridgeScope? {
    let names = given.all("--in")
    guard !names.isEmpty else { return nil }
    guard right.hasScope else {
      throw UsageError("cli.scripts.no-scope", ["right": right.name, "option": "--in"])
    }
    for name in names where BridgeScope([name]) == nil {
      throw UsageError("cli.scripts.bad-scope", ["value": name])
    }
    return BridgeScope(names)
  }

  /// The operands of a verb.
  private struct Words {
    let words: [String]
    let command: String

    init(_ words: ArraySlice<String>, of verb: String) {
      (self.words, command) = (Array(words), "scripts \(verb)")
    }

    func missing(_ operand: String) -> UsageError {
      UsageError("cli.missing-operand", ["command": command, "operand": operand])
    }

    func filled(at index: Int, _ operand: String) throws(UsageError) -> String {
      guard index < words.count, !words[index].allSatisfy(\.isWhitespace) else {
        throw missing(operand)
      }
      return words[index]
    }

    func name() throws(UsageError) -> String {
      let name = try filled(at: 0, "NAME")
      guard ScriptName.isValid(name) else {
        throw UsageError("cli.scripts.bad-name", ["name": name])
      }
      return name
    }

    func right(at index: Int) throws(UsageError) -> ScriptRight? {
      guard index < words.count else { return nil }
      guard let right = ScriptRight(words[index]) else {
        throw UsageError(
          "cli.scripts.bad-right",
          [
            "right": words[index],
            "rights": ScriptRight.all.map(\.name).joined(separator: ", "),
          ])
      }
      return right
    }

    func limit(_ count: Int) throws(UsageError) {
      guard words.count > count else { return }
      throw UsageError("cli.extra-operand", ["command": command, "operand": words[count]])
    }
  }
}
