import Testing

@testable import NatterCore

@Suite struct MentionTests {
  @Test(arguments: [
    ("alice", "alice: hello", true), ("alice", "Hello ALICE!", true), ("alice", "malice", false),
    ("alice", "alices", false), ("alice", "@alice", true), ("alice", "(alice)", true),
    ("alice", "alice_", false), ("alice", "", false), ("", "alice", false),
    ("Al Ice", "hi al ice,", true), ("李", "李 你好", true), ("ß", "straße", false),
    ("alice", "malice alice", true), ("alice", "alic", false),
  ])
  func `a name counts as a word of its own`(nick: String, text: String, isMention: Bool) {
    #expect(Mention.contains(nick, in: text) == isMention)
  }

  /// A character that has no part in the mentions makes the search one by characters.
  @Test(arguments: [
    ("alice", "Alice, alice and malice: ALICE", ["Alice", "alice", "ALICE"]),
    ("-a", "-A-a b-a", ["-A", "-a"]), ("a b", "a b a b a", ["a b", "a b"]),
    ("a", "a\r\na", ["a", "a"]),
    ("x_1", "x_1 x_12 (X_1)", ["x_1", "X_1"]),
  ])
  func `a mention is found alike among bytes and among characters`(
    nick: String, text: String, mentions: [String]
  ) {
    for text in [text, text + " é", text + "\r\né"] {
      #expect(Mention.ranges(of: nick, in: text).map { String(text[$0]) } == mentions)
    }
  }

  @Test(arguments: ["a", "é"])
  func `a nick over the limit is not looked for`(letter: String) {
    let longest = String(repeating: letter, count: Mention.nickLimit)
    #expect(Mention.contains(longest, in: "hello \(longest)!"))
    #expect(!Mention.contains(longest + letter, in: "hello \(longest + letter)!"))
  }

  @Test(arguments: ["K", "k", "\u{212A}"])
  func `letters that are the same in lower case are the same`(letter: String) {
    #expect(Mention.contains("kay", in: "\(letter)ay"))
  }
}
