import NatterCore
import Testing

@Suite struct RoomMembershipTests {
  @Test(
    arguments: [
      ("al", "me", true), ("alice", "other", false), ("alice", nil, true), ("al", nil, false),
      (nil, "me", false),
    ] as [(String?, String?, Bool)])
  func `the lasting id shows what is one's own, and the nick where there is none`(
    nick: String?, occupantID: String?, isOwn: Bool
  ) {
    let view = RoomMembership(nick: "alice", occupantID: "me")
    #expect(view.isOwn(nick: nick, occupantID: occupantID) == isOwn)
  }

  @Test func `a room without lasting ids knows nicks only`() {
    let view = RoomMembership(nick: "alice")
    #expect(view.isOwn(nick: "alice", occupantID: "other"))
    #expect(!view.isOwn(nick: "bob", occupantID: "other"))
  }
}
