import Foundation
import TestSupport
import Testing

/// Mistakes in the user's files, reported in the user's language.
@Suite(.limitedConcurrency) struct MistakeLanguageTests {
  let home: Home
  init() throws {
    home = try Home()
    try home.folder.write(
      """
      [ui]
      theme = "nigth"
      mouse = "perhaps"
      mouse = true
      colour = 7
      [account]
      port = 70000
      server = abc
      [uii]
      theme = "day"
      [notify]
      quiet = "at night"
      clock = true
      """, to: "config/natter/config.toml")
    try home.folder.write(
      """
      [everywhere]
      "Hyper+K" = "quit"
      "^S" = "quit"
      """, to: "config/natter/keys.toml")
  }

  private func natter(_ arguments: String...) async throws -> CommandRun {
    try await CommandRun(
      Programs.natter, arguments, environment: home.environment(), directory: home.home.path)
  }

  @Test(arguments: [
    (
      "fr",
      [
        "2: theme ne connaît pas \"nigth\", vouliez-vous dire \"night\" ? La valeur retenue est \"auto\".",
        "3: mouse doit être true ou false, pas une chaîne. La valeur retenue est true.",
        "4: mouse est déjà là, à la ligne 3. Supprimez l'une des deux. Cette ligne est ignorée.",
        "5: la clé colour est inconnue dans [ui]. C'est ignoré.",
        "7: port doit être compris entre 1 et 65535. C'est ignoré.",
        "8: abc n'est pas une valeur. Mettez le texte entre guillemets : \"abc\". Cette ligne est ignorée.",
        "9: la section [uii] est inconnue, vouliez-vous dire [ui] ? C'est ignoré.",
        "12: quiet doit être deux heures du jour comme \"22:00-07:00\". C'est ignoré.",
        "13: la clé clock est inconnue dans [notify], sa place est dans [ui]. C'est ignoré.",
      ]
    ),
    (
      "zh-Hans",
      [
        "2: theme 不认识 \"nigth\"，你是指 \"night\" 吗？使用 \"auto\"。",
        "3: mouse 必须是真假值（true 或 false），而不是字符串。使用 true。",
        "4: mouse 在第 3 行已经有了。请删掉其中一个。这一行被略过。",
        "5: [ui] 里没有键 colour。已略过。",
        "7: port 必须在 1 到 65535 之间。已略过。",
        "8: abc 不是值。请把文字放在引号里：\"abc\"。这一行被略过。",
        "9: 没有小节 [uii]，你是指 [ui] 吗？已略过。",
        "12: quiet 必须是像 \"22:00-07:00\" 这样的两个时刻。已略过。",
        "13: [notify] 里没有键 clock，它属于 [ui]。已略过。",
      ]
    ),
  ])
  func `natter doctor reports every mistake with its line in the language asked for`(
    tag: String, reported: [String]
  ) async throws {
    let doctor = try await natter("doctor", "--lang", tag)
    let lines = doctor.text.split(separator: "\n").compactMap { line in
      line.range(of: "config.toml:").map { String(line[$0.upperBound...]) }
    }
    #expect(lines == reported, "\(doctor.text)")
    // The same in front of what a command says.
    let accounts = try await natter("accounts", "--lang", tag)
    #expect(accounts.errorText.contains("config.toml:" + reported[0]), "\(accounts.errorText)")
  }

  @Test func `the language of the configuration is that of its mistakes`() async throws {
    try home.folder.write("[ui]\nlanguage = \"fr\"\nclok = 1\n", to: "config/natter/config.toml")
    let doctor = try await natter("doctor")
    #expect(
      doctor.text.contains(
        "config.toml:3: la clé clok est inconnue dans [ui], vouliez-vous dire clock ? C'est ignoré."
      ),
      "\(doctor.text)")
  }

  @Test func `natter doctor reads the files of other languages and themes as well`() async throws {
    try home.folder.write("[ui]\ntheme = \"night\"\n", to: "config/natter/config.toml")
    try home.folder.write("[tabb]\nx = \"y\"\n", to: "config/natter/locales/fr.toml")
    try home.folder.write(
      "name = \"Mine\"\n[roles]\n\"txet\" = \"grey\"\n", to: "config/natter/themes/mine.toml")
    let doctor = try await natter("doctor")
    for mistake in ["locales/fr.toml:2: ", "themes/mine.toml:3: "] {
      #expect(doctor.text.components(separatedBy: mistake).count == 2, "\(doctor.text)")
    }
  }

  @Test func `the start reports the mistakes of keys.toml in French`() async throws {
    try home.folder.write("[ui]\nlanguage = \"fr\"\n", to: "config/natter/config.toml")
    try home.folder.write(
      "[everywhere]\n\"Hyper+K\" = \"quit\"\n", to: "config/natter/keys.toml")
    let run = try NatterRun.local(home: home)
    try await run.shows("keys.toml:2: \"Hyper+K\" n'est pas une touche.")
    try await run.expects("a connection") { $0.text(row: 0).contains("en ligne") }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `natter theme check reports mistakes in French`() async throws {
    try home.folder.write(
      "name = \"Mine\"\ninherits = \"night\"\n[roles]\n\"txet\" = \"grey\"\n\"text\" = \"grye\"\n",
      to: "mine.toml")
    let check = try await natter("theme", "check", home.folder.path("mine.toml"), "--lang", "fr")
    #expect(check.status == .exited(65))
    #expect(
      check.text.contains(
        "mine.toml:4: il n'y a pas de rôle \"txet\". Vouliez-vous dire \"text\" ?"),
      "\(check.text)")
    #expect(check.text.contains("mine.toml:5: il n'y a pas de couleur \"grye\"."), "\(check.text)")
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `the printed configuration has its comments in the language, and is itself understood`(
    tag: String
  ) async throws {
    let texts = try texts(of: tag)
    let printed = try await natter("--print-config", "--lang", tag)
    #expect(printed.status == .exited(0))
    let first = try #require(texts["settings.fileHead"]?.split(separator: "\n").first)
    #expect(printed.text.hasPrefix("# \(first)\n"))
    let words = try #require(texts["setting.ui.sidebar-help"])
    #expect(printed.text.contains("# \(words)\n#sidebar = true\n"), "\(printed.text)")
    try home.folder.write(printed.text, to: "config/natter/config.toml")
    let doctor = try await natter("doctor")
    #expect(doctor.text.contains("config.toml: no problems"), "\(doctor.text)")
  }

  @Test(arguments: [
    ("en", "15 mistakes in your files; natter doctor shows all of them. The first: config.toml:2"),
    ("fr", "15 erreurs dans vos fichiers ; natter doctor les dit toutes. La première :"),
    ("zh-Hans", "你的文件里有 15 处错误，natter doctor 会全部列出。第一处：config.toml:2"),
  ])
  func `the full screen says how many mistakes there are, and doctor lists each`(
    tag: String, reported: String
  ) async throws {
    try home.folder.write(
      "name = \"Mine\"\n[roles]\n\"txet\" = \"grey\"\n\"text\" = \"grye\"\n",
      to: "config/natter/themes/mine.toml")
    let doctor = try await natter("doctor", "--lang", tag, "--theme", "mine")
    let lines = doctor.text.split(separator: "\n").filter {
      $0.firstMatch(of: /(config|keys|mine)\.toml:\d/) != nil
    }
    #expect(lines.count { $0.contains("keys.toml:") } == 2, "\(doctor.text)")
    #expect(lines.count { $0.contains("mine.toml:") } == 2, "\(doctor.text)")
    let run = try NatterRun(
      ["--local", "--lang", tag, "--theme", "mine"], home: home, columns: 160)
    try await run.shows(reported.replacing("15", with: "\(lines.count)"))
    #expect(await run.quit() == .exited(0))
  }

  @Test(arguments: [
    ("en", "natter doctor shows all of it:"), ("fr", "natter doctor la dit en entier"),
    ("zh-Hans", "natter doctor 会完整列出"),
  ])
  func `a mistake that the screen has no room for says where all of it can be read`(
    tag: String, reported: String
  ) async throws {
    try home.folder.write(
      "[ui]\ntheme = \"\(String(repeating: "long", count: 12))\"\n", to: "config/natter/config.toml"
    )
    try home.folder.write("", to: "config/natter/keys.toml")
    let doctor = try await natter("doctor", "--lang", tag)
    #expect(doctor.text.contains("longlong") && doctor.text.contains("solarized-day"))
    let run = try NatterRun(["--local", "--lang", tag], home: home, rows: 16, columns: 40)
    try await run.expects(reported) { screen in
      (0..<16).map { screen.text(row: $0).trimmingCharacters(in: .whitespaces) }
        .joined(separator: tag == "zh-Hans" ? "" : " ")
        .replacing(" ", with: "").contains(reported.replacing(" ", with: ""))
    }
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a mistake in a file is reported also where the file brings another language`()
    async throws
  {
    try home.folder.write("[ui]\nclock = false\n", to: "config/natter/config.toml")
    let run = try await NatterRun.chatting(home: home)
    try home.folder.write(
      "[ui]\nlanguage = \"fr\"\nmouse = 4\n", to: "config/natter/config.toml")
    try await run.adds("/reload", toHave: "/reload")
    run.terminal.press(.enter)
    try await run.shows("config.toml:3", "mouse")
    #expect(await run.quit() == .exited(0))
  }

  @Test
  func `a file that becomes unusable while Natter runs changes nothing, and that is shown`()
    async throws
  {
    try home.folder.write("[ui]\nclock = false\n", to: "config/natter/config.toml")
    try home.folder.write("", to: "config/natter/keys.toml")
    let run = try await NatterRun.chatting(home: home)
    try Data([0x5b, 0xff, 0x00]).write(to: home.folder.url("config/natter/config.toml"))
    try await run.adds("/reload", toHave: "/reload")
    run.terminal.press(.enter)
    try await run.shows("The settings are unchanged: config.toml:")
    #expect(!run.screen.contains("defaults"))
    #expect(await run.quit() == .exited(0))
  }
}
