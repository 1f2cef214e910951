import Testing

@testable import ViewModels

@Suite struct EmojiNamesTests {
  @Test(arguments: [
    ("thumbs_u", "👍"), ("+1", "👍"), ("smile", "😄"), ("tada", "🎉"), ("heart", "❤"),
    ("THUMBSUP", "👍"), ("avocado", "🥑"),
  ])
  func `a name, whole or not, finds its emoji first`(text: String, emoji: String) {
    #expect(EmojiNames.matching(text).first?.emoji == emoji)
  }

  @Test func `the picker begins with what is used most, each once`() {
    let used = EmojiNames.byUse
    #expect(used.prefix(2).map(\.emoji) == ["👍", "❤"])
    #expect(used.count == EmojiNames.all.count && Set(used.map(\.emoji)).count == used.count)
    #expect(used[19].emoji == "💯")
    // So of two hearts the red one comes before the suit of cards.
    let places = used.map(\.emoji)
    #expect(places.firstIndex(of: "❤") ?? 99 < places.firstIndex(of: "♥") ?? 0)
  }

  @Test func `what begins so comes first, then what has such a word; nothing finds nothing`() {
    let names = EmojiNames.matching("heart").map(\.name)
    #expect(names.first == "heart" && names.contains("blue_heart"))
    #expect(names.firstIndex(of: "heartpulse") ?? 99 < names.firstIndex(of: "blue_heart") ?? 0)
    #expect(EmojiNames.matching("") == [] && EmojiNames.matching("no such emoji") == [])
    #expect(EmojiNames.matching("a", limit: 3).count == 3)
  }

  @Test(arguments: [
    ("well 👍!", "well :thumbs_up:!"), ("👍🏽", ":thumbs_up:"), ("❤️", ":heart:"), ("❤", ":heart:"),
    ("👨‍👩‍👧", ":man::woman::girl:"), ("🇫🇷", ":flag_fr:"), ("1️⃣", "1"), ("日本é Ж ✓ — “x”", "日本é Ж ✓ — “x”"),
    ("plain", "plain"), ("", ""), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", ":black_flag:"),
  ])
  func `emoji are spelled out, other text stays`(text: String, spelled: String) {
    #expect(EmojiNames.spelledOut(text) == spelled)
  }

  @Test func `no two emoji stand for one name, and no name has a sign that a name must not have`() {
    let words = emojiTable.split(whereSeparator: \.isWhitespace)
    let first = words.compactMap { $0.dropFirst().split(separator: ",").first }
    #expect(words.count > 1000 && first.count == words.count)
    #expect(Set(first).count == first.count)
    #expect(
      words.allSatisfy {
        $0.dropFirst().allSatisfy { $0.isLetter || $0.isNumber || "_,+-’".contains($0) }
      })
  }
}
