import Configuration
import Foundation
import NatterCore
import TOML
import TestSupport
import Testing
import XMPP

@Suite struct ConfigurationFileTests {
  static let file = ConfigurationFile(
    names: KnownNames(
      themes: ["night", "day"], languages: ["en", "fr", "zh-Hans"]))

  private static func english(_ problem: FileProblem) -> String {
    problem.text { localeText($0, $1) }
  }

  @Test func `a language goes by every name that one of those there are is found by`() {
    let file = ConfigurationFile(
      names: KnownNames(themes: ["day"], languages: ["en", "zh-Hans"]) { $0 == "zh" })
    let (settings, problems) = file.read("[ui]\nlanguage = \"zh\"\n")
    #expect(settings.ui.language == "zh" && problems.isEmpty)
    let (others, reported) = file.read("[ui]\nlanguage = \"fr\"\ntheme_day = \"zh\"\n")
    #expect(others == Settings() && reported.count == 2)
  }

  @Test func `an address may be as the screen shows it`() {
    let (settings, problems) = Self.file.read("[account]\naddress = \"d'artagnan@host\"\n")
    #expect(problems.isEmpty)
    #expect(settings.account.address == JID(local: "d\\27artagnan", domain: "host"))
  }

  @Test func `a file that says everything is understood`() {
    let (settings, problems) = Self.file.read(
      """
      [account]
      address = "alice@Example.org"
      server = "xmpp.example.org"
      port = 5223
      tls = "direct"
      ca_file = "/ca.pem"
      password_command = ["pass", "show", "a b"]
      [ui]
      language = "fr"
      theme = "night"
      theme_night = "night"
      theme_day = "day"
      mouse = false
      glyphs = "ascii"
      sidebar = false
      clock = false
      [notify]
      bell = "all"
      [log]
      level = "debug"
      """)
    #expect(problems == [])
    #expect(settings.account.address == JID(local: "alice", domain: "example.org"))
    #expect(settings.account.server == "xmpp.example.org" && settings.account.port == 5223)
    #expect(settings.account.security == .direct && settings.account.caFile == "/ca.pem")
    #expect(settings.account.passwordCommand == ["pass", "show", "a b"])
    #expect(settings.ui.language == "fr" && settings.ui.theme == "night")
    #expect(settings.ui.themeNight == "night" && settings.ui.themeDay == "day")
    #expect(!settings.ui.usesMouse && !settings.ui.showsSidebar && !settings.ui.showsClock)
    #expect(settings.ui.glyphs == .ascii)
    #expect(settings.notify.bell == .all && settings.log.level == .debug)
  }

  @Test func `Up edits the last message with Slack's keys, or as the setting says`() {
    for (text, edits) in [
      ("", false), ("keys = \"slack\"", true), ("keys = \"slack\"\nup_edits = \"off\"", false),
      ("up_edits = \"on\"", true), ("up_edits = \"auto\"", false),
    ] {
      let (settings, problems) = Self.file.read("[ui]\n" + text)
      #expect(problems == [] && settings.ui.editsOnUp == edits, "\(text)")
    }
    #expect(Self.file.read("[ui]\nemoji_on_send = false").settings.ui.sendsEmoji == false)
  }

  @Test(arguments: [
    (
      "[ui]\ntheme = \"nigth\"",
      "2: theme \"nigth\" is unknown, did you mean \"night\"? Using \"auto\"."
    ),
    (
      "[log]\nlevel = \"loud\"",
      "2: level \"loud\" is unknown, it can be \"error\", \"warning\", \"info\", \"debug\". Using \"info\"."
    ),
    ("[ui]\n\nmouse = \"yes\"", "3: mouse must be true or false, not a string. Using true."),
    ("[account]\nport = 70000", "2: port must be from 1 to 65535. It is left out."),
    ("[account]\nport = \"5222\"", "2: port must be an integer, not a string. It is left out."),
    ("[account]\nserver = \"\"", "2: server must not be empty. It is left out."),
    (
      "[account]\nserver = \"https://chat.example.org\"",
      "2: server must be a host like \"xmpp.example.org\", with or without :port. It is left out."
    ),
    (
      "[account]\n\nserver = \"chat.example.org:99999\"",
      "3: server must be a host like \"xmpp.example.org\", with or without :port. It is left out."
    ),
    (
      "[account]\naddress = \"alice\"",
      "2: address must be an address like \"alice@example.org\". It is left out."
    ),
    (
      "[account]\npassword_command = \"pass show\"",
      "2: password_command must be an array of strings like [\"pass\", \"show\", \"xmpp/alice\"]. It is left out."
    ),
    (
      "[ui]\nthem = \"day\"",
      "2: the key them is unknown in [ui], did you mean theme? It is left out."
    ),
    (
      "[ui]\nbell = \"all\"",
      "2: the key bell is unknown in [ui], it belongs to [notify]. It is left out."
    ),
    (
      "[ui]\nday_hours = \"7 to 19\"",
      "2: day_hours must be two times of day like \"07:00-19:00\". It is left out."
    ),
    ("[ui]\nday_hours = 7", "2: day_hours must be a string, not an integer. It is left out."),
    ("[ui]\nzzzzzz = 1", "2: the key zzzzzz is unknown in [ui]. It is left out."),
    (
      "[uii]\ntheme = \"day\"",
      "1: the section [uii] is unknown, did you mean [ui]? It is left out."
    ),
    ("[ui.more]\ntheme = \"day\"", "1: the section [ui.more] is unknown. It is left out."),
    ("mouse = false", "1: the key mouse is above all sections. Put it below [ui]. It is left out."),
  ])
  func `a mistake is reported with its line, and the rest is used`(text: String, reported: String) {
    let (settings, problems) = Self.file.read(text + "\n[notify]\nbell = \"never\"\n")
    #expect(problems.map(Self.english) == ["config.toml:" + reported])
    for tag in ["fr", "zh-Hans"] {
      let other = problems.map { $0.text { localeText($0, $1, in: tag) } }
      #expect(
        other.count == 1 && other[0].hasPrefix("config.toml:" + reported.prefix { $0 != " " }))
      #expect(!other[0].contains("mistake.") && !other[0].contains(reported.dropFirst(3)))
    }
    var expected = Settings()
    expected.notify.bell = .never
    #expect(settings == expected)
  }

  @Test(arguments: [
    ("server = \"127.0.0.1:15222\"", "127.0.0.1", 15222),
    ("server = \"[::1]:15222\"", "::1", 15222), ("server = \"::1\"", "::1", nil),
    // A line of its own says it best.
    ("server = \"host:1\"\nport = 2", "host", 2), ("port = 2\nserver = \"host:1\"", "host", 2),
    ("server = \"/run/chat.sock\"", "/run/chat.sock", nil),
  ])
  func `a server is read as --server reads it`(text: String, host: String, port: Int?) {
    let (settings, problems) = Self.file.read("[account]\n" + text)
    #expect(problems.isEmpty)
    #expect(settings.account.server == host && settings.account.port == port)
  }

  @Test func `a line that is no TOML is left out alone`() {
    let (settings, problems) = Self.file.read("[ui]\nclock = tru\nmouse = false\nsidebar = 1\n")
    #expect(problems.map(\.line) == [2, 4])
    #expect(!settings.ui.usesMouse && settings.ui.showsClock)
  }

  @Test func `lines that are not UTF-8 are reported and left out, the rest is used`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    func read(_ text: String) throws -> (settings: Settings, problems: [FileProblem]) {
      // `~` represents a byte that is not part of UTF-8.
      try Data(text.utf8.map { $0 == UInt8(ascii: "~") ? 0xE9 : $0 }).write(to: file)
      return Self.file.read(at: file.path)
    }
    let (settings, problems) = try read(
      "# caf~\n[ui]\ntheme = \"day\"\nclock = false # caf~\nmouse = 1\n")
    #expect(settings.ui.theme == "day" && settings.ui.showsClock)
    #expect(problems.map(\.line) == [1, 4, 5])
    #expect(
      Self.english(problems[0]).hasSuffix("it is not written in UTF-8. This line is left out."))
    // What belongs to a section whose name is not to be read belongs to no other one.
    let (others, reported) = try read("[account]\n[ui~]\nserver = \"x.org\"\n")
    #expect(others == Settings() && reported.first?.line == 2)
    // No text at all.
    let (none, whole) = try read("[ui]\nclock = false\n~\0")
    #expect(none == Settings() && whole.map(\.line) == [nil])
  }

  @Test func `names that are not known beforehand pass`() {
    let (settings, problems) = ConfigurationFile().read(
      "[ui]\ntheme = \"mine\"\nlanguage = \"tlh\"")
    #expect(problems.isEmpty && settings.ui.theme == "mine" && settings.ui.language == "tlh")
  }

  @Test func `a missing file says nothing, an unreadable one says why`() throws {
    let scratch = try Scratch()
    #expect(Self.file.read(at: scratch.path("no.toml")).problems.isEmpty)
    let directory = Self.file.read(at: scratch.url.path)
    #expect(directory.settings == Settings())
    #expect(
      directory.problems.map(Self.english) == ["config.toml: it is a folder. Using the defaults."])
    try Data([0x5b, 0xff, 0x5d]).write(to: scratch.url.appending(path: "bad.toml"))
    #expect(Self.file.read(at: scratch.path("bad.toml")).problems.count == 1)
    try scratch.write(String(repeating: "#\n", count: 1 << 20), to: "huge.toml")
    #expect(Self.file.read(at: scratch.path("huge.toml")).problems.count == 1)
    try scratch.write("\u{feff}[ui]\r\nmouse = false\r\n", to: "dos.toml")
    let dos = Self.file.read(at: scratch.path("dos.toml"))
    #expect(dos.problems.isEmpty && !dos.settings.ui.usesMouse)
  }

  @Test func `the printed defaults change nothing, with and without their comment marks`() {
    let text = ConfigurationFile.commentedDefaults()
    #expect(ConfigurationFile().read(text).settings == Settings())
    #expect(ConfigurationFile().read(text).problems == [])
    for line in text.split(separator: "\n") { #expect(line.count <= 100) }

    // A line that begins with # and no blank is a setting.
    let awake = text.split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }.joined(separator: "\n")
    let (settings, problems) = ConfigurationFile().read(awake)
    #expect(problems == [])
    var ui = Settings().ui
    ui.dayHours = DayHours("07:00-19:00")
    #expect(settings.ui == ui && settings.log == Settings().log)
    #expect(settings.notify.quietHours == DayHours("22:00-07:00"))
    #expect(settings.account.port == 5222 && settings.account.passwordCommand.count == 3)
    for setting in Setting.all { #expect(awake.contains("\n\(setting.key) = ")) }
  }

  @Test func `invalid quiet hours are reported, and the defaults hold`() {
    let (settings, problems) = Self.file.read("[notify]\nquiet = \"at night\"\n")
    #expect(
      problems.map(Self.english) == [
        "config.toml:2: quiet must be two times of day like \"22:00-07:00\". It is left out."
      ])
    #expect(settings == Settings())
  }

  @Test func `the themes of the defaults are among those that come with the program`() {
    #expect(Settings().ui.themeNight == "night" && Settings().ui.themeDay == "day")
  }

  @Test func `each key is there once and says what it is for`() {
    #expect(Set(Setting.all.map { $0.section + "." + $0.key }).count == Setting.all.count)
    for setting in Setting.all { #expect(setting.comment.count > 15, "\(setting.key)") }
  }
}
