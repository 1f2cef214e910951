import Testing

@testable import Text

/// Names in colons that become emoji on sending.
@Suite struct EmojiReplacingTests {
  private let english = EmojiNames(tag: "en")

  @Test(arguments: [
    (":tada:", "🎉"), ("well done :tada: :+1:", "well done 🎉 👍"), (":tada::tada:", "🎉🎉"),
    ("(:tada:)", "(🎉)"), ("done:\n:tada:!", "done:\n🎉!"), (":TADA:", "🎉"),
    ("好:tada:好", "好🎉好"), ("：tada：", "🎉"), ("/me dances :tada:", "/me dances 🎉"),
    ("https://example.org/ :tada:", "https://example.org/ 🎉"),
  ])
  func `a name in colons becomes its emoji`(typed: String, sent: String) {
    #expect(english.replacingNames(in: typed) == sent)
  }

  @Test(arguments: [
    "10:30:45", "a:tada:b", "std::tada::x", "http://tada:tada:80/", "urn:tada:x", ":tada",
    "https://example.org/?q=:tada:", "(https://example.org/#:tada:&a=:fire:)", "fe80::1:tada:",
    "tada:", "::", ": tada :", ":no_such_name:", "`:tada:`", "> :tada:", "```\n:tada:\n```",
    "😀", "", ":\(String(repeating: "a", count: 41)):",
  ])
  func `other text stays as it was typed`(typed: String) {
    #expect(english.replacingNames(in: typed) == typed)
  }

  @Test(
    arguments: [
      ("en", "score :100:", "score 💯"), ("en", ":100:!", "💯!"), ("en", "[::1]:100:", nil),
      ("en", "::100:", nil), ("en", "2001:db8::100:", nil), ("en", "at １０:100:", nil),
      ("en", "١٠:100:", nil), ("en", ":100:100:", nil), ("en", "é:tada:", nil),
      ("en", ":tada:é", nil),
      ("fr", "Café:tada:été", nil), ("zh-Hans", "分类：猫：英短", nil), ("zh-Hans", "时间：tada：", nil),
      ("zh-Hans", "９：100：30", nil), ("zh-Hans", "好：tada：", nil), ("zh-Hans", "（：tada：）", "（🎉）"),
      ("zh-Hans", "好 ：tada： 好", "好 🎉 好"), ("zh-Hans", "好:tada:好", "好🎉好"),
    ] as [(String, String, String?)])
  func `colons of times, addresses and prose stay`(tag: String, typed: String, sent: String?) {
    #expect(EmojiNames(tag: tag).replacingNames(in: typed) == sent ?? typed)
  }

  @Test func `names of the language work beside the English ones`() {
    #expect(EmojiNames(tag: "fr").replacingNames(in: ":tada:") == "🎉")
    #expect(EmojiNames(tag: "zh-Hans").replacingNames(in: ":tada:") == "🎉")
  }

  @Test func `a grave accent without another one is no code`() {
    #expect(english.replacingNames(in: "it`s :tada:") == "it`s 🎉")
    #expect(english.replacingNames(in: "`a` :tada: `:tada:`") == "`a` 🎉 `:tada:`")
  }

  @Test func `a long text with thousands of names is looked through once`() {
    let text = (0..<5000).map { ":name\($0):" }.joined(separator: " ")
    #expect(english.replacingNames(in: text) == text)
  }
}
