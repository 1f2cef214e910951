import NatterCore
import TestSupport
import Testing
import XMPP

@testable import BridgeService
@testable import ScriptService

@Suite struct ManifestFileTests {
  private static let whole = #"""
    title = "Greets newcomers"   # a comment
    title.fr = "Salue les nouveaux"
    "title.zh-Hans" = "欢迎新人"
    version = "1.0"
    api = 1
    run = ["node", "greeter.mjs"]
    start = "login"
    events = ["message.new", "room.member"]
    [permission."messages.read"]
    why = "to see who is new"
    why.fr = "pour voir qui est nouveau"
    in = ["rooms", "bob@natter.test"]
    [permission.network]
    why = "to ask the weather"
    hosts = ["weather.example"]
    [permission."folder.read"]
    why = "to read notes"
    paths = ["/srv/notes"]
    [command.greet]
    arguments = "NICK"
    help = "Says hello"
    palette = true
    [command.quiet]
    help = "Says nothing"
    [status.count]
    [pane.list]
    [url.tickets]
    prefixes = ["https://t.example/", "ticket:"]
    [decorate.tickets]
    in = ["rooms"]
    [decorate.more]
    in = ["bob@natter.test"]
    [setting.word]
    help = "The word"
    default = "hello"
    [setting.end]
    help = "The end"
    """#

  private func read(
    _ text: String, _ languages: [String] = ["en"]
  ) throws -> ScriptManifest {
    try ManifestFile.read(Array(text.utf8), languages: languages).manifest
  }

  private func digest(_ text: String, _ languages: [String] = []) throws -> [UInt8] {
    try ManifestFile.read(Array(text.utf8), languages: languages).canonical
  }

  @Test func `a whole manifest is read`() throws {
    let manifest = try read(Self.whole)
    #expect(manifest.title == "Greets newcomers" && manifest.version == "1.0")
    #expect(manifest.run == ["node", "greeter.mjs"] && manifest.start == .login)
    #expect(manifest.events == ["message.new", "room.member"])
    let bob = try #require(JID(parsing: "bob@natter.test"))
    var network = ScriptManifest.Permission(.network, why: "to ask the weather")
    network.hosts = ["weather.example"]
    var folder = ScriptManifest.Permission(.readFolder, why: "to read notes")
    folder.paths = ["/srv/notes"]
    #expect(
      manifest.permissions == [
        ScriptManifest.Permission(
          .bridge(.readMessages), why: "to see who is new",
          scope: BridgeScope(hasRooms: true, addresses: [bob])), network, folder,
      ])
    #expect(
      manifest.commands == [
        ScriptManifest.Command(
          name: "greet", arguments: "NICK", help: "Says hello", isInPalette: true),
        ScriptManifest.Command(
          name: "quiet", arguments: "", help: "Says nothing", isInPalette: false),
      ])
    #expect(manifest.statusItems == ["count"] && manifest.panes == ["list"])
    #expect(manifest.prefixes == ["https://t.example/", "ticket:"])
    #expect(manifest.decorated == BridgeScope(hasRooms: true, addresses: [bob]))
    #expect(
      manifest.settings == [
        ScriptManifest.Setting(name: "word", help: "The word", standard: "hello"),
        ScriptManifest.Setting(name: "end", help: "The end", standard: ""),
      ])
  }

  @Test func `a manifest needs little`() throws {
    let manifest = try read("title = \"x\"\napi = 1\nrun = [\"./bin/x\"]\n")
    var least = ScriptManifest(title: "x", version: "", run: ["./bin/x"])
    #expect(manifest == least)
    least.start = .manual
    #expect(manifest != least)
  }

  @Test(arguments: [
    (["fr"], "Salue les nouveaux"), (["fr-CA", "zh-Hans"], "Salue les nouveaux"),
    (["zh-Hans-CN"], "欢迎新人"), (["zh", "fr"], "Salue les nouveaux"), (["de"], "Greets newcomers"),
    ([], "Greets newcomers"),
  ])
  func `texts are in the first language of the user that has them`(
    languages: [String], title: String
  ) throws {
    #expect(try read(Self.whole, languages).title == title)
  }

  /// A valid manifest of five lines, with `more` behind them.
  private static func text(_ more: String) -> String {
    "title = \"x\"\nversion = \"1\"\napi = 1\nrun = [\"x\"]\nstart = \"lazy\"\n" + more
  }

  static let mistakes: [(text: String, line: Int?, key: String)] = [
    ("title = \"x\"\nrun = [\"x\"]", nil, "missingKey"),
    ("title = \"x\"\napi = 1", nil, "missingKey"),
    ("api = 1\nrun = [\"x\"]", nil, "missingKey"),
    ("title = \"x\"\nnew = 1\napi = 2\nrun = [\"x\"]", 3, "api"),
    ("title = \"x\"\napi = \"1\"", 2, "needsNumber"),
    ("title = 1\napi = 1\nrun = [\"x\"]", 1, "needsText"),
    ("title = \" \"\napi = 1\nrun = [\"x\"]", 1, "empty"),
    ("title = \"x\"\napi = 1\nrun = \"x\"", 3, "needsTexts"),
    ("title = \"x\"\napi = 1\nrun = [\"x\", 1]", 3, "needsTexts"),
    ("title = \"x\"\napi = 1\nrun = []", 3, "empty"),
    (text("colour = 1"), 6, "unknownKey"),
    (text("version.fr = \"1\""), 6, "unknownKey"),
    (text("title.f_r = \"1\""), 6, "language"),
    (text("events = [\"message.new\", \"message.old\"]"), 6, "unknownEvent"),
    (text("events = [\"event.gap\"]"), 6, "unknownEvent"),
    (text("[permission.\"messages.steal\"]\nwhy = \"x\""), 6, "unknownRight"),
    (text("[permission.control]\nwhy = \"x\""), 6, "unknownRight"),
    (text("[permission.messages.read]\nwhy = \"x\""), 6, "unquoted"),
    (text("[permission.a.b]"), 6, "unknownSection"),
    (text("[permission]"), 6, "unknownSection"),
    (text("[commands.x]"), 6, "unknownSection"),
    (text("[command.x.y]"), 6, "unknownSection"),
    (text("[permission.\"messages.read\"]"), 6, "missingKey"),
    (text("[permission.\"messages.read\"]\nwhy = \"x\"\nin = [\"some\"]"), 8, "unknownScope"),
    (text("[permission.\"messages.read\"]\nwhy = \"x\"\nin = []"), 8, "empty"),
    (text("[permission.network]\nwhy = \"x\"\nin = [\"all\"]"), 8, "unknownKey"),
    (text("[permission.notify]\nwhy = \"x\"\nhosts = [\"x\"]"), 8, "unknownKey"),
    (text("[permission.\"folder.read\"]\nwhy = \"x\""), 6, "missingKey"),
    (text("[permission.\"folder.write\"]\nwhy = \"x\"\npaths = [\"notes\"]"), 8, "path"),
    (text("[permission.\"folder.write\"]\nwhy = \"x\"\npaths = [\"/a/../b\"]"), 8, "path"),
    (text("[permission.\"folder.write\"]\nwhy = \"x\"\npaths = [\"/../\u{301}b\"]"), 8, "path"),
    // A name that begins with a mark, which forms one character with the slash.
    (text("[permission.\"folder.write\"]\nwhy = \"x\"\npaths = [\"/../\u{338}b\"]"), 8, "path"),
    (text("[command.Greet]\nhelp = \"x\""), 6, "name"),
    (text("[command.\"../x\"]\nhelp = \"x\""), 6, "name"),
    (text("[command.x]"), 6, "missingKey"),
    (text("[command.x]\nhelp = \"x\"\npalette = \"yes\""), 8, "needsBoolean"),
    (text("[status.x]\ntext = \"x\""), 7, "unknownKey"),
    (text("[url.x]"), 6, "missingKey"), (text("[decorate.x]"), 6, "missingKey"),
    (text("[url.x]\nprefixes = [\"example.org\"]"), 7, "prefix"),
    (text("[url.x]\nprefixes = [\"x y:\"]"), 7, "prefix"),
    (text("[url.x]\nprefixes = [\"x: \u{301}\"]"), 7, "prefix"),
    (text("[setting.x]\nhelp = \"x\"\ndefault = 1"), 8, "needsText"),
    (text("[setting.x]\nhelp = \"a\\u001Bb\""), 7, "control"),
    (text("[setting.x]\nhelp = \"a\\u0000b\""), 7, "control"),
    (text("[setting.x]\nhelp = \"a\\u009Bb\""), 7, "control"),
    (text("[setting.x]\nhelp = \"" + String(repeating: "é", count: 513) + "\""), 7, "tooLong"),
    (text("events = [" + String(repeating: "\"typing\",", count: 65) + "]"), 6, "tooMany"),
    (text((0..<65).map { "[command.c\($0)]\nhelp = \"x\"\n" }.joined()), 134, "tooMany"),
    (text((0..<33).map { "[setting.s\($0)]\nhelp = \"x\"\n" }.joined()), 70, "tooMany"),
    (text((0..<33).map { "[status.s\($0)]\n" }.joined()), 38, "tooMany"),
    (text("x = 1 2"), 6, "mistake.toml.behindValue"),
    (text("x ="), 6, "mistake.toml.missingValue"), (text("x"), 6, "mistake.toml.noEquals"),
    (text("= 1"), 6, "mistake.toml.missingKey"), (text("x = ["), 6, "mistake.toml.unclosedArray"),
    (text("x = [1 "), 6, "mistake.toml.unclosedArray"),
    (text("x = [1 \n 2]"), 7, "mistake.toml.noComma"),
    (text("[]"), 6, "mistake.toml.missingSectionName"), (text("["), 6, "syntax"),
    (text("[[a]]"), 6, "mistake.toml.arrayOfTables"),
    (text("title = \"y\""), 6, "mistake.toml.keyTwice"),
    (text("[status.x]\n[status.\"x\"]"), 7, "mistake.toml.sectionTwice"),
  ]

  @Test(arguments: mistakes)
  func `a mistake is reported with its line, and nothing is used`(
    text: String, line: Int?, key: String
  ) throws {
    let problem = try #require(throws: ManifestProblem.self) {
      try ManifestFile.read(Array(text.utf8), languages: ["en"])
    }
    #expect(problem.line == line)
    let expected = key.hasPrefix("mistake.") ? key : "error.script.manifest." + key
    #expect(problem.notice.key == expected)
    #expect(problem.notice.level == .error)
  }

  @Test(arguments: [
    "/bin/sh", "../x", "./../x", "./a/../b", "bin/x", "./", ".", "..", "", "./a//b", "./a/", "/",
    "./../\u{301}x",
    "./../\u{338}x", "./..\u{338}/../x",
  ])
  func `the program is in PATH or in the folder`(program: String) {
    let text = "title = \"x\"\napi = 1\nrun = [\"\(program)\"]\n"
    let problem = #expect(throws: ManifestProblem.self) { try read(text) }
    #expect(problem?.line == 3 && problem?.notice.key == "error.script.manifest.program")
  }

  @Test func `bytes that are no text, and too many of them, are refused`() throws {
    func key(_ bytes: [UInt8]) -> String? {
      #expect(throws: ManifestProblem.self) { try ManifestFile.read(bytes, languages: []) }?
        .notice.key
    }
    let good = Array(Self.text("").utf8)
    #expect(key(good + [0x23, 0xFF, 0x0A]) == "error.script.manifest.noText")
    #expect(key(good + [0x23, 0x00, 0x0A]) == "error.script.manifest.noText")
    let filler = [UInt8](repeating: UInt8(ascii: "#"), count: (64 << 10) - good.count)
    #expect(throws: Never.self) { try ManifestFile.read(good + filler, languages: []) }
    #expect(key(good + filler + [0x23]) == "error.script.manifest.tooLarge")
  }

  @Test func `every sentence is there in the three languages`() throws {
    let keys =
      ManifestProblem.Key.allCases.map(\.rawValue)
      + ["damaged", "damagedLine", "newer", "foreign"].map { "error.script.grants.\($0)" }
    for tag in ["en", "fr", "zh-Hans"] {
      let texts = try texts(of: tag)
      #expect(keys.filter { texts[$0] == nil } == [], "\(tag)")
    }
  }

  @Test func `the digest is that of the program and the rights only`() throws {
    let before = try digest(Self.whole)
    func replaced(_ text: String, _ other: String) throws -> [UInt8] {
      #expect(Self.whole.contains(text))
      return try digest(Self.whole.replacing(text, with: other))
    }
    #expect(try digest(Self.whole, ["fr"]) == before)
    #expect(try replaced("Greets newcomers", "Greets") == before)
    #expect(try replaced("\"login\"", "\"lazy\"") == before)
    let scope = "[\"rooms\", \"bob@natter.test\"]"
    #expect(try replaced(scope, "[\"bob@natter.test\", \"rooms\"]") == before)
    for (text, other) in [
      ("greeter.mjs", "other.mjs"), ("\"node\", ", "\"node\", \"x\", "),
      ("\"node\", \"greeter.mjs\"", "\"nodegreeter.mjs\""), ("to see who is new", "to see"),
      ("qui est nouveau", "qui"), ("weather.example", "all.example"), ("/srv/notes", "/srv"),
      ("in = [\"rooms\", \"bob", "in = [\"all\", \"bob"), ("messages.read", "messages.send"),
    ] {
      #expect(try replaced(text, other) != before, "\(text)")
    }
  }

  @Test func `the events that start a script are those of the bridge`() {
    #expect(Set(ScriptEvents.names) == Set(BridgeEvent.names))
  }

  @Test func `every byte of a manifest can be wrong`() {
    let bytes = Array(Self.whole.utf8)
    var refused = 0
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x20
      do { _ = try ManifestFile.read(other, languages: ["fr"]) } catch { refused += 1 }
    }
    #expect(refused > 0)
  }
}
