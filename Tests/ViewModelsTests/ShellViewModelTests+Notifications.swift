import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

// The messages that cause notifications, and those that ring the bell.
extension ShellViewModelTests {
  @Test func `the bell rings for what the user is not looking at, at most once a second`() async {
    let shell = await shell()
    var bells = 0
    shell.onBell = { bells += 1 }
    shell.handle(.messagesStored([message(5, "seen")]))
    #expect(bells == 0)
    shell.handle(.messagesStored([message(6, "psst", from: .chloe, in: .chloe)]))
    shell.handle(.messagesStored([message(7, "psst", from: .chloe, in: .chloe)]))
    #expect(bells == 1)
    now.date += 2
    shell.timeline.isAttended = false
    shell.handle(.messagesStored([message(8, "unseen")]))
    #expect(bells == 2)
    now.date += 2
    shell.handle(.messagesStored([message(9, "mine", from: .alice)]))
    #expect(bells == 2)
  }

  @Test func `the bell's setting silences the bell alone; notifications go by the rules`() async {
    var rule = NotificationRule.standard
    var actions = ShellActions.forTests()
    var store = NotificationStore()
    store.rule = { _ in rule }
    actions.notifications = ConversationNotifications(store)
    let shell = await shell(actions)
    var bells = 0
    var reported: [String] = []
    shell.onBell = { bells += 1 }
    shell.onNotify = { reported.append($0.text) }
    shell.bell = .never
    shell.handle(.messagesStored([message(6, "told", from: .chloe, in: .chloe)]))
    rule = .all
    shell.handle(.messagesStored([message(7, "told too", from: .chloe, in: .chloe)]))
    rule = .none
    shell.handle(.messagesStored([message(8, "not told", from: .chloe, in: .chloe)]))
    timers.fire()
    #expect(bells == 0 && reported == ["told", "told too"])
    timers.fire()
    (rule, shell.bell) = (.standard, .mention)
    shell.handle(.messagesStored([message(9, "both", from: .chloe, in: .chloe)]))
    #expect(bells == 1 && reported.last == "both")
    now.date += 2
    rule = .none
    shell.handle(.messagesStored([message(10, "neither", from: .chloe, in: .chloe)]))
    #expect(bells == 1 && reported.count == 3)
    // One's name in a conversation with one person is that of the address.
    now.date += 2
    rule = .mentions
    shell.handle(.messagesStored([message(11, "anything", from: .chloe, in: .chloe)]))
    shell.handle(.messagesStored([message(12, "Alice, look", from: .chloe, in: .chloe)]))
    timers.fire()
    #expect(reported.last == "Alice, look" && !reported.contains("anything"))
  }

  @Test func `a burst of messages notifies at its beginning, and once more at its end`()
    async
  {
    let shell = await shell()
    var reported: [String] = []
    shell.onNotify = { reported.append($0.text) }
    func hear(_ ids: ClosedRange<Int64>, unread: Int) {
      for id in ids {
        shell.handle(.messagesStored([message(id, "no \(id)", from: .chloe, in: .chloe)]))
      }
      shell.handle(
        .conversationsChanged([Conversation(jid: .chloe, kind: .direct, unread: unread)]))
    }
    hear(6...25, unread: 20)
    #expect(reported == ["no 6"])
    timers.fire()
    #expect(reported == ["no 6", "no 25"])
    // Messages that were read by then cause no notification.
    hear(26...30, unread: 25)
    hear(31...31, unread: 0)
    timers.fire()
    #expect(reported == ["no 6", "no 25"])
    hear(32...32, unread: 1)
    #expect(reported.last == "no 32")
    timers.fire()
    #expect(reported.count == 3 && timers.count == 0)
  }

  @Test func `of messages from many strangers at once only some notify`() async {
    let shell = await shell()
    var reported = 0
    shell.onNotify = { _ in reported += 1 }
    for number in Int64(1)...200 {
      let stranger = JID(local: "s\(number)", domain: "evil.test")
      shell.handle(.messagesStored([message(100 + number, "hi", from: stranger, in: stranger)]))
    }
    #expect(reported == DesktopNotification.mostAtOnce)
    // Contacts are not kept out by them.
    let friend = JID(local: "friend", domain: "example.org")
    shell.handle(.contactsChanged([Contact(jid: friend)]))
    shell.handle(.messagesStored([message(350, "psst", from: friend, in: friend)]))
    #expect(reported == DesktopNotification.mostAtOnce + 1)
    timers.fire()
    shell.handle(.messagesStored([message(400, "psst", from: .chloe, in: .chloe)]))
    #expect(reported == DesktopNotification.mostAtOnce + 2)
  }

  @Test(arguments: [false, true])
  func `what many strangers wrote is kept of some of them, and only its beginning`(
    isCatchingUp: Bool
  ) async {
    let shell = await shell()
    let friend = JID(local: "friend", domain: "example.org")
    shell.handle(.contactsChanged([Contact(jid: friend)]))
    if isCatchingUp { shell.handle(.catchUpChanged(isRunning: true)) }
    let long = String(repeating: "x", count: 3 * Message.bodyLimit)
    for number in Int64(1)...200 {
      let stranger = JID(local: "s\(number)", domain: "evil.test")
      shell.handle(.messagesStored([message(100 + number, long, from: stranger, in: stranger)]))
    }
    shell.handle(.messagesStored([message(350, "psst", from: friend, in: friend)]))
    let kept = (isCatchingUp ? shell.heldBells : shell.reportedLately)?.messages ?? [:]
    #expect(kept.count == DesktopNotification.mostAtOnce + 1)
    #expect(kept[friend]?.body == "psst")
    #expect(kept.values.allSatisfy { $0.body.utf8.count <= Message.bodyLimit })
    timers.fire()
    #expect(shell.reportedLately.isEmpty)
  }

  @Test func `a stranger notifies beside many contacts who write at once`() async {
    let shell = await shell()
    var reported = 0
    shell.onNotify = { _ in reported += 1 }
    let friends = (Int64(1)...30).map { JID(local: "f\($0)", domain: "example.org") }
    shell.handle(.contactsChanged(friends.map { Contact(jid: $0) }))
    for (number, friend) in friends.enumerated() {
      shell.handle(
        .messagesStored([message(100 + Int64(number), "hi", from: friend, in: friend)]))
    }
    let stranger = JID(local: "stranger", domain: "example.org")
    shell.handle(.messagesStored([message(350, "hello", from: stranger, in: stranger)]))
    #expect(reported == friends.count + 1)
  }

  @Test func `nicks of a room count like strangers, the room itself does not`() async {
    let shell = await shell()
    var reported = 0
    shell.onNotify = { _ in reported += 1 }
    let room = JID(local: "den", domain: "rooms.example.org")
    shell.handle(.roomsChanged([Room(jid: room, nick: "al", phase: .inside)]))
    for number in Int64(1)...200 {
      let nick = JID(local: room.local, domain: room.domain, resource: "n\(number)")
      shell.handle(.messagesStored([message(100 + number, "hi", from: nick, in: nick)]))
    }
    #expect(reported == DesktopNotification.mostAtOnce)
    #expect(shell.people.isKnown(room))
  }
}
