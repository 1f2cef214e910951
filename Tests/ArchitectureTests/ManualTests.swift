import Configuration
import Foundation
import Keys
import Panes
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

/// The manuals name everything that the program has, and nothing else.
@Suite @MainActor struct ManualTests {
  private let manual: Manual
  private let settings: Manual

  init() throws {
    manual = try Manual("man/natter.1")
    settings = try Manual("man/natter.conf.5")
  }

  private func heading(_ context: KeyBinding.Context) -> String {
    switch context {
    case .everywhere: "Everywhere"
    case .input: "Input line"
    case .editing: "Editing text"
    case .messages: "Messages"
    case .list: "Lists"
    }
  }

  @Test func `natter(1) has every key`() throws {
    let spelling = KeySpelling(localizer: Localizer(tag: "en", texts: try englishTexts()))
    for binding in KeyBindingTable.natter.bindings {
      // One line lists all ten.
      if KeyAction.conversationNumbers.contains(binding.action) { continue }
      if KeyAction.tabs.contains(binding.action) { continue }
      let section = manual.section(heading(binding.context))
      let keys = binding.sequences.map { spelling($0) }.joined(separator: ", ")
      let text = try #require(try englishTexts()[binding.descriptionKey])
      let isThere = zip(section, section.dropFirst()).contains { $0 == ".It \(keys)" && $1 == text }
      #expect(isThere, "\(keys): \(text), under \(binding.context.rawValue)")
    }
    let first = KeyBindingTable.natter.bindings.filter { $0.action == .conversation1 }
    #expect(first.flatMap(\.sequences).map { spelling($0) } == ["Alt+1", "^X 1"])
    #expect(manual.section("Everywhere").contains(".It F2 .. F6"))
    #expect(manual.section("Everywhere").contains(".It Alt+1 .. Alt+0, ^X 1 .. ^X 0"))
  }

  @Test func `natter(1) has every typed command with its other names`() throws {
    let section = manual.section("Typed commands")
    let reported = section.filter { $0.hasPrefix(".It Ic /") }
      .map { String($0.dropFirst(8).prefix { $0 != " " }) }
    #expect(reported == CommandTable().commands.map(\.name))
    for name in CommandTable().commands.flatMap(\.aliases) {
      #expect(section.contains { $0.hasPrefix(".Ic /\(name)") }, "/\(name)")
    }
  }

  @Test func `natter(1) and --help have the same options and commands`() throws {
    let help = try #require(try englishTexts()["help-text.main"])
    let synopsis = manual.section("SYNOPSIS")
    let reported = Set(
      manual.section("OPTIONS").filter { $0.hasPrefix(".It Fl ") }
        .flatMap { $0.matches(of: /\\?-[a-z]+(-[a-z]+)*/) }.map {
          "-" + $0.output.0.replacing("\\", with: "")
        })
    let options = Set(help.matches(of: /--[a-z]+(-[a-z]+)*/).map { String($0.output.0) })
    #expect(reported.symmetricDifference(options).sorted() == [])
    let commands = [
      "send", "unread", "history", "search", "contacts", "rooms", "export", "import", "tail",
      "call", "serve", "scripts", "accounts", "login", "logout", "doctor", "theme",
    ]
    for command in commands {
      #expect(help.contains("natter \(command)"))
      #expect(synopsis.contains(".Cm \(command)"), "\(command)")
      let entry = ".It Cm \(command)"
      #expect(manual.section("Shell commands").contains { $0.hasPrefix(entry) }, "\(command)")
    }
  }

  @Test(arguments: ["man/fr/natter.1", "man/zh_CN/natter.1"])
  func `natter(1) in another language has the same options, commands and exit codes`(path: String)
    throws
  {
    let other = try Checkout.text(path)
    let english = try Checkout.text("man/natter.1")
    func options(_ text: String) -> Set<String> {
      Set(text.matches(of: /Fl \\-([a-z-]+)/).map { String($0.output.1) })
        .subtracting(["name"])
    }
    func items(_ text: String, _ pattern: Regex<(Substring, Substring)>) -> Set<String> {
      Set(text.matches(of: pattern).map { String($0.output.1) })
    }
    #expect(options(other) == options(english))
    let command = /\.It Cm ([a-z]+)/
    #expect(items(other, command) == items(english, command))
    let code = /\n\.It ([0-9]+)\n/
    #expect(items(other, code) == items(english, code))
  }

  @Test(
    arguments: zip(
      ["man/natter.1", "man/fr/natter.1", "man/zh_CN/natter.1"], ["en", "fr", "zh-Hans"]))
  func `natter(1) and the help name every format of histories`(path: String, tag: String) throws {
    let manual = try Checkout.text(path)
    let list = manual.components(separatedBy: ".It Fl \\-as Ar ").last?
      .components(separatedBy: ".It ").first
    let help = try #require(try texts(of: tag)["help-text.import"])
    let names = try Checkout.sources(of: "ImportService").flatMap(\.lines)
      .compactMap { try #/  package static let name = "(\w+)"/#.wholeMatch(in: $0)?.output.1 }
    #expect(names.count == 10)
    for name in names {
      #expect(list?.contains(" \(name)") == true, "\(name)")
      #expect(help.contains(name), "\(name)")
    }
  }

  @Test func `natter(1) has every exit code`() throws {
    let source = try Checkout.text("Sources/Programs/natter/Launch/UsageError.swift")
    let codes = source.matches(of: /case \w+ = (\d+)/).map { String($0.output.1) }
    #expect(codes.count > 5)
    let reported = manual.section("EXIT STATUS").filter { $0.hasPrefix(".It ") }.map {
      $0.dropFirst(4)
    }
    #expect(reported.map(String.init) == codes.filter { (Int($0) ?? 0) < 128 } + ["128+n"])
  }

  @Test func `natter.conf(5) has every setting in its section, with its default`() throws {
    for setting in Setting.all {
      let section = settings.section("[\(setting.section)]")
      let start = try #require(
        section.firstIndex(of: ".It Ic \(setting.key)"), "\(setting.section).\(setting.key)")
      let text = section[(start + 1)...].prefix { !$0.hasPrefix(".It ") && $0 != ".El" }
        .joined(separator: "\n")
      if let value = setting.defaultText {
        let plain = value.replacing("\"", with: "")
        #expect(text.contains("Qq \(plain)") || text.contains("Li \(plain)"), "\(setting.key)")
      }
    }
    let reported = Set(Setting.all.map(\.section)).flatMap { name in
      settings.section("[\(name)]").filter { $0.hasPrefix(".It Ic ") }.map {
        "\(name).\($0.dropFirst(7))"
      }
    }
    #expect(reported.sorted() == Setting.all.map { "\($0.section).\($0.key)" }.sorted())
  }
}

extension ManualTests {
  /// Returns the text of natter.conf(5) about a setting.
  private func text(of key: String, in section: String) -> String {
    let lines = settings.section("[\(section)]")
    return lines.drop { $0 != ".It Ic \(key)" }.dropFirst()
      .prefix { !$0.hasPrefix(".It ") && $0 != ".El" }.joined(separator: "\n")
  }

  @Test func `natter.conf(5), the printed example and the page of settings have every value`()
    throws
  {
    func names(_ folder: String) throws -> [String] {
      try Checkout.names(in: "Resources/\(folder)").map {
        $0.hasSuffix(".toml") ? String($0.dropLast(5)) : $0
      }
    }
    let known = KnownNames(themes: try names("themes"), languages: try names("locales"))
    #expect(known.themes.count > 5 && known.languages == ["en", "fr", "zh-Hans"])
    for setting in Setting.all {
      guard case .choice(let values) = setting.form(names: known) else { continue }
      let key = "setting.\(setting.section).\(setting.key)-help"
      var manual = text(of: setting.key, in: setting.section)
      if manual.contains("one of those of\n.Ic theme .") {
        manual += text(of: "theme", in: "ui")
      }
      for value in values {
        #expect(manual.contains(".Qq \(value)"), "natter.conf(5): \(setting.key) = \(value)")
      }
      for tag in ["en", "fr", "zh-Hans"] {
        let localizer = Localizer(tag: tag, texts: try texts(of: tag))
        // Values that the text leaves out are all behind it.
        let isListed = setting.takesNames
        #expect(localizer.unreported(values, in: key) == isListed, "\(tag): \(setting.key)")
      }
    }
  }

  /// A translation of natter(1), and what its sections are called.
  enum Translation: String, CaseIterable, Sendable {
    case fr
    case chinese = "zh-Hans"

    var path: String { self == .fr ? "man/fr/natter.1" : "man/zh_CN/natter.1" }
    var commands: String { self == .fr ? "Tapées dans la ligne de saisie" : "在输入行里输入" }
    func heading(_ context: KeyBinding.Context) -> String {
      switch (self, context) {
      case (.fr, .everywhere): "Partout"
      case (.fr, .input): "Ligne de saisie"
      case (.fr, .editing): "Éditer le texte"
      case (.fr, .messages): "Messages"
      case (.fr, .list): "Listes"
      case (.chinese, .everywhere): "到处"
      case (.chinese, .input): "输入行"
      case (.chinese, .editing): "编辑文字"
      case (.chinese, .messages): "消息"
      case (.chinese, .list): "列表"
      }
    }
  }

  @Test(arguments: Translation.allCases)
  func `natter(1) in another language has every key, as that language spells it`(
    translation: Translation
  ) throws {
    let localizer = Localizer(
      tag: translation.rawValue, texts: try texts(of: translation.rawValue))
    let spelling = KeySpelling(localizer: localizer)
    let manual = try Manual(translation.path)
    let tenths = Set(KeyAction.conversationNumbers + KeyAction.tabs)
    for context in KeyBinding.Context.allCases {
      let section = manual.section(translation.heading(context))
      for binding in KeyBindingTable.natter.bindings(in: context)
      where !tenths.contains(binding.action) {
        let keys = binding.sequences.map { spelling($0) }.joined(separator: ", ")
        let text = localizer(binding.descriptionKey)
        let isThere = zip(section, section.dropFirst()).contains {
          $0 == ".It \(keys)" && $1 == text
        }
        #expect(isThere, "\(keys): \(text), under \(section.first ?? "nothing")")
      }
      // And none that there is no more.
      let english = self.manual.section(heading(context))
      #expect(
        section.filter { $0.hasPrefix(".It ") }.count
          == english.filter { $0.hasPrefix(".It ") }.count)
    }
  }

  @Test(arguments: Translation.allCases)
  func `natter(1) in another language has every typed command, its other names and its arguments`(
    translation: Translation
  ) throws {
    let texts = try texts(of: translation.rawValue)
    let section = try Manual(translation.path).section(translation.commands)
    let items = section.filter { $0.hasPrefix(".It Ic /") }
    #expect(
      items.map { String($0.dropFirst(8).prefix { $0 != " " }) }
        == CommandTable().commands.map(\.name))
    for pair in try #require(texts["command.names"]).split(separator: " ") {
      let names = pair.split(separator: "=")
      #expect(section.contains { $0.hasPrefix(".Ic /\(names[0]) Pq \(names[1]) ") }, "\(pair)")
    }
    for (item, command) in zip(items, CommandTable().commands) {
      for name in command.aliases {
        #expect(section.contains { $0.contains("/\(name)") }, "/\(name)")
      }
      let usage = try #require(texts[command.usageKey])
      func isLetter(_ character: Character) -> Bool { character.isLetter }
      let macros: Set = ["It", "Ic", "Ar", "Cm", "Op", "Oo", "Oc", "Ns"]
      let reported = item.split { !isLetter($0) }.map { $0.lowercased() }.filter { word in
        !macros.contains { $0.lowercased() == word }
      }
      #expect(reported == usage.split { !isLetter($0) }.map { $0.lowercased() })
    }
  }

  @Test(arguments: Translation.allCases)
  func `natter(1) in another language has the same variables and files`(translation: Translation)
    throws
  {
    func items(_ path: String, _ pattern: Regex<(Substring, Substring)>) throws -> [String] {
      try Checkout.text(path).matches(of: pattern).map { String($0.output.1) }.sorted()
    }
    for pattern in [/\.It Ev ([^\n]+)/, /\.It Pa ([^\n]+)/] {
      #expect(try items(translation.path, pattern) == items("man/natter.1", pattern))
    }
  }

  @Test func `natter-theme(5) has every role, and its example is a theme`() throws {
    let manual = try Manual("man/natter-theme.5")
    let reported = manual.section("ROLES").filter { $0.hasPrefix(".It Ic ") }
      .flatMap { $0.dropFirst(7).split(separator: " , ").map(String.init) }
    #expect(reported.sorted() == StyleRole.named.keys.sorted())
    for section in ["palette", "roles", "roles-16", "roles-mono"] {
      #expect(!manual.section("[\(section)]").isEmpty, "\(section)")
    }
    let example = manual.section("EXAMPLES").drop { !$0.hasPrefix(".Bd") }.dropFirst()
      .prefix { $0 != ".Ed" }.joined(separator: "\n")
    let (file, errors) = ThemeFile.parse(example, roles: StyleRole.named)
    #expect(errors.isEmpty)
    #expect(file.inherits == "night" && Theme(file).defines(.nickMe))
  }

  @Test func `natter-keys(5) has every action with its keys, and its example is a key file`() throws
  {
    let manual = try Manual("man/natter-keys.5")
    let localizer = Localizer(tag: "en", texts: try englishTexts())
    func expect(_ bindings: [KeyBinding], in section: [String]) throws {
      #expect(
        section.filter { $0.hasPrefix(".It Ic ") }.map { String($0.dropFirst(7)) }
          == bindings.map(\.action.rawValue))
      for binding in bindings {
        let start = try #require(section.firstIndex(of: ".It Ic \(binding.action.rawValue)"))
        #expect(section[start + 1] == localizer(binding.descriptionKey) + ":")
        let keys = binding.sequences.map { KeySequence($0).description }.joined(separator: " , ")
        #expect(section[start + 2] == ".Li " + keys)
      }
    }
    for context in KeyBinding.Context.allCases {
      try expect(
        KeyBindingTable.natter.bindings(in: context), in: manual.section("[\(context.rawValue)]"))
    }
    // The other presets: what they have that the first one has not.
    for (name, table) in [
      ("emacs", KeyBindingTable.emacs), ("slack", .slack),
      ("enter", KeyBindingTable.natter.enteringLines),
    ] {
      let own = table.bindings.filter { !KeyBindingTable.natter.bindings.contains($0) }
      try expect(own, in: manual.section(name))
    }
    let example = manual.section("DESCRIPTION").drop { !$0.hasPrefix(".Bd") }.dropFirst()
      .prefix { $0 != ".Ed" }.joined(separator: "\n")
    let (table, problems, isWhole) = KeyBindingTable.natter.applying(example, file: "keys.toml")
    #expect(problems == [] && isWhole)
    #expect(table.match([.control("k")], in: .everywhere) == .action(.palette))
    #expect(table.match([.alt("w")], in: .everywhere) == .none)
    #expect(table.match([.character("d")], in: .list) == .action(.remove))
  }

  @Test(arguments: [
    ("en", "natter-tutorial.7"), ("fr", "fr/natter-tutorial.7"),
    ("zh-Hans", "zh_CN/natter-tutorial.7"),
  ])
  func `natter-tutorial(7) names only keys and commands that exist`(
    tag: String, page: String
  ) throws {
    let text = try Checkout.text("man/\(page)").replacing("\\(ha", with: "^")
    let texts = try texts(of: tag)
    let spelling = KeySpelling(localizer: Localizer(tag: tag, texts: texts))
    let keys = Set(KeyBindingTable.natter.bindings.flatMap(\.sequences).map { spelling($0) })
    let translated = (texts["command.names"] ?? "").split(separator: " ")
      .map { String($0.prefix { $0 != "=" }) }
    let names = Set(CommandTable().commands.map(\.name) + translated)
    let reported = text.split(separator: "\n").filter { $0.hasPrefix(".Ic ") }
      .map { $0.dropFirst(4).prefix { $0 != " " } }.map(String.init)
    #expect(reported.count > 30)
    for word in reported {
      let isCommand = word.hasPrefix("/") && word.count > 1
      #expect(
        isCommand ? names.contains(String(word.dropFirst())) : keys.contains(word) || word == "^X",
        "\(word)")
    }
  }

  @Test(arguments: [
    "natter.1", "natter.conf.5", "natter-theme.5", "natter-keys.5", "natter-tutorial.7",
    "fr/natter.1", "zh_CN/natter.1", "fr/natter-tutorial.7", "zh_CN/natter-tutorial.7",
    "natter-script.7", "fr/natter-script.7", "zh_CN/natter-script.7",
  ])
  func `a manual names only manuals that are there`(page: String) throws {
    let text = try Checkout.text("man/\(page)")
    for match in text.matches(of: /\.Xr (natter[^ ]*) ([0-9])/) {
      #expect(try !Checkout.text("man/\(match.output.1).\(match.output.2)").isEmpty)
    }
  }

  @Test(
    .requires(.mandoc),
    arguments: [
      "natter.1", "natter.conf.5", "natter-theme.5", "natter-keys.5", "natter-tutorial.7",
      "natter-server.7", "natter-xeps.7", "fr/natter.1", "zh_CN/natter.1",
      "fr/natter-tutorial.7", "zh_CN/natter-tutorial.7", "natter-script.7",
      "fr/natter-script.7", "zh_CN/natter-script.7",
    ])
  func `a manual fits into 80 columns, whatever its language`(page: String) async throws {
    let path = Programs.checkout.appending(path: "man/\(page)").path
    let run = try await CommandRun(
      "mandoc", ["-T", "utf8", "-O", "width=78", path],
      environment: ["PATH": Programs.searchPath, "LC_ALL": "C.UTF-8"])
    #expect(run.status == .exited(0))
    // Bold and underlined characters are written over.
    let text = run.text.replacing(/.\u{8}/, with: "")
    for line in text.split(separator: "\n") {
      #expect(String(line).columns <= 80, "\(line)")
    }
  }
}
