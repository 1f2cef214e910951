import Testing

@testable import Text

@Suite struct EmojiNamesTests {
  let english = EmojiNames(tag: "en")
  let french = EmojiNames(tag: "fr")
  let chinese = EmojiNames(tag: "zh-Hans")

  @Test(arguments: [
    ("thumbs_u", "👍"), ("+1", "👍"), ("smile", "😄"), ("tada", "🎉"), ("heart", "❤"),
    ("THUMBSUP", "👍"), ("avocado", "🥑"),
  ])
  func `a name, whole or not, finds its emoji first`(text: String, emoji: String) {
    #expect(english.matching(text).first?.emoji == emoji)
  }

  @Test func `the picker begins with what is used most, each once`() {
    let used = english.byUse
    #expect(used.prefix(2).map(\.emoji) == ["👍", "❤"])
    #expect(used.count == english.all.count && Set(used.map(\.emoji)).count == used.count)
    #expect(used[19].emoji == "💯")
    // So of two hearts the red one comes before the suit of cards.
    let emoji = used.map(\.emoji)
    #expect(emoji.firstIndex(of: "❤") ?? 99 < emoji.firstIndex(of: "♥") ?? 0)
  }

  @Test func `what begins so comes first, then what has such a word; nothing finds nothing`() {
    let names = english.matching("heart").map(\.name)
    #expect(names.first == "heart" && names.contains("blue_heart"))
    #expect(names.firstIndex(of: "heartpulse") ?? 99 < names.firstIndex(of: "blue_heart") ?? 0)
    #expect(english.matching("") == [] && english.matching("no such emoji") == [])
    #expect(english.matching("a", limit: 3).count == 3)
  }

  @Test(arguments: [
    ("well 👍!", "well :thumbs_up:!"), ("👍🏽", ":thumbs_up:"), ("❤️", ":heart:"), ("❤", ":heart:"),
    ("👨‍👩‍👧", ":man::woman::girl:"), ("🇫🇷", ":flag_fr:"), ("1️⃣", "1"), ("日本é Ж ✓ — “x”", "日本é Ж ✓ — “x”"),
    ("plain", "plain"), ("", ""), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", ":black_flag:"),
    ("🕵️ 🌶️ ☠️ ⏸", ":detective: :hot_pepper: :skull_and_crossbones: :pause_button:"),
    ("🤷‍♂️", ":shrug::male_sign:"), ("♪ ♭", "♪ ♭"),
  ])
  func `emoji are spelled out, other text stays`(text: String, spelled: String) {
    #expect(english.spelledOut(text) == spelled)
  }

  @Test func `no two emoji share one name, and no name has a character that a name must not have`()
  {
    let words = emojiTable.split(whereSeparator: \.isWhitespace)
    let first = words.compactMap { $0.dropFirst().split(separator: ",").first }
    #expect(words.count > 1000 && first.count == words.count)
    #expect(Set(first).count == first.count)
    #expect(
      words.allSatisfy {
        $0.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || "_,+-’".contains($0) }
      })
  }

  @Test func `each emoji is called what CLDR calls it in French and Chinese, and no two the same`()
  {
    for (names, table) in [(french, frenchEmojiTable), (chinese, chineseEmojiTable)] {
      let known = Set(
        table.split(whereSeparator: \.isWhitespace).compactMap(\.first).map(String.init))
      // CLDR has the key of ten among those that are put together.
      #expect(english.all.map(\.emoji).filter { !known.contains($0) } == ["🔟"])
      let own = names.all.filter { known.contains($0.emoji) }.compactMap(\.names.first)
      #expect(own.count == english.all.count - 1 && Set(own).count == own.count)
      #expect(own.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "_-’".contains($0) } })
      #expect(names.spelledOut("🔟") == english.spelledOut("🔟"))
    }
  }

  @Test(arguments: [
    ("fr", "👍🏽 et ❤️", ":pouce_vers_le_haut: et :cœur_rouge:"), ("fr", "🇫🇷", ":drapeau_fr:"),
    ("fr-CA", "👨‍👩‍👧", ":homme::femme::fille:"), ("fr", "é ✓", "é ✓"),
    ("zh-Hans", "好👍🎉", "好:拇指向上::拉炮彩带:"), ("zh-Hans", "🇨🇳", ":旗_cn:"), ("zh_CN", "🐶", ":狗脸:"),
    ("de", "👍", ":thumbs_up:"), ("zh-Hant", "👍", ":thumbs_up:"),
  ])
  func `emoji are spelled out in the language of the interface`(
    tag: String, text: String, spelled: String
  ) {
    #expect(EmojiNames(tag: tag).spelledOut(text) == spelled)
  }

  @Test(arguments: [
    ("fr", "pouce_vers_le_h", "👍"), ("fr", "cœur_r", "❤"), ("fr", "coeur_r", "❤"),
    ("fr", "Etincelles", "✨"), ("fr", "étinc", "✨"), ("fr", "larmes", "😢"), ("fr", "fete", "🎀"),
    ("fr", "tada", "🎉"), ("fr", "+1", "👍"), ("fr", "-1", "👎"), ("fr", "thumbs_u", "👍"),
    ("zh-Hans", "拇指向上", "👍"), ("zh-Hans", "真棒", "👍"), ("zh-Hans", "红心", "❤"),
    ("zh-Hans", "哭了", "😂"),
    ("zh-Hans", "tada", "🎉"),
  ])
  func `a name is found in its language, without the marks on its letters, and in English`(
    tag: String, text: String, emoji: String
  ) {
    #expect(EmojiNames(tag: tag).matching(text).first?.emoji == emoji)
  }

  @Test func `what has the word and is not called so is found behind what is`() {
    #expect(french.matching("fete").contains { $0.emoji == "🎉" && $0.name == "cotillons" })
    #expect(french.matching("rouge").contains { $0.emoji == "❤" && $0.name == "cœur_rouge" })
    #expect(chinese.matching("心").contains { $0.emoji == "❤" && $0.name == "红心" })
  }

  @Test(arguments: [
    ("fr", ":pouce_vers_le_haut:", "👍"), ("fr", "coeur rouge", "❤"),
    ("fr", "symbole de l'homme", "♂"),
    ("fr", ":thumbsup:", "👍"), ("fr", "super", nil), ("zh-Hans", "：拇指向上：", "👍"),
    ("zh-Hans", "+1", "👍"), ("en", "pouce_vers_le_haut", nil), ("en", "umbrella", "☔"),
    ("en", "pencil", "📝"),
  ])
  func `a whole name becomes its emoji, in the language of the interface and in English`(
    tag: String, text: String, emoji: String?
  ) {
    #expect(EmojiNames(tag: tag).emoji(from: text) == emoji)
  }
}
