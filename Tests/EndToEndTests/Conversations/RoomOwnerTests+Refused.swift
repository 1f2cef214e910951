import TestSupport
import Testing

extension Conversations.RoomOwnerTests {
  // What the servers do: by default anybody changes the subject at ejabberd, and only moderators at
  // the others; a member invites to a room for members at none of them. Whom nobody knows, the
  // server refuses for, as with any message.
  @Test(arguments: ServerKind.allCases)
  func `a refused subject or invitation is reported, and one to an unknown address, too`(
    kind: ServerKind
  ) async throws {
    let alice = try await TestAccount("alice", on: kind)
    let bob = try await TestAccount("bob", on: kind)
    let carol = try await TestAccount("carol", on: kind)
    let room = room(on: alice.server)
    let owner = try await alice.slixmpp()
    try await join(room, as: "alice", by: owner)
    let settings = try await owner.ask(
      "set",
      """
      <query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' \
      type='submit'><field var='FORM_TYPE'><value>http://jabber.org/protocol/muc#roomconfig\
      </value></field><field var='muc#roomconfig_membersonly'><value>1</value></field>\
      <field var='muc#roomconfig_changesubject'><value>0</value></field></x></query>
      """, of: room)
    #expect(settings.contains("type=\"result\""), "\(settings)")
    let membership = try await owner.ask(
      "set",
      """
      <query xmlns='http://jabber.org/protocol/muc#admin'><item jid='\(carol.jid)' \
      affiliation='member'/></query>
      """, of: room)
    #expect(membership.contains("type=\"result\""), "\(membership)")

    let natter = try carol.natter()
    try await natter.waitsOnline()
    try await natter.say("/join \(room)")
    try await natter.shows("2 people")
    try await natter.enter("/topic Day")
    // The text is there for another try, and may be so before it was seen to be gone.
    try await natter.shows("You are not allowed to do that.", "> /topic Day")
    natter.terminal.press(.end, .control("u"))
    try await natter.say("/invite \(bob.jid) please")
    try await natter.shows("\(bob.jid) was not invited:")

    let own = self.room(on: alice.server)
    try await natter.say("/join \(own)")
    try await natter.shows("The room is new", "1 person")
    try await natter.say("/topic Night")
    try await natter.shows("set the topic: Night")
    let nobody = "nobody.\(carol.jid)"
    try await natter.say("/invite \(nobody)")
    try await natter.shows("\(nobody) was not invited:", "Not delivered")
    #expect(await natter.quit() == .exited(0))
    await owner.signOut()
  }
}
