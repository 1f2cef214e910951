import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct ConversationStoreTests {
  @Test func `unread counts what counts, from the earliest of it`() async throws {
    let account = try await AccountDatabase.inMemory()
    let (messages, changed) = try await account.messages.insert(
      [
        Sample.message("later", at: 5), Sample.message("earlier", at: 2),
        Sample.message("not counted", at: 1),
        Sample.message("mine", at: 0, from: Sample.romeo, direction: .outgoing),
      ], countsUnread: { $0.body != "not counted" }
    ).parts
    #expect(changed.map(\.unread) == [2])
    #expect(changed[0].firstUnread == messages[1].position)
    #expect(changed[0].lastActivity == Sample.date(5))
    let (_, again) = try await account.messages.insert(
      [Sample.message("third", at: 7)], countsUnread: { _ in true }
    ).parts
    #expect(again[0].unread == 3 && again[0].firstUnread == messages[1].position)

    let read = try await account.conversations.markRead(Sample.juliet)
    #expect(read?.unread == 0 && read?.firstUnread == nil)
    #expect(try await account.conversations.conversation(Sample.phone) == read)
    #expect(try await account.conversations.markRead(Sample.room) == nil)
  }

  @Test func `private messages from a room that is not known here are no one else's`() async throws
  {
    let account = try await AccountDatabase.inMemory()
    let room = JID(local: "verona", domain: "rooms.example.org")
    let bob = try #require(room.with(resource: "bob"))
    func says(_ body: String, _ conversation: JID) -> IncomingMessage {
      IncomingMessage(
        conversation: conversation, sender: bob, body: body, sentAt: Date(timeIntervalSince1970: 1),
        originID: body, stanzaID: nil, isDelayed: true)
    }
    _ = try await account.messages.insert([says("psst", bob)]) { _ in true }
    #expect(try await account.conversations.conversation(bob)?.jid == bob)
    #expect(try await account.conversations.conversation(room) == nil)
    // The room that is entered later has nothing of it.
    _ = try await account.bookmarks.openConversation(of: room, name: nil)
    #expect(try await account.timeline.latest(9, in: room).isEmpty)
    _ = try await account.messages.insert([says("again", bob)]) { _ in true }
    #expect(try await account.timeline.latest(9, in: bob).map(\.body) == ["psst", "again"])
    // Nor where the room spoke in its own name before it was known to be one.
    let padua = JID(local: "padua", domain: "rooms.example.org")
    let eve = try #require(padua.with(resource: "eve"))
    _ = try await account.messages.insert([
      IncomingMessage(
        conversation: padua, sender: padua, body: "welcome", sentAt: Sample.date(1),
        originID: "w", stanzaID: nil, isDelayed: true),
      IncomingMessage(
        conversation: eve, sender: eve, body: "to you alone", sentAt: Sample.date(2),
        originID: "t", stanzaID: nil, isDelayed: true),
    ]) { _ in true }
    #expect(try await account.timeline.latest(9, in: padua).map(\.body) == ["welcome"])
    #expect(try await account.timeline.latest(9, in: eve).map(\.body) == ["to you alone"])
    // A contact who has written under the bare address is not a room, whatever their clients send.
    let juliet = try #require(Sample.juliet.bare.with(resource: "phone"))
    _ = try await account.conversations.open(Sample.juliet.bare, kind: .direct)
    _ = try await account.messages.insert([says("hello", juliet)]) { _ in true }
    #expect(
      try await account.timeline.latest(9, in: Sample.juliet.bare).map(\.body) == ["hello"])
  }

  @Test func `opening makes it once and shows it again`() async throws {
    let account = try await AccountDatabase.inMemory()
    let made = try await account.conversations.open(Sample.phone, kind: .direct)
    #expect(made == Conversation(jid: Sample.juliet))
    try await account.conversations.hide(Sample.juliet)
    #expect(try await account.conversations.conversations().isEmpty)
    #expect(try await account.conversations.hiddenConversations() == [made])
    #expect(try await account.conversations.conversation(Sample.juliet) == made)
    #expect(try await account.conversations.open(Sample.juliet, kind: .direct) == made)
    #expect(try await account.conversations.conversations() == [made])
    #expect(try await account.conversations.open(Sample.juliet, kind: .room).kind == .room)
    // It stays one: what is for somebody in it alone is never cut to its address.
    try await account.conversations.hide(Sample.juliet)
    #expect(try await account.conversations.open(Sample.juliet, kind: .direct).kind == .room)
    #expect(
      try await account.conversations.open(Sample.phone, kind: .direct).jid == Sample.phone)
    try await account.conversations.hide(Sample.room)
  }

  @Test func `what a room says of itself does not bring it back once it is hidden`() async throws {
    let account = try await AccountDatabase.inMemory()
    let made = try await account.bookmarks.learnConversation(of: Sample.room, name: nil)
    #expect(made == Conversation(jid: Sample.room, kind: .room))
    #expect(try await account.conversations.conversations().count == 1)
    try await account.conversations.hide(Sample.room)
    #expect(
      try await account.bookmarks.learnConversation(of: Sample.room, name: "Balcony") == nil)
    #expect(try await account.conversations.conversations().isEmpty)
    // Opened by the user it is there, under the name that was learnt meanwhile.
    let opened = try await account.bookmarks.openConversation(of: Sample.room, name: nil)
    #expect(opened.name == "Balcony")
    #expect(try await account.conversations.conversations() == [opened])
  }

  @Test func `a message brings a hidden conversation back with its past`() async throws {
    let account = try await AccountDatabase.inMemory()
    _ = try await account.messages.insert([Sample.message("a")], countsUnread: { _ in true })
    try await account.conversations.hide(Sample.juliet)
    _ = try await account.messages.insert([Sample.message("b", at: 1)], countsUnread: { _ in true })
    #expect(try await account.conversations.conversations().map(\.unread) == [1])
    #expect(try await account.timeline.latest(9, in: Sample.juliet).map(\.body) == ["a", "b"])
  }

  @Test func `a draft is kept until it is emptied`() async throws {
    let account = try await AccountDatabase.inMemory()
    try await account.conversations.setDraft("", of: Sample.juliet)
    #expect(try await account.conversations.conversation(Sample.juliet) == nil)
    try await account.conversations.setDraft("half a sen\n", of: Sample.juliet)
    #expect(try await account.conversations.conversations().map(\.draft) == ["half a sen\n"])
    try await account.conversations.setDraft("", of: Sample.juliet)
    #expect(try await account.conversations.conversations().map(\.draft) == [""])
  }

  @Test func `the history is oldest first, without repetitions in a row, and of limited length`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    #expect(try await account.conversations.inputHistory(of: Sample.juliet, limit: 5).isEmpty)
    for text in ["a", "b", "b", "", "a"] {
      try await account.conversations.appendToInputHistory(text, of: Sample.juliet)
    }
    try await account.conversations.appendToInputHistory("elsewhere", of: Sample.room)
    #expect(
      try await account.conversations.inputHistory(of: Sample.juliet, limit: 9) == ["a", "b", "a"])
    #expect(
      try await account.conversations.inputHistory(of: Sample.juliet, limit: 2) == ["b", "a"])
    #expect(try await account.conversations.inputHistory(of: Sample.juliet, limit: -1).isEmpty)
    for number in 1...ConversationStore.historyLimit + 3 {
      try await account.conversations.appendToInputHistory("\(number)", of: Sample.juliet)
    }
    let all = try await account.conversations.inputHistory(of: Sample.juliet, limit: 10_000)
    #expect(all.count == ConversationStore.historyLimit)
    #expect(all.first == "4" && all.last == "\(ConversationStore.historyLimit + 3)")
  }
}

@Suite struct RosterStoreTests {
  static let juliet = Contact(
    jid: Sample.juliet, name: "Juliet", subscription: .both, groups: ["Friends", "Capulets"])
  static let nurse = Contact(
    jid: JID(local: "nurse", domain: "example.org"), subscription: .none, isPending: true)

  @Test func `a new account has no contacts and no version`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    #expect(try await roster.contacts().isEmpty)
    #expect(try await roster.rosterVersion() == nil)
  }

  @Test func `the parts of a profile are stored one independently of the other`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    let juliet = Sample.juliet
    #expect(try await roster.profile(of: juliet) == nil)
    try await roster.addProfile(of: juliet)
    #expect(try await roster.profile(of: juliet) == Profile())
    try await roster.setNickname("Jule", of: juliet)
    try await roster.setAvatarID("ab", of: juliet)
    try await roster.addProfile(of: juliet)
    #expect(try await roster.profile(of: juliet) == Profile(nickname: "Jule", avatarID: "ab"))
    try await roster.setNickname(nil, of: juliet)
    #expect(try await roster.addAvatarID("cd", of: juliet) == "ab")
    #expect(try await roster.profile(of: juliet) == Profile(avatarID: "ab"))
    try await roster.setNickname("Jule", of: juliet)
    try await roster.setAvatarID(nil, of: juliet)
    #expect(try await roster.addAvatarID("cd", of: juliet) == "cd")
    #expect(try await roster.profile(of: juliet) == Profile(nickname: "Jule", avatarID: "cd"))
    #expect(try await roster.addAvatarID("ef", of: Self.nurse.jid) == "ef")
    try await roster.setAvatarID("01", of: Self.nurse.jid)
    #expect(try await roster.profile(of: Self.nurse.jid) == Profile(avatarID: "01"))
  }

  @Test func `a full roster replaces what was there`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    try await roster.replaceContacts([Self.nurse, Self.juliet], version: "v1")
    #expect(try await roster.contacts() == [Self.juliet, Self.nurse])
    #expect(try await roster.rosterVersion() == "v1")
    try await roster.replaceContacts([Self.nurse], version: "")
    #expect(try await roster.contacts() == [Self.nurse])
    #expect(try await roster.rosterVersion() == "")
  }

  @Test func `a push changes one contact and the version`() async throws {
    let roster = try await AccountDatabase.inMemory().roster
    try await roster.replaceContacts([Self.juliet], version: "v1")
    var changed = Self.juliet
    changed.name = nil
    changed.groups = ["Friends", "Friends"]
    try await roster.saveContact(changed, version: "v2")
    try await roster.saveContact(Self.nurse, version: "v3")
    #expect(try await roster.contacts() == [changed, Self.nurse])
    try await roster.removeContact(Sample.tablet, version: nil)
    #expect(try await roster.contacts() == [Self.nurse])
    #expect(try await roster.rosterVersion() == nil)
    try await roster.removeContact(Sample.juliet, version: "v4")
    #expect(try await roster.rosterVersion() == "v4")
  }
}

@Suite struct SettingsStoreTests {
  @Test func `a setting is kept, replaced and taken out`() async throws {
    let settings = try await AccountDatabase.inMemory().settings
    #expect(try await settings.value(for: "a") == nil)
    try await settings.setValue("1", for: "a")
    try await settings.setValue("2", for: "a")
    try await settings.setValue("", for: "b")
    #expect(try await settings.values() == ["a": "2", "b": ""])
    try await settings.setValue(nil, for: "a")
    try await settings.setValue(nil, for: "a")
    #expect(try await settings.value(for: "a") == nil)
  }
}
