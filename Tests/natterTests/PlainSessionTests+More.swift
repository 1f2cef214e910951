import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import natter

// The commands of the full screen and of other clients in line mode.
extension PlainSessionTests {
  @Test func `every command of the full screen works, or says what to use instead`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    for command in CommandTable.all where command.name != "quit" {
      for name in [command.name] + command.aliases {
        let count = lines.all.count
        #expect(await session.take("/\(name)"))
        #expect(!lines.all.dropFirst(count).contains { $0.contains("no command") }, "\(name)")
        // These have their answer from the connection.
        let isSilent = ["connect", "disconnect"].contains(command.name)
        #expect(isSilent || lines.all.count > count, "\(name)")
      }
    }
  }

  @Test(arguments: [
    ("logout", "'natter logout alice@natter.test'"), ("account", "natter --plain --account"),
    ("lang fr", "natter --plain --lang"), ("split", "/split works only in the full screen"),
    ("configure", "/config works only in the full screen"), ("grep rose", "Try /search."),
    ("reaction +1", "no command /reaction"),
  ])
  func `what line mode has not names a way on`(typed: String, reported: String) async throws {
    let lines = Lines()
    let session = try await session(lines)
    #expect(await session.take("/\(typed)"))
    #expect(lines.all.last?.contains(reported) == true, "\(lines.all)")
  }

  @Test func `messages that contain a text are printed`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    #expect(await session.take("/find rose"))
    #expect(lines.all.last?.hasPrefix("No conversation is open.") == true)
    #expect(await session.take("/chat bob@natter.test"))
    for text in ["the rose is red", "a violet", "another rose"] {
      #expect(await session.take(text))
    }
    for command in ["find", "lastlog", "search"] {
      #expect(await session.take("/\(command) rose"))
      #expect(lines.all.suffix(2).first?.hasSuffix(", you: the rose is red") == true)
      #expect(lines.all.last?.hasSuffix(", you: another rose") == true, "\(lines.all)")
    }
    #expect(await session.take("/find tulip"))
    #expect(lines.all.last == "Nothing found: tulip")
    #expect(await session.take("/find"))
    #expect(lines.all.last?.contains("/search TEXT") == true)
  }

  @Test func `the own presence is set, and shown`() async throws {
    let lines = Lines()
    var presence: (any PresenceReading & PresenceSetting)?
    let session = try await session(lines) { ports in presence = ports.presence }
    let own = try #require(presence)
    #expect(await session.take("/dnd reading"))
    #expect(lines.all.last == "You will be busy once you are connected.")
    #expect(await own.ownPresence().status == "reading")
    for (typed, availability) in [
      ("/away", Availability.away), ("/status xa", .extendedAway), ("/back", .online),
    ] {
      #expect(await session.take(typed))
      #expect(await own.ownPresence().availability == availability)
    }
    #expect(await session.take("/status dancing"))
    #expect(lines.all.last?.contains("\"dancing\" is not a status") == true)
    for typed in ["/status", "/ping"] {
      let count = lines.all.count
      #expect(await session.take(typed))
      #expect(lines.all.dropFirst(count).first?.hasPrefix("Offline.") == true, "\(lines.all)")
    }
    #expect(await session.take("/version"))
    #expect(lines.all.last?.contains(ClientIdentity.version) == true)
  }

  @Test func `the notification rule of a conversation is kept`() async throws {
    let lines = Lines()
    var rules: [JID: NotificationRule] = [:]
    var ends: [JID: Date] = [:]
    var published: [NotificationRule] = []
    let session = try await session(lines, beginning: bob) { ports in
      var store = NotificationStore()
      store.rule = { rules[$0] ?? .standard }
      store.setRule = { rules[$0] = $1 }
      store.ends = { ends }
      store.setEnd = { ends[$0] = $1 }
      store.publish = { published.append($1) }
      ports.notifications = PlainNotifications(rules: ConversationNotifications(store))
    }
    #expect(await session.take("/mute"))
    #expect(rules == [bob: NotificationRule.none])
    #expect(lines.all.last == "Line mode prints its messages all the same.")
    #expect(await session.take("/mute"))
    #expect(rules == [bob: .standard])
    #expect(await session.take("/notify mentions"))
    #expect(rules == [bob: .mentions])
    #expect(await session.take("/notify never"))
    #expect(rules == [bob: .mentions])
    #expect(lines.all.last?.contains("never") == true)
    // For a time, no other client of the account is concerned.
    #expect(published == [.none, .standard, .mentions])
    #expect(await session.take("/mute 8h"))
    #expect(lines.all.suffix(2).first?.hasPrefix("This conversation is muted until ") == true)
    #expect(rules == [bob: .mentions] && ends.keys.contains(bob))
    #expect(await session.take("/mute soon"))
    #expect(lines.all.last?.contains("\"soon\"") == true)
    #expect(await session.take("/unmute"))
    #expect(ends.isEmpty && published.count == 3)
    #expect(await session.take("/unmute"))
    #expect(lines.all.last == "This conversation is not muted.")
  }

  @Test func `keywords that notify are listed and changed, without a conversation`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    for (typed, printed) in [
      ("word", "No keywords notify you. /notify word add WORD adds one."),
      ("word add rose", "Messages with \"rose\" now notify you."),
      ("word add Tulip", "Messages with \"Tulip\" now notify you."),
      ("word remove ROSE", "Messages with \"rose\" no longer notify you."),
      ("word list", "Messages with these keywords notify you: Tulip"),
    ] {
      #expect(await session.take("/notify \(typed)"))
      #expect(lines.all.last == printed)
    }
    #expect(await session.take("/notify word remove rose"))
    #expect(lines.all.last?.hasPrefix("\"rose\" is not among the keywords") == true)
    #expect(try await database.settings.values()[NotifyKeywords.key] == "Tulip")
  }

  @Test func `a rule that another client chose for a room is kept`() async throws {
    let lines = Lines()
    var taken: [NotificationRule] = []
    let session = try await session(lines) { ports in
      ports.notifications = PlainNotifications(take: { rule, _ in taken.append(rule) })
    }
    let room = JID(local: "den", domain: "rooms.natter.test")
    session.handle(.roomNotificationChanged(room, .never))
    session.handle(.roomNotificationChanged(room, nil))
    #expect(taken == [.none, .standard] && lines.all == [])
  }

  @Test func `conversations are listed, opened by their number, and closed`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    let carol = JID(local: "carol", domain: "natter.test")
    for jid in [carol, bob] { _ = try await database.conversations.open(jid, kind: .direct) }
    for command in ["window", "buffer", "chats"] {
      #expect(await session.take("/\(command)"))
      #expect(lines.all.suffix(2) == ["1: bob@natter.test", "2: carol@natter.test"])
    }
    #expect(await session.take("/window 2"))
    #expect(session.current == carol)
    for number in ["3", "0", "-1", "\(Int.min)"] {
      #expect(await session.take("/window \(number)"))
      #expect(lines.all.last?.contains("with the number \(number)") == true)
    }
    // A conversation that is new since the list does not move the others.
    let abel = JID(local: "abel", domain: "natter.test")
    _ = try await database.conversations.open(abel, kind: .direct)
    #expect(await session.take("/window 1"))
    #expect(session.current == bob)
    #expect(await session.take("/window 3"))
    #expect(session.current == bob && lines.all.last?.contains("the number 3") == true)
    #expect(await session.take("/window"))
    #expect(await session.take("/window 3"))
    #expect(session.current == carol)
    try await database.conversations.hide(abel)
    #expect(await session.take("/buffer bob@natter.test"))
    #expect(session.current == bob)
    #expect(await session.take("/close"))
    #expect(session.current == nil)
    #expect(try await database.conversations.conversations().map(\.jid) == [carol])
    #expect(lines.all.last?.contains("/chat bob@natter.test") == true)
  }

  @Test func `contacts are listed with what is known of their presence`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    #expect(await session.take("/contacts"))
    #expect(lines.all.last?.contains("/add ADDRESS") == true)
    session.handle(.contactsChanged([Contact(jid: bob, name: "Robert")]))
    for typed in ["/contacts", "/whois Robert", "/version Robert", "/ping robert"] {
      #expect(await session.take(typed))
      #expect(lines.all.last == "Robert (bob@natter.test): ?", "\(typed)")
    }
    #expect(await session.take("/whois carol@other.test"))
    #expect(lines.all.last?.hasPrefix("carol@other.test: not a contact yet") == true)
    // Removed meanwhile, by another client for example.
    session.handle(.contactsRemoved([bob]))
    #expect(await session.take("/contacts"))
    #expect(lines.all.last?.contains("/add ADDRESS") == true)
    #expect(await session.take("/whois Robert"))
    #expect(lines.all.last?.hasPrefix("No contact is called Robert.") == true)
    #expect(await session.take("/whois bob@natter.test"))
    #expect(lines.all.last?.hasPrefix("bob@natter.test: not a contact yet") == true)
  }

  @Test func `a text is sent as it is, or as a reply`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, beginning: bob, in: database)
    #expect(await session.take("/say /usr is a path"))
    #expect(await session.take("/reply too early"))
    #expect(lines.all.last == "No messages here yet.")
    _ = try await database.messages.insert([
      IncomingMessage(
        conversation: bob, sender: bob, body: "why?", sentAt: Date(), originID: "i1",
        stanzaID: "i1", isDelayed: false)
    ]) { _ in true }
    #expect(await session.take("/quote because"))
    let queued = try await database.outbox.queued()
    #expect(queued.map(\.body) == ["/usr is a path", "because"])
    #expect(queued.last?.reply != nil)
  }
}
