import TestSupport
import Testing

@testable import TOML

@Suite struct TOMLDocumentTests {
  @Test func `no value has a cluster without end`() throws {
    let marks = String(repeating: "\u{301}\u{316}", count: 1000)
    let escaped = String(repeating: #"\u0301\U00000316"#, count: 1000)
    let document = try TOMLDocument.parse("a = \"a\(marks)\"\nb = '\(marks)'\nc = \"\(escaped)\"\n")
    for key in ["a", "b", "c"] {
      let value = try #require(document.root[key]?.string)
      #expect(value.unicodeScalars.count > 2000)
      #expect(value.allSatisfy { $0.unicodeScalars.count <= 31 })
    }
  }

  @Test func `a whole file is read with order and lines`() throws {
    let document = try TOMLDocument.parse(
      """
      # a comment
      name = "Natter Night"   # another
      'literal key' = 'C:\\x'

      [ui]
      mouse = true
      count = -1_000
      "text.dim" = ""
      [account."a@b.c"]
      command = ["pass", 'show',   # why
        "xmpp/alice",
      ]
      empty = []
      nested = [[1, 2], ["x"]]
      """)
    #expect(document.root.keys == ["name", "literal key"])
    #expect(document.root["name"]?.string == "Natter Night")
    #expect(document.root["literal key"]?.string == "C:\\x")
    #expect(document["ui"]?["mouse"]?.boolean == true)
    #expect(document["ui"]?["count"]?.integer == -1000)
    #expect(document["ui"]?["text.dim"]?.string == "")
    #expect(document["ui"]?.line == 5)
    #expect(document["ui"]?["count"]?.line == 7)
    let account = try #require(document["account", "a@b.c"])
    #expect(account["command"]?.strings == ["pass", "show", "xmpp/alice"])
    #expect(account["command"]?.array?.map(\.line) == [10, 10, 11])
    #expect(account["empty"]?.strings == [])
    #expect(account["nested"]?.array?.first?.array?.map(\.integer) == [1, 2])
    #expect(account["nested"]?.strings == nil)
    #expect(document.subtables(of: ["account"]).map(\.path) == [["account", "a@b.c"]])
    #expect(document["nowhere"] == nil)
  }

  @Test(arguments: [
    (#""a\tb\n\"\\\u00e9\U0001F600""#, "a\tb\n\"\\é😀"),
    (#"'no \n escapes "here"'"#, #"no \n escapes "here""#),
    ("\"漢字\"", "漢字"),
    ("\"# not a comment\"", "# not a comment"),
  ]) func `strings`(source: String, expected: String) throws {
    #expect(try TOMLDocument.parse("k = \(source)").root["k"]?.string == expected)
    #expect(
      try TOMLDocument.parse("k = \(TOMLValue.quoted(expected))").root["k"]?.string == expected)
  }

  @Test(arguments: [
    ("k = \"abc", 1, "is not closed"),
    ("\nk = 'abc\nl = 1", 2, "is not closed"),
    ("k", 1, "no ="),
    ("k = ", 1, "value is missing"),
    ("= 1", 1, "key is missing"),
    ("k = abc", 1, "quotation marks"),
    ("k = True", 1, "Write true"),
    ("k = 1.5", 1, "not an integer"),
    ("k = 2026-11-21", 1, "not an integer"),
    ("k = 007", 1, "zero"),
    ("k = 1__0", 1, "between two digits"),
    ("k = 99999999999999999999", 1, "too large"),
    ("k = 1 2", 1, "after the value"),
    ("k = {a = 1}", 1, "inline tables"),
    ("a.b = 1", 1, "dots"),
    ("[[x]]", 1, "arrays of tables"),
    ("[x", 1, "is not closed"),
    ("[]", 1, "missing"),
    ("k = \"\"\"x\"\"\"", 1, "several lines"),
    ("k = \"\\q\"", 1, "not known"),
    ("k = \"\\uD800\"", 1, "hexadecimal"),
    ("k = \"\\u12\"", 1, "hexadecimal"),
    ("k = \"a\u{1}\"", 1, "control character"),
    ("k = 1\nk = 2", 2, "already, in line 1"),
    ("[a]\n[b]\n[a]", 3, "already, in line 1"),
    ("k = [1 2]", 1, "comma"),
    ("\nk = [1,\n2,", 2, "array is not closed"),
  ]) func `what is wrong is named with its line`(source: String, line: Int, text: String) {
    let error = #expect(throws: TOMLError.self) { try TOMLDocument.parse(source) }
    #expect(error?.line == line)
    let reported = error?.problem(in: "x").text { localeText($0, $1) } ?? ""
    #expect(
      reported.contains(text) && !reported.contains("{") || text == "inline tables", "\(reported)")
    // In another language, another text is there.
    for tag in ["fr", "zh-Hans"] {
      let other = error?.problem(in: "x").text { localeText($0, $1, in: tag) } ?? ""
      #expect(other.hasPrefix("x:\(line): ") && other != reported && !other.contains("mistake."))
    }
  }

  @Test func `a dotted key is one key where the file may have them, and an error elsewhere`() {
    let text = "a = 1\na.b . zh-Hans = 2\n\"c\".'d e' = 3\na.b.zh-Hans = 4\nf. = 5\n"
    let (document, errors) = TOMLDocument.parseCollectingErrors(text, joinsDottedKeys: true)
    #expect(document.root.keys == ["a", "a.b.zh-Hans", "c.d e"])
    #expect(document.root["a.b.zh-Hans"]?.integer == 2)
    #expect(errors.map(\.line) == [4, 5])
    #expect(TOMLDocument.parseCollectingErrors(text).errors.map(\.line) == [2, 3, 4, 5])
  }

  @Test func `a section that comes again is found among many`() {
    let heads = (0..<20_000).map { "[s\($0)]\n" }.joined()
    let (document, errors) = TOMLDocument.parseCollectingErrors(heads + "[s17]\nx = 1\n")
    #expect(document.tables.count == 20_001 && errors.map(\.line) == [20_001])
    #expect(document.tables[18]["x"]?.integer == 1)
  }

  @Test func `reading goes on behind errors and collects them all`() {
    let (document, errors) = TOMLDocument.parseCollectingErrors(
      """
      a = 1
      b = oops
      c = [
        "x",
        y,
        "z",
      ]
      d = 4
      [broken
      lost = 1
      [good]
      e = 5
      """)
    #expect(document.root.keys == ["a", "d"])
    #expect(document["good"]?["e"]?.integer == 5)
    #expect(errors.map(\.line) == [2, 5, 9])
    #expect(document.tables.allSatisfy { $0["lost"] == nil })
  }

  @Test func `an error names the file`() {
    let error = TOMLError(
      line: 12, LocalizableText("mistake.toml.tooDeep"),
      LocalizableText("mistake.toml.bareWord", ["word": .verbatim("y")]))
    let problem = error.problem(in: "config.toml")
    #expect(
      problem.text { localeText($0, $1) } == "config.toml:12: arrays are nested too deeply. "
        + "y is not a value. Put text in quotation marks: \"y\".")
    #expect(
      problem.text { localeText($0, $1, in: "zh-Hans") }
        == "config.toml:12: 数组嵌套得太深。y 不是值。请把文字放在引号里：\"y\"。")
    #expect(error.description == "line 12: mistake.toml.tooDeep, mistake.toml.bareWord")
  }

  @Test(arguments: [
    "", "\n", "# only a comment", "\u{FEFF}k = 1\r\n# c\r\n[a]\r\nb = [1,\r\n2]\r\n",
  ])
  func `empty files, byte order marks and DOS line ends are fine`(source: String) throws {
    let document = try TOMLDocument.parse(source)
    if source.count > 20 {
      #expect(document.root["k"]?.integer == 1)
      #expect(document["a"]?["b"]?.array?.count == 2)
    }
  }

  @Test func `rubbish ends in errors, not in a crash`() {
    let deep = "k = " + String(repeating: "[", count: 5000)
    #expect(TOMLDocument.parseCollectingErrors(deep).errors.count == 1)
    var random = SystemRandomNumberGenerator()
    let characters = Array("[]=\"'\\#,.\n\ra1u_- {}")
    for _ in 0..<500 {
      let text = String((0..<40).map { _ in characters.randomElement(using: &random) ?? " " })
      let (_, errors) = TOMLDocument.parseCollectingErrors(text)
      #expect(errors.allSatisfy { $0.line >= 1 })
    }
  }
}

@Suite struct SpellingTests {
  @Test(arguments: [
    ("nigth", "night"), ("natter-ngiht", nil), ("Day", "day"), ("quite-different", nil),
    ("da", "day"),
  ]) func `slips are found, other values are not`(word: String, expected: String?) {
    #expect(Spelling.nearest(to: word, among: ["night", "day", "high-contrast"]) == expected)
  }
}
