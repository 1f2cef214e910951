import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text

@testable import ViewModels

/// A page of settings, in terms that a user can match with each other.
@Suite struct SettingsViewModelTests {
  private let shell = ShellViewModel(FakePorts(), actions: .forTests())

  private func page(_ states: [SettingState], automatic: String? = nil) -> SettingsViewModel {
    SettingsViewModel(
      section: states[0].id.section, shell: shell,
      settings: SettingsActions(
        read: { states }, change: { _, _ in true }, automatic: { _ in automatic }))
  }

  private func choice(_ section: String, _ key: String, _ words: [String], _ value: String)
    -> SettingState
  {
    SettingState(
      id: .init(section, key), kind: .choice(words), value: value, standard: words[0])
  }

  @Test func `a description speaks of values as the rows show them`() {
    let bell = page([choice("notify", "bell", ["never", "direct", "mention", "all"], "direct")])
    let help = bell.help[0]
    #expect(help.contains("never: none, whatever /notify says; direct messages: those to "))
    #expect(help.contains("direct and mentions: these, and mentions in rooms; everything: "))
    let log = page([choice("log", "level", ["error", "warning", "info", "debug"], "info")])
    #expect(log.help[0].contains("natter.log: errors, warnings, events, everything. "))
    // Values that the text does not name are listed.
    let language = page([choice("ui", "language", ["auto", "fr"], "fr")])
    #expect(language.help.contains("One of: automatic, Français."))
    #expect(!log.help.contains { $0.hasPrefix("One of") })
    let theme = page([
      choice("ui", "theme", ["auto", "night"], "auto"),
      choice("ui", "theme_night", ["night"], "night"),
      choice("ui", "theme_day", ["day"], "day"),
      SettingState(id: .init("ui", "day_hours"), kind: .text, value: "", standard: ""),
      SettingState(id: .init("ui", "mouse"), kind: .boolean, value: "true", standard: "true"),
    ])
    #expect(theme.help[0].contains("automatic: \"Theme at night\" or \"Theme by day\""))
    theme.moveSelection(3)
    #expect(theme.help[0].contains("in which automatic uses \"Theme by day\""))
    theme.moveSelection(1)
    #expect(theme.help[0].contains("With off, the terminal selects"))
    let announce = page(
      ["announce", "screen_reader"].map {
        SettingState(id: .init("ui", $0), kind: .boolean, value: "false", standard: "false")
      })
    #expect(announce.help[0].contains("With \"Screen reader\" this is always so."))
  }

  @Test func `the page of the connection shows what is in use`() async {
    let ports = FakePorts()
    let shell = ShellViewModel(ports, actions: .forTests())
    let states = ["server", "port", "ca_file"].map {
      SettingState(id: .init("account", $0), kind: .text, value: "", standard: "")
    }
    let page = SettingsViewModel(
      section: "account", shell: shell,
      settings: SettingsActions(read: { states }, change: { _, _ in true }))
    await shell.lifetime.settle()
    #expect(page.items.map(\.id) == ["server", "port", "ca_file"])
    await ports.connect(
      by: ConnectionDetails(
        host: "xmpp.example.org", port: 5223, tlsVersion: "TLSv1.3",
        tlsCipher: "TLS_AES_256_GCM_SHA384", mechanism: "SCRAM-SHA-256-PLUS",
        channelBinding: "tls-exporter", hasStreamManagement: true, hasCarbons: false,
        resource: "Natter.1a2b"))
    shell.handle(.connectionChanged(.online))
    await shell.lifetime.settle()
    #expect(
      page.items.map(\.value) == [
        "automatic: xmpp.example.org", "automatic: 5223", "automatic: the system's",
        "xmpp.example.org:5223", "TLSv1.3, TLS_AES_256_GCM_SHA384", "SCRAM-SHA-256-PLUS",
        "tls-exporter", "on", "off", "Natter.1a2b",
      ])
    // It can be gone to, and says that it is not to be changed.
    page.moveSelection(.max)
    page.open()
    page.reset()
    page.turn(1)
    #expect(page.items.last?.isSelected == true)
    #expect(page.help == [english()("connection.help")])
  }

  @Test func `what was named on the command line is not shown as automatic`() async {
    let ports = FakePorts()
    let shell = ShellViewModel(ports, actions: .forTests())
    let states =
      ["address", "server", "port", "ca_file", "http_url"].map {
        SettingState(id: .init("account", $0), kind: .text, value: "", standard: "")
      } + [choice("account", "tls", ["auto", "starttls"], "auto")]
    let page = SettingsViewModel(
      section: "account", shell: shell,
      settings: SettingsActions(read: { states }, change: { _, _ in true }))
    var details = ConnectionDetails(
      host: "10.0.0.1", port: 5223, tlsVersion: nil, tlsCipher: nil, mechanism: "PLAIN",
      channelBinding: nil, hasStreamManagement: true, hasCarbons: nil, resource: "x")
    details.account = Account(
      jid: .alice, server: "10.0.0.1", port: 5223, security: .startTLS, caFile: "/etc/own.pem",
      httpURL: "https://web.example.org")
    await ports.connect(by: details)
    shell.handle(.connectionChanged(.online))
    await shell.lifetime.settle()
    #expect(
      page.items.prefix(6).map(\.value) == [
        "alice@example.org", "10.0.0.1", "5223", "/etc/own.pem", "https://web.example.org",
        "starttls",
      ])
  }

  @Test func `a value with the name of another setting has its own text`() {
    let page = page([
      choice("ui", "glyphs", ["auto", "unicode", "ascii"], "auto"),
      choice("ui", "unicode", ["auto", "safe", "full"], "auto"),
    ])
    #expect(page.help[0].contains("lines and symbols, plain ASCII: always these."))
  }

  @Test func `a theme has the name that it gives itself`() {
    let state = choice("ui", "theme_night", ["night", "mine"], "night")
    let page = SettingsViewModel(
      section: "ui", shell: shell,
      settings: SettingsActions(
        read: { [state] }, change: { _, _ in true },
        name: { $1 == "night" && $0.key == "theme_night" ? "Natter Night" : nil }))
    #expect(page.items[0].value == "Natter Night")
    #expect(page.help.contains("By default: Natter Night"))
    #expect(page.help.contains("In config.toml: night"))
  }

  @Test func `a name that has to be read first replaces the file's as soon as it is known`()
    async throws
  {
    let state = choice("ui", "theme_night", ["night", "mine"], "night")
    let (readings, read) = AsyncStream<String>.makeStream()
    var known: [String: String] = [:]
    let page = SettingsViewModel(
      section: "ui", shell: shell,
      settings: SettingsActions(
        read: { [state] }, change: { _, _ in true }, name: { known[$1] },
        refreshNames: { section in
          for await name in readings {
            #expect(section == "ui")
            known["night"] = name
            return
          }
        }))
    #expect(page.items[0].value == "night")
    for name in ["Natter Night", "Renamed"] {
      read.yield(name)
      try await until("the name \(name)") { page.items[0].value == name }
      // The files may say something else when somebody comes back.
      page.isFocused.toggle()
    }
  }

  @Test func `an open list gets what has come since, and the selection stays`()
    async throws
  {
    var (words, rounds) = (["day", "night"], 0)
    var (asked, previewed, chosen) = ([ChoiceRequest](), [String?](), [String?]())
    var actions = ShellActions.forTests()
    actions.choose = { asked.append($0) }
    let (readings, read) = AsyncStream<Bool>.makeStream()
    let page = SettingsViewModel(
      section: "ui", shell: ShellViewModel(FakePorts(), actions: actions),
      settings: SettingsActions(
        read: { [choice("ui", "theme_night", words, "night")] },
        change: { _, value in
          chosen.append(value)
          return true
        }, preview: { previewed.append($1) },
        refreshNames: { _ in
          rounds += 1
          // The second is that of the list.
          if rounds == 2 { for await _ in readings { break } }
        }))
    try await until { rounds == 1 }
    page.open()
    let request = try #require(asked.first)
    let list = DialogViewModel.choice(request) {}
    #expect(list.dialog.buttons.map(\.label) == ["day", "night"])
    words = ["day", "mine", "night"]
    read.yield(true)
    try await until { list.dialog.buttons.count == 3 }
    #expect(list.dialog.focusedButton?.label == "night")
    list.moveFocus(by: -1)
    list.press()
    #expect(previewed == ["mine", nil] && chosen == ["mine"])
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `no value is explained by its own name`(tag: String) throws {
    let words = try texts(of: tag)
    for (key, help) in words where key.hasPrefix("setting.") && key.hasSuffix("-help") {
      let setting = key.dropFirst("setting.".count).dropLast("-help".count)
      for (value, word) in words {
        guard value.hasPrefix("settings.value.\(setting)."),
          let name = value.split(separator: ".").last
        else { continue }
        for colon in [": ", " : ", "：", "\u{A0}: "] {
          for end in [".", ";", " ;", "。", "；"] {
            #expect(!help.contains("{\(name)}\(colon)\(word)\(end)"), "\(key) \(value)")
          }
        }
      }
    }
  }

  @Test func `a setting is found by what it can be, in the file's terms and in others`() {
    let keys = choice("ui", "keys", ["natter", "emacs", "vi", "slack"], "natter")
    let words = keys.keywords(english()).split(separator: " ")
    #expect(["emacs", "vi", "vim", "modal"].allSatisfy { words.contains($0) })
    let emoji = choice("ui", "emoji", ["auto", "glyphs", "names"], "glyphs")
    #expect(emoji.keywords(english()) == "glyphs symbols names names")
  }

  @Test func `what is typed is shown by an example`() {
    let quiet = SettingState(
      id: .init("notify", "quiet"), kind: .text, value: "", standard: "", example: "22:00-07:00")
    #expect(page([quiet]).help.contains("For example: 22:00-07:00"))
    #expect(!page([choice("ui", "keys", ["vi"], "vi")]).help.contains { $0.contains("example") })
  }

  @Test func `the value of automatic is shown`() {
    let states = [choice("ui", "language", ["auto", "fr"], "auto")]
    #expect(page(states, automatic: "English").items[0].value == "automatic: English")
    #expect(page(states).items[0].value == "automatic")
    let fixed = [choice("ui", "language", ["auto", "fr"], "fr")]
    #expect(page(fixed, automatic: "English").items[0].value == "Français")
  }

  @Test func `the notice of a saved setting is not shown for the next one`() {
    let page = page([
      choice("ui", "language", ["auto", "fr"], "fr"), choice("ui", "theme", ["auto"], "auto"),
    ])
    page.turn(1)
    #expect(shell.status.message.text == english()("status.settingSaved"))
    page.moveSelection(1)
    #expect(shell.status.message.text.isEmpty)
  }
}
