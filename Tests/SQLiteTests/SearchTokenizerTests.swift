import SQLite
import Testing

/// The tokens of a full-text index, in many languages.
@Suite struct SearchTokenizerTests {
  private static let tokens: [(text: String, tokens: [String])] = [
    // English.
    ("Hello", ["hello"]),
    ("don't", ["don", "t"]),
    ("e-mail", ["e", "mail"]),
    ("COVID-19", ["covid", "19"]),
    ("naïve", ["naive"]),
    ("snake_case", ["snake", "case"]),
    ("node.js", ["node", "js"]),
    ("C++", ["c"]),
    ("10:30", ["10", "30"]),
    ("http://example.org/a", ["http", "example", "org", "a"]),
    ("ＡＢＣ", ["ａｂｃ"]),
    ("3rd", ["3rd"]),
    ("US$5", ["us", "5"]),
    // French.
    ("Crème brûlée", ["creme", "brulee"]),
    ("l’été", ["l", "ete"]),
    ("aujourd'hui", ["aujourd", "hui"]),
    ("ÇA", ["ca"]),
    ("œuf", ["œuf"]),
    ("Où", ["ou"]),
    ("e\u{301}tude", ["etude"]),
    ("Noël !", ["noel"]),
    ("« oui »", ["oui"]),
    // Chinese.
    ("今天", ["今", "天"]),
    ("我在北京", ["我", "在", "北", "京"]),
    ("iPhone手机", ["iphone", "手", "机"]),
    ("C语言", ["c", "语", "言"]),
    ("第3章", ["第", "3", "章"]),
    ("2026年11月", ["2026", "年", "11", "月"]),
    ("〇", ["〇"]),
    ("，。！", []),
    ("你好！", ["你", "好"]),
    ("𠀀字", ["𠀀", "字"]),
    ("AA制", ["aa", "制"]),
    ("中文English混合", ["中", "文", "english", "混", "合"]),
    // Japanese.
    ("ひらがな", ["ひ", "ら", "が", "な"]),
    ("カタカナ", ["カ", "タ", "カ", "ナ"]),
    ("ﾊﾝｶｸ", ["ﾊ", "ﾝ", "ｶ", "ｸ"]),
    ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
    ("食べる", ["食", "べ", "る"]),
    ("人々", ["人", "々"]),
    ("ＮＨＫ", ["ｎｈｋ"]),
    ("10月3日", ["10", "月", "3", "日"]),
    // Korean.
    ("한국어", ["한", "국", "어"]),
    ("학교에서", ["학", "교", "에", "서"]),
    ("ㅋㅋㅋ", ["ㅋ", "ㅋ", "ㅋ"]),
    ("A형", ["a", "형"]),
    ("안녕 하세요", ["안", "녕", "하", "세", "요"]),
    // Thai, Lao, Burmese and Khmer.
    ("ก\u{E34}น", ["ก", "\u{E34}", "น"]),
    ("ภาษาไทย", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
    ("๑๒๓", ["๑๒๓"]),
    ("ລາວ", ["ລ", "າ", "ວ"]),
    ("မ\u{103C}န\u{103A}မ\u{102C}", ["မ", "\u{103C}", "န", "\u{103A}", "မ", "\u{102C}"]),
    ("ខ\u{17D2}ម\u{17C2}រ", ["ខ", "\u{17D2}", "ម", "\u{17C2}", "រ"]),
    // Emoji.
    ("😂", ["😂"]),
    ("👍🏽", ["👍", "🏽"]),
    ("👨\u{200D}👩\u{200D}👧", ["👨", "👩", "👧"]),
    ("❤\u{FE0F}", ["❤"]),
    ("🇫🇷", ["🇫", "🇷"]),
    ("ok👌", ["ok", "👌"]),
    ("⭐", ["⭐"]),
    ("1\u{FE0F}\u{20E3}", ["1"]),
    // Others.
    ("Привет", ["привет"]),
    ("Straße", ["straße"]),
    ("مرحبا", ["مرحبا"]),
    ("Ελλάδα", ["ελλάδα"]),
    ("ह\u{93F}न\u{94D}द\u{940}", ["ह", "न", "द"]),
    ("a\u{0}b", ["a", "b"]),
    ("", []),
  ]

  private static let schema = MigratorTests.migrator(
    Migration(
      "1 notes",
      sql: "CREATE VIRTUAL TABLE note USING fts5 (text, tokenize = 'natter')"))

  @Test func `text without spaces is cut into characters, all other text is whole`() async throws {
    #expect(Self.tokens.count > 60)
    let database = try await DatabaseTests.memory()
    for (text, expected) in Self.tokens {
      #expect(try await database.read { try $0.tokens(of: text) } == expected, "\(text)")
      // A query and the tokenizer agree on its terms.
      #expect(
        text.unicodeScalars.contains(where: SearchTokenizer.isInToken) == !expected.isEmpty,
        "\(text)")
    }
  }

  @Test func `every text finds itself, and a part of it without spaces`() async throws {
    let database = try await Database.open(.memory, migrator: Self.schema)
    for (text, tokens) in Self.tokens where !tokens.isEmpty {
      let found = try await database.write { db in
        try db.run("DELETE FROM note")
        try db.run("INSERT INTO note (text) VALUES ('before ' || ? || ' after')", text)
        return try db.rows(
          "SELECT highlight(note, 0, '<', '>') FROM note WHERE note MATCH ?",
          "\"\(text.replacing("\u{0}", with: " "))\""
        ) { $0.string(0) }
      }
      #expect(found.count == 1, "\(text)")
    }
    for (text, part) in [
      ("我在北京工作", "北京"), ("我在北京工作", "京"), ("東京タワー", "タワ"), ("학교에서", "교에"), ("ภาษาไทย", "ไทย"),
      ("so😂😂", "😂"), ("iPhone手机", "手机"),
    ] {
      let found = try await database.write { db in
        try db.run("DELETE FROM note")
        try db.run("INSERT INTO note (text) VALUES (?)", text)
        return try db.rows(
          "SELECT highlight(note, 0, '<', '>') FROM note WHERE note MATCH ?", "\"\(part)\""
        ) { $0.string(0) }
      }
      // The offsets of the tokens are those in the text.
      #expect(found.first?.contains("<" + part) == true, "\(text)")
    }
  }

  @Test func `ill-formed bytes are no reason to stop`() async throws {
    let database = try await Database.open(.memory, migrator: Self.schema)
    let bytes: [[UInt8]] = [
      [0xE4], [0xE4, 0xBB], [0xF0, 0xA0, 0x80], [0xE4, 0x41, 0x42], [0x80, 0xBF, 0xE4, 0xBB, 0x8A],
      [0xFF, 0xFE], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]
    for one in bytes {
      let count = try await database.write { db in
        try db.run("DELETE FROM note")
        try db.run("INSERT INTO note (text) VALUES (CAST(? AS TEXT))", one + Array(" 今 end".utf8))
        return try db.rows("SELECT rowid FROM note WHERE note MATCH '今 end'") { $0.int64(0) }.count
      }
      #expect(count == 1, "\(one)")
    }
  }
}
