import Foundation
import NatterCore
import ScriptService
import TestSupport
import Testing
import Text
import XMPP

@testable import natter

@Suite struct ScriptsCommandTests {
  private let folder: TemporaryFolder
  private let folders: ScriptFolders

  init() throws {
    folder = try TemporaryFolder("scripts")
    folders = ScriptFolders(
      user: folder.path("user"), shipped: nil, data: folder.path("data"),
      state: folder.path("state"))
    try folder.makeFolder("user")
  }

  private static let manifest = """
    title = "Greets newcomers"
    version = "1.0"
    api = 1
    run = ["node", "greeter.mjs"]
    [permission."messages.read"]
    why = "to see \\u202Ewho is new"
    in = ["rooms"]
    [permission.network]
    why = "for the weather"
    hosts = ["weather.example"]

    """

  private func add(_ text: String = manifest, _ name: String = "greeter") throws {
    try folder.makeFolder("user/\(name)")
    try folder.write(text, to: "user/\(name)/manifest.toml")
  }

  private static let me = JID(local: "me", domain: "natter.test")
  private static let now = Date(timeIntervalSince1970: 1_796_000_000)

  /// What a command prints, and how it ends.
  private struct Run {
    var lines: [String] = []
    var code: ExitCode?
    var failure: String?
    var questions: [String] = []

    func has(_ text: String) -> Bool { lines.contains { $0.contains(text) } }
  }

  private func run(
    _ request: ScriptsRequest, answer: Bool? = nil, confinement: ScriptConfinement = .closed
  ) async throws -> Run {
    let english = try englishTexts()
    let catalogue = ScriptCatalogue(
      folders, languages: ["en"], hash: { String(decoding: $0, as: UTF8.self) })
    final class Seen { var run = Run() }
    let seen = Seen()
    let command = ScriptsCommand(
      localizer: Localizer(tag: "en", texts: english), folders: folders, catalogue: catalogue,
      resources: folder.root, confinement: { confinement }, print: { seen.run.lines.append($0) },
      agrees: answer.map { answer in
        { question in
          seen.run.questions.append(question)
          return answer
        }
      }, now: { Self.now })
    do { seen.run.code = try await command.run(request) } catch let failure as CommandFailure {
      (seen.run.code, seen.run.failure) = (failure.code, failure.text)
    }
    return seen.run
  }

  private func entry(_ name: String = "greeter") throws -> ScriptGrants.Entry? {
    try GrantFile(folders.grants).read().entries[name]
  }

  @Test func `enabling shows what a script asks for, and asks`() async throws {
    try add()
    let run = try await run(.enable("greeter", isAgreed: false), answer: true)
    #expect(run.code == .done && run.questions == ["Enable greeter? [y/N] "])
    #expect(run.lines.first == "Greets newcomers 1.0 (greeter) asks for:")
    #expect(run.has("messages.read") && run.has("in: rooms"))
    // The author's text cannot change the direction of the line.
    #expect(run.has("\"to see ") && !run.has("\u{202E}"))
    #expect(run.has("weather.example") && run.has("can pass on what it reads"))
    #expect(run.has("It runs: node greeter.mjs") && !run.has("cannot confine"))
    #expect(try entry()?.isEnabled == true && entry()?.digest.isEmpty == false)
  }

  @Test func `nothing is enabled without consent`() async throws {
    try add()
    let no = try await run(.enable("greeter", isAgreed: false), answer: false)
    #expect(no.code == .failed)
    let nobody = try await run(.enable("greeter", isAgreed: false))
    #expect(nobody.code == .usage && nobody.failure?.contains("--yes") == true)
    #expect(try entry() == nil)
    let yes = try await run(.enable("greeter", isAgreed: true), confinement: .open)
    #expect(yes.code == .done && yes.questions.isEmpty && yes.has("cannot confine programs"))
    #expect(try entry()?.isEnabled == true)
    #expect(try await run(.disable("greeter")).code == .done)
    #expect(try entry()?.isEnabled == false)
  }

  @Test func `a restart is noted for a script that is enabled, and for no other`() async throws {
    try add()
    let off = try await run(.restart("greeter"))
    #expect(off.code == .failed && off.failure == "The script greeter is not enabled.")
    #expect(try entry() == nil)
    _ = try await run(.enable("greeter", isAgreed: true))
    let on = try await run(.restart("greeter"))
    #expect(on.code == .done && on.has("greeter is restarted"))
    #expect(try entry()?.restarted == Self.now && entry()?.isEnabled == true)
    try add(Self.manifest.replacing("\"greeter.mjs\"", with: "\"other.mjs\""))
    let before = try entry()
    // A changed manifest has to be looked at first. The digest of the tests is its length.
    #expect(try await run(.restart("greeter")).code == .failed)
    #expect(try entry() == before)
  }

  @Test func `the list shows each state`() async throws {
    try add()
    #expect(try await run(.list(isJSON: false)).lines == ["greeter\toff\tGreets newcomers"])
    _ = try await run(.enable("greeter", isAgreed: true))
    #expect(try await run(.list(isJSON: false)).lines == ["greeter\ton\tGreets newcomers"])
    try add(Self.manifest.replacing("\"greeter.mjs\"", with: "\"other.mjs\", \"x\""))
    #expect(try await run(.list(isJSON: false)).has("greeter\tchanged"))
    try add("title = 1\napi = 1\nrun = [\"x\"]\n")
    let bad = try await run(.list(isJSON: false))
    #expect(
      bad.lines == ["greeter\tbad", "  manifest.toml:1: title needs a text in quotation marks."])
    chmod(folder.path("user/greeter"), 0o777)
    let writable = try await run(.list(isJSON: false))
    #expect(writable.lines.first == "greeter\tunsafe" && writable.has(folder.path("user/greeter")))
  }

  @Test func `an empty list is a sentence for a user only`() async throws {
    #expect(try await run(.list(isJSON: false)).lines == [])
    #expect(try await run(.list(isJSON: false), answer: true).has(folders.user))
  }

  @Test func `objects have the rights with their scopes`() async throws {
    try add()
    _ = try await run(
      .grant("greeter", .bridge(.readMessages), accounts: [Self.me], scope: nil))
    _ = try await run(.grant("bot", .network, accounts: [], scope: nil))
    let lines = try await run(.list(isJSON: true)).lines
    #expect(lines.count == 2)
    #expect(
      lines.last
        == #"{"name":"bot","state":"program","rights":[{"right":"network","#
        + #""given":"2026-11-30T00:53:20.000000Z"}]}"#)
    let first = try #require(lines.first)
    #expect(first.contains(#""state":"off""#) && first.contains(#""shipped":false"#))
    #expect(first.contains(#""asks":["messages.read","network"]"#))
    #expect(
      first.contains(#"{"right":"messages.read","accounts":["me@natter.test"],"in":["rooms"],"#))
  }

  @Test func `a right is given as wide as asked for, and taken back`() async throws {
    try add()
    let read = ScriptRight.bridge(.readMessages)
    let given = try await run(.grant("greeter", read, accounts: [], scope: nil))
    #expect(given.code == .done && given.has("is not enabled"))
    #expect(
      try entry()?.grants.map(\.grant) == [ScriptGrant(read, scope: BridgeScope(hasRooms: true))])
    #expect(try entry()?.grants.first?.given == Self.now)
    let narrow = BridgeScope(addresses: [Self.me])
    _ = try await run(.grant("greeter", read, accounts: [], scope: narrow))
    #expect(try entry()?.grants.map(\.grant.scope) == [narrow])
    #expect(try await run(.revoke("greeter", .network)).code == .failed)
    #expect(try await run(.revoke("greeter", read)).code == .done)
    #expect(try entry()?.grants == [])
    #expect(try await run(.revoke("greeter", nil)).code == .failed)
  }

  @Test func `only what a script declares can be given`() async throws {
    try add()
    let run = try await run(
      .grant("greeter", .bridge(.sendMessages), accounts: [], scope: nil))
    #expect(run.code == .failed && run.failure?.contains("messages.send") == true)
    #expect(try entry() == nil)
  }

  @Test func `another program can be given rights without a manifest`() async throws {
    let read = ScriptRight.bridge(.readMessages)
    let run = try await run(.grant("bot", read, accounts: [Self.me], scope: nil))
    #expect(run.code == .done && run.has("natter serve --as bot"))
    let rights = try GrantFile(folders.grants).read().rights(of: "bot")
    #expect(rights.current(.readMessages, in: Self.me) == .held(.all))
  }

  @Test(
    arguments: [
      .enable("other", isAgreed: true), .disable("other"), .restart("other"), .revoke("other", nil),
      .log("other"),
    ] as [ScriptsRequest])
  func `a script that is not there is named`(request: ScriptsRequest) async throws {
    let run = try await run(request)
    #expect(run.code == .failed && run.failure?.contains("other") == true)
  }

  @Test func `checking says what is wrong, and with which code`() async throws {
    try add()
    let path = folder.path("user/greeter")
    let good = try await run(.check(folder: path))
    #expect(good.code == .done && good.has("asks for") && good.has("no mistakes"))
    #expect(try await run(.check(folder: folder.path("nothing"))).code == .usage)
    try add("title = \"x\"\napi = 2\nrun = [\"x\"]\n")
    let bad = try await run(.check(folder: path))
    #expect(bad.code == .badData && bad.failure?.hasPrefix("manifest.toml:2: ") == true)
    #expect(try await run(.enable("greeter", isAgreed: true)).code == .badData)
    chmod(path, 0o722)
    #expect(try await run(.check(folder: path)).code == .badConfiguration)
    #expect(try await run(.enable("greeter", isAgreed: true)).code == .badConfiguration)
  }

  @Test func `a log is printed, and its control characters are not`() async throws {
    try add()
    #expect(try await run(.log("greeter")).code == .failed)
    try folder.write("one\n\u{1B}[31mtwo\n", to: "state/greeter.log")
    let lines = try await run(.log("greeter")).lines
    #expect(lines.count == 2 && lines.first == "one" && lines.last?.hasSuffix("[31mtwo") == true)
    #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
  }

  @Test func `rights that cannot be read change nothing`() async throws {
    try add()
    try folder.write("version = 1\nnew = 1\n", to: "data/grants.toml")
    let error = GrantFileError.damaged(path: folders.grants, line: 2)
    for request: ScriptsRequest in [
      .list(isJSON: true), .enable("greeter", isAgreed: true), .disable("greeter"),
      .grant("bot", .network, accounts: [], scope: nil), .revoke("greeter", nil),
    ] {
      await #expect(throws: error) { try await run(request) }
    }
    #expect(folder.text("data/grants.toml") == "version = 1\nnew = 1\n")
  }

  // MARK: The command line

  private func parse(_ arguments: String...) throws -> ScriptsRequest? {
    let command = try CommandLineOptions.parse(["scripts"] + arguments).1
    guard case .scripts(let request) = command else { return nil }
    return request
  }

  @Test func `the command line has all of it`() throws {
    #expect(try parse() == .list(isJSON: false))
    #expect(try parse("--json") == .list(isJSON: true))
    #expect(try parse("enable", "greeter", "--yes") == .enable("greeter", isAgreed: true))
    #expect(try parse("disable", "greeter") == .disable("greeter"))
    #expect(try parse("restart", "greeter") == .restart("greeter"))
    #expect(
      try parse(
        "grant", "bot", "messages.read", "--account", "me@natter.test", "--in", "rooms",
        "--in=direct")
        == .grant("bot", .bridge(.readMessages), accounts: [Self.me], scope: .all))
    #expect(
      try parse("grant", "bot", "network") == .grant("bot", .network, accounts: [], scope: nil))
    #expect(try parse("revoke", "bot") == .revoke("bot", nil))
    #expect(try parse("revoke", "bot", "notify") == .revoke("bot", .bridge(.notify)))
    #expect(try parse("log", "bot") == .log("bot"))
    #expect(try parse("check", "./x") == .check(folder: "./x"))
    #expect(try CommandLineOptions.parse(["scripts", "--help"]).1 == .help("scripts"))
    #expect(try CommandLineOptions.parse(["scripts"]).1.onlyReads)
    #expect(try !CommandLineOptions.parse(["scripts", "disable", "x"]).1.onlyReads)
    #expect(try CommandLineOptions.parse([]).0.startsScripts)
    for arguments in [["--no-scripts"], ["--plain", "--no-scripts"], ["serve", "--no-scripts"]] {
      #expect(try !CommandLineOptions.parse(arguments).0.startsScripts)
    }
  }

  @Test(arguments: [
    (["start", "x"], "cli.unknown-command"), (["enable"], "cli.missing-operand"),
    (["enable", "X"], "cli.scripts.bad-name"), (["enable", "../x"], "cli.scripts.bad-name"),
    (["enable", "x", "y"], "cli.extra-operand"), (["grant", "x"], "cli.missing-operand"),
    (["grant", "x", "control"], "cli.scripts.bad-right"),
    (["revoke", "x", "all"], "cli.scripts.bad-right"), (["check"], "cli.missing-operand"),
    (["grant", "x", "network", "--in", "all"], "cli.scripts.no-scope"),
    (["grant", "x", "network", "--account", "a@b.test"], "cli.scripts.no-scope"),
    (["grant", "x", "messages.read", "--in", "some"], "cli.scripts.bad-scope"),
    (["grant", "x", "messages.read", "--account", "a"], "cli.bad-address"),
    (["disable", "x", "--yes"], "cli.scripts.option-of-verb"),
    (["--in", "all"], "cli.scripts.option-of-verb"),
    (["log", "x", "--json"], "cli.option-of-command"), (["--force"], "cli.option-of-command"),
  ])
  func `what does not fit is refused`(arguments: [String], key: String) {
    let error = #expect(throws: UsageError.self) {
      try CommandLineOptions.parse(["scripts"] + arguments)
    }
    #expect(error?.key == key)
  }
}
