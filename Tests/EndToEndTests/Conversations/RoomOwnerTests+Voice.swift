import TestSupport
import Testing

extension Conversations.RoomOwnerTests {
  // The behaviour of servers: ejabberd accepts one request in half an hour of an account, and
  // answers the next with an error; it and Prosody find the occupant of an answer by the whole
  // address in the form, not by the nick. Prosody accepts any form of a moderator as an answer. In
  // all three, messages of a visitor are returned as forbidden.
  @Test(arguments: ServerKind.allCases)
  func `a visitor asks to speak, and a moderator allows it, or not`(kind: ServerKind)
    async throws
  {
    let alice = try await TestAccount("alice", on: kind)
    let carol = try await TestAccount("carol", on: kind)
    let room = room(on: alice.server)
    let owner = try alice.natter()
    try await owner.waitsOnline()
    try await owner.say("/join \(room)")
    try await owner.shows("The room is new", "1 person")
    try await owner.enter("/voice")
    try await owner.shows("You can speak here already.")
    // It is back in the input.
    owner.terminal.press(.control("u"))
    let guest = try carol.natter()
    try await guest.waitsOnline()
    try await guest.say("/join \(room)")
    try await guest.shows("2 people")
    try await owner.shows("2 people")

    try await owner.say("/role visitor \(carol.name)")
    try await guest.shows("You can no longer speak here. Ask with /voice.")
    try await guest.say("can you hear me")
    try await guest.shows("Not sent:", "ask to speak with /voice")
    try await guest.say("/voice")
    try await guest.shows("are asked to let you speak")
    try await owner.shows("REQUESTS", "\(carol.name) (\(carol.jid)) asks")
    try await owner.opensFirstRequest()
    try await guest.shows("You can speak here now.")
    try await owner.hides("REQUESTS")
    owner.terminal.press(.control("g"))

    try await owner.say("/role visitor \(carol.name)")
    try await owner.shows("can only listen here now.")
    try await guest.expects("that it was told twice") {
      $0.lines.count { $0.contains("You can no longer speak here.") } == 2
    }
    // Refused, it comes back, and may do so before it was seen to be gone.
    try await guest.enter("/voice")
    if kind == .ejabberd {
      try await guest.shows("The moderators were not asked.", "wait for a while")
    } else {
      try await owner.shows("REQUESTS")
      try await owner.opensFirstRequest(by: .delete)
      try await owner.hides("REQUESTS")
      owner.terminal.press(.control("g"))
    }
    // After the refusal, the role is as before.
    try await owner.say("/affiliation member \(carol.jid)")
    try await owner.shows("\(carol.jid) is now: member.")
    #expect(guest.count(of: "You can speak here now.") == 1)
    #expect(await guest.quit() == .exited(0))
    #expect(await owner.quit() == .exited(0))
  }
}
