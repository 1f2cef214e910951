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
}
