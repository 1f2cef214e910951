import Foundation
import TestSupport
import Testing

// Mistakes in the files of the configuration.
extension UsageFailureTests {
  @Test func `mistakes in the configuration are reported with their lines, and the rest is used`()
    async throws
  {
    try home.folder.write(
      """
      [ui]
      theme = "day"
      mouse = "perhaps"
      colour = 7

      [nonsense]
      what = true

      """, to: "config/natter/config.toml")
    let doctor = try await natter(["doctor"])
    for line in [3, 4] {
      #expect(doctor.text.contains("config.toml:\(line)"), "\(doctor.text)")
    }
    #expect(doctor.text.contains("mouse") && doctor.text.contains("colour"))
    #expect(doctor.text.contains("nonsense"))

    let run = try NatterRun.local(home: home)
    try await run.shows("config.toml:")
    try await run.waitsOnline()
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a configuration that is no TOML at all stops nothing`() async throws {
    try home.folder.write("[ui\ntheme = day\n", to: "config/natter/config.toml")
    let doctor = try await natter(["doctor"])
    #expect(doctor.text.contains("config.toml:1"), "\(doctor.text)")
    let accounts = try await natter(["accounts"])
    #expect(accounts.status == .exited(0))
  }

  @Test func `a command reports what is wrong in its configuration, and uses the rest`()
    async throws
  {
    try home.folder.write(
      """
      [log]
      level = "loud"
      [account]
      address = "alice@natter.test"
      port = "many"
      what is this
      """, to: "own.toml")
    let run = try await natter(
      ["send", "bob@natter.test", "x", "--config", home.folder.path("own.toml")])
    let lines = run.errorText.split(separator: "\n")
    #expect(run.status == .exited(77), "the address was used: its password is missing")
    #expect(lines.first?.hasPrefix("natter: own.toml:2: level \"loud\" is unknown") == true)
    #expect(lines.contains { $0.hasPrefix("natter: own.toml:5: port must be an integer") })
    #expect(lines.contains { $0.hasPrefix("natter: own.toml:6: ") })
    #expect(lines.last?.contains("no password is stored for alice@natter.test") == true)

    let list = try await natter(["accounts", "--config", home.folder.path("own.toml")])
    #expect(list.status == .exited(0))
    #expect(list.text.isEmpty)
    #expect(list.errorText.contains("own.toml:2"))
    let report = try await natter(["doctor", "--config", home.folder.path("own.toml")])
    #expect(report.text.contains("own.toml:2"))
    #expect(!report.errorText.contains("own.toml:2"))
  }

  @Test func `a configuration that cannot be read at all is exit 78`() async throws {
    try home.folder.makeFolder("folder.toml")
    try Data([0x5b, 0xff, 0x00]).write(to: home.folder.url("bytes.toml"))
    for name in ["folder.toml", "bytes.toml"] {
      let run = try await natter(["accounts", "--config", home.folder.path(name)])
      #expect(run.status == .exited(78), "\(name)")
      #expect(run.errorText.contains(home.folder.path(name) + ": "), "\(run.errorText)")
      // Nothing is begun with the defaults, so that is not said.
      #expect(!run.errorText.contains("defaults"), "\(run.errorText)")
      #expect(run.errorText.contains("omit --config"), "\(run.errorText)")
    }
    // Where nobody named it, it is another matter.
    try home.folder.makeFolder("config/natter")
    try FileManager.default.copyItem(
      at: home.folder.url("bytes.toml"), to: home.folder.url("config/natter/config.toml"))
    let run = try await natter(["accounts"])
    #expect(run.status == .exited(0))
    #expect(run.errorText.contains("Using the defaults."), "\(run.errorText)")
  }

  @Test func `help speaks the language of the settings, also where nothing else can be used`()
    async throws
  {
    try home.folder.write("[ui]\nlanguage = \"fr\"\n", to: "config/natter/config.toml")
    for arguments in [["--help"], ["send", "--help"]] {
      let help = try await natter(arguments)
      #expect(help.status == .exited(0))
      #expect(help.text.contains("message"), "\(help.text)")
      #expect(!help.text.contains("Usage:") && !help.text.contains("Sends a"), "\(help.text)")
    }
    #expect(try await natter(["--help", "--lang", "en"]).text.contains("Usage:"))
    #expect(try await natter(["--nonsense"]).errorText.contains("option inconnue"))
    let alone = try await natter(["--help"], ["XDG_CONFIG_HOME": "relative", "HOME": ""])
    #expect(alone.status == .exited(0) && alone.text.contains("Usage:"))
  }

  @Test(arguments: ["C", "C.UTF-8"])
  func `a terminal is written UTF-8 only where the locale says so, and a file in any case`(
    language: String
  ) async throws {
    let words = ["--help", "--lang", "fr"]
    let file = try await natter(words, ["LANG": language])
    #expect(file.text.contains("\u{E9}"))
    let terminal = try PTYProcess(
      Programs.natter, words, environment: home.environment(language: language))
    #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    let isASCII = terminal.rawOutput.allSatisfy { $0 < 0x80 }
    #expect(isASCII == (language == "C"))
  }
}
