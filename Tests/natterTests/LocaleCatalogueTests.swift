import Foundation
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import natter

@Suite struct LocaleCatalogueTests {
  private let resources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources")

  private func catalogue(_ text: String) -> LocaleCatalogue { LocaleCatalogue(Array(text.utf8)) }

  @Test func `a text is found by its section and its name`() {
    let texts = catalogue(
      """
      # about
      [one]
      a = "first" # aside
      ab = "longer name"
      "n.other" = "with a point"

      [one.two]
      a = "deeper \\"quoted\\" \\u00e9"
      [three]
      a="no blanks"
      """)
    #expect(texts.text("one.a") == "first")
    #expect(texts.text("one.ab") == "longer name")
    #expect(texts.text("one.n.other") == "with a point")
    #expect(texts.text("one.two.a") == "deeper \"quoted\" é")
    #expect(texts.text("three.a") == "no blanks")
    #expect(texts.text("one.a") == "first", "asked again")
  }

  @Test(arguments: [
    "", "one", "one.", ".a", "a", "one.b", "two.a", "one.a.b", "one.bad", "one.number",
  ])
  func `what is not there or no text is none`(key: String) {
    #expect(catalogue("a = \"x\"\n[one]\na = \"x\"\nbad = \"\nnumber = 1\n").text(key) == nil)
  }

  @Test func `a section may be in several files`() {
    let texts = catalogue("[one]\na = \"x\"\n\n[two]\n\n[one]\nb = \"y\"")
    #expect(texts.text("one.a") == "x")
    #expect(texts.text("one.b") == "y")
    #expect(catalogue("").text("one.a") == nil)
    #expect(catalogue("[one]").text("one.a") == nil)
  }

  @Test func `every English text is found`() throws {
    let texts = try LocaleCatalogue("en", in: [resources.appending(path: "locales")])
    let english = try englishTexts()
    #expect(english.count > 300)
    #expect(english.filter { texts.text($0.key) != $0.value } == [:])
  }

  @Test(arguments: [
    ("en", "lines 2, heart 2, skin tone 2, family 2"),
    ("fr", "traits 2, cœur 2, teint 2, famille 2"), ("zh-Hans", "线条 2、心形 2、肤色 2、家庭 2"),
  ])
  func `the widths of glyphs in the terminal are spelled out`(tag: String, text: String) throws {
    var probe = WidthProbe()
    for sample in WidthProbe.Sample.allCases {
      _ = probe.take(Point(row: WidthProbe.row, column: sample == .letter ? 1 : 2))
    }
    let localizer = Localizer(tag: tag, texts: try texts(of: tag))
    #expect(localizer.list(of: probe) == text)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `what a crash says ends with the report's path, which comes last`(tag: String) throws {
    let texts = try LocaleCatalogue(tag, in: [resources.appending(path: "locales")])
    let text = try #require(texts.text("cli.crash-report"))
    #expect(text.hasSuffix("{path}"))
    for key in ["cli.crash-report", "cli.crashed"] {
      #expect(texts.text(key)?.utf8.count ?? .max < 200, "\(key) has room in the handler")
    }
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `help fits a terminal of 80 columns and 24 lines`(tag: String) throws {
    let texts = try LocaleCatalogue(tag, in: [resources.appending(path: "locales")])
    let keys = try englishTexts().keys.filter { $0.hasPrefix("help-text.") }
    #expect(keys.count > 3)
    for key in keys {
      let lines = try #require(texts.text(key)).split(
        separator: "\n", omittingEmptySubsequences: false)
      // The prompt has the last line.
      #expect(lines.count <= 23, "\(key)")
      for line in lines { #expect(String(line).columns <= 80, "\(key): \(line)") }
    }
  }

  @Test func `however narrow the screen, no French row begins with a mark that belongs to a word`()
    throws
  {
    let marks: Set<Character> = [":", ";", "?", "!", "»"]
    var wrong: [String] = []
    for (key, text) in try texts(of: "fr") where text.contains(where: { marks.contains($0) }) {
      for width in stride(from: 20, through: 76, by: 4) {
        let rows = LineWrap.rows(of: text, width: width)
        // A row of one word cannot end elsewhere.
        for (above, row) in zip(rows, rows.dropFirst()) where above.contains(" ") {
          if row.first.map({ marks.contains($0) }) == true || above.hasSuffix("«") {
            wrong.append("\(key) at \(width): \(above) / \(row)")
          }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test func `a language without a directory is missing`() {
    #expect(throws: MissingResources.self) {
      _ = try LocaleCatalogue("xx", in: [resources.appending(path: "locales")])
    }
  }

  @Test
  func `a person's own texts count before those that are shipped, a language of one's own too`()
    throws
  {
    let folder = try TemporaryFolder("locales")
    try folder.write("[tab]\nchats = \"Talks\"\n", to: "locales/en.toml")
    try folder.write("[tab]\nchats = \"Gespräche\"\nfiles = 3\n", to: "locales/de/mine.toml")
    try folder.write("no language", to: "locales/notes.txt")
    let folders = LanguageChoice.folders(resources: resources, config: folder.root)
    #expect(LanguageChoice.available(in: folders).contains("de"))
    let english = try LanguageChoice.localizer("en", in: folders)
    #expect(english("tab.chats") == "Talks" && english("tab.contacts") == "Contacts")
    let german = try LanguageChoice.localizer("de", in: folders)
    #expect(german("tab.chats") == "Gespräche")
    // What it lacks, or has wrong, is English.
    #expect(german("tab.files") == "Files" && german("tab.me") == "Me")
    let reported = LanguageMistakes.all(of: "de", in: folders).map { english($0) }
    #expect(
      reported == ["locales/de/mine.toml:3: tab.files must be a string, not an integer."])
    #expect(LanguageChoice.name(of: "fr", in: folders) == "Français")
    #expect(LanguageChoice.name(of: "de", in: folders) == "de")
    for tag in ["", "..", "../locales/en", ".hidden"] {
      #expect(throws: MissingResources.self) { _ = try LocaleCatalogue(tag, in: folders) }
    }
  }

  @Test func `what is wrong in one's own texts is reported with its line, and why`() throws {
    let folder = try TemporaryFolder("locales")
    try folder.write(
      "[tab]\nchats = \"Gespräche\nfils = \"Dateien\"\nme = \"Ich\"\n[unread]\n",
      to: "locales/de.toml")
    let folders = LanguageChoice.folders(resources: resources, config: folder.root)
    let english = try LanguageChoice.localizer("en", in: folders)
    #expect(
      LanguageMistakes.all(of: "de", in: folders).map { english($0) } == [
        "locales/de.toml:2: the string is not closed. Put \" at its end, in the same line.",
        "locales/de.toml:3: there is no text tab.fils. The keys are those of the English texts.",
      ])
    #expect(LanguageMistakes.all(of: "fr", in: folders) == [])
    // More forms of a plural than English has are no mistake, and those that are shipped have none.
    try folder.write("[dialog]\n", to: "locales/fr.toml")
    for tag in ["en", "fr", "zh-Hans"] {
      #expect(LanguageMistakes.all(of: tag, in: folders) == [])
      let shipped = folders[0].path + "/" + tag
      for name in try FileManager.default.contentsOfDirectory(atPath: shipped) {
        let text = try String(contentsOfFile: shipped + "/" + name, encoding: .utf8)
        try folder.write(text, to: "other/locales/\(tag)/\(name)")
      }
      let copies = [folders[0], folder.root.appending(path: "other/locales")]
      #expect(LanguageMistakes.all(of: tag, in: copies) == [], "\(tag)")
    }
  }

  @Test
  func `texts of others are read in the languages of the environment, or the one that was chosen`()
  {
    #expect(
      LanguageChoice.read(besides: "en", ["LANGUAGE": "de_DE:en", "LANG": "de_DE.UTF-8"])
        == ["de-de", "en", "en"])
    #expect(LanguageChoice.read(besides: "fr", ["LANG": "de_DE.UTF-8"]) == ["fr", "de-de"])
    #expect(LanguageChoice.read(besides: "en", ["LC_ALL": "C", "LANG": "de_DE"]) == ["en"])
    #expect(LanguageChoice.read(besides: "fr", ["LANG": "fr_FR.UTF-8"]) == ["fr-fr", "fr"])
  }

  @Test(arguments: [
    ("zh_TW.UTF-8", true), ("zh_HK", true), ("zh-Hant", true), ("zh_CN.UTF-8", false),
    ("zh_SG", false), ("zh", false), ("zh-Hans", false), ("fr_FR", false),
  ])
  func `a user who asks for another Chinese gets the one there is, and a notice`(
    name: String, isOther: Bool
  ) {
    let available = ["en", "fr", "zh-Hans"]
    let tag = LanguageChoice.tag(
      wanted: nil, environment: ["LANG": name], available: available)
    #expect(tag == (name.hasPrefix("zh") ? "zh-Hans" : "fr"))
    #expect(
      LanguageChoice.isOtherChinese(
        wanted: "auto", environment: ["LANG": name], available: available) == isOther)
    // Who chose it in the settings knows.
    #expect(
      !LanguageChoice.isOtherChinese(
        wanted: "zh-Hans", environment: ["LANG": name], available: available))
  }
}
