import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct TimelineViewModelTests {
  let now = ManualNow(.afternoon)

  func timeline(_ ports: FakePorts, _ lifetime: Lifetime) -> TimelineViewModel {
    TimelineViewModel(
      format: testFormat(), archive: ports, lifetime: lifetime, now: { now.date })
  }

  /// The rows in short: day lines as `-`, the "new" line as `= 3`.
  func outline(_ viewModel: TimelineViewModel) -> [String] {
    viewModel.items.map { item in
      switch item.kind {
      case .day: "- " + item.body
      case .new: "= " + item.body
      case .notice, .hole: "~ " + item.body
      case .message, .action:
        [item.time, item.sender, item.body, item.tickText].filter { !$0.isEmpty }
          .joined(separator: " ")
      }
    }
  }

  @Test func `opening loads the newest page and follows with what is announced`() async {
    let ports = FakePorts(messages: [message(1, "one"), message(2, "two", at: 1)])
    let lifetime = Lifetime()
    let viewModel = timeline(ports, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.handle(.messagesStored([message(3, "three", at: 9)]))
    #expect(
      outline(viewModel) == [
        "- Friday 20 November", "14:00 bob one", "14:01 two", "14:09 bob three",
      ])
  }

  @Test func `a message that is both loaded and announced is shown once, in its newer form`() async
  {
    let ports = FakePorts(messages: [message(1, "hi", from: .alice, delivery: .queued)])
    let lifetime = Lifetime()
    let viewModel = timeline(ports, lifetime)
    viewModel.show(Conversation(jid: .bob))
    // The page was read before the change, and arrives after it.
    viewModel.handle(.messagesChanged([message(1, "hi", from: .alice, delivery: .sent)]))
    viewModel.handle(.messagesStored([message(2, "you?", at: 1)]))
    await lifetime.settle()
    #expect(
      outline(viewModel) == ["- Friday 20 November", "14:00 you hi v", "14:01 bob you?"])
  }

  @Test func `what has arrived is not taken back by older news`() async {
    let ports = FakePorts(messages: [message(1, "hi", from: .alice, delivery: .queued)])
    let lifetime = Lifetime()
    let viewModel = timeline(ports, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    for delivery in [Delivery.delivered, .sent, .queued] {
      viewModel.handle(.messagesChanged([message(1, "hi", from: .alice, delivery: delivery)]))
    }
    #expect(outline(viewModel) == ["- Friday 20 November", "14:00 you hi v"])
    #expect(viewModel.items.last?.tick == .delivered)
    for delivery in [Delivery.read, .delivered] {
      viewModel.handle(.messagesChanged([message(1, "hi", from: .alice, delivery: delivery)]))
    }
    #expect(outline(viewModel) == ["- Friday 20 November", "14:00 you hi vv"])
  }

  @Test func `messages go to their positions by time, whatever order they come in`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let all = [message(1, "a"), message(2, "b", at: 1), message(3, "c", at: 2)]
    for order in [[2, 0, 1], [1, 2, 0], [2, 1, 0]] {
      viewModel.show(Conversation(jid: .bob))
      await lifetime.settle()
      for index in order { viewModel.handle(.messagesStored([all[index]])) }
      #expect(viewModel.items.filter { $0.kind == .message }.map(\.body) == ["a", "b", "c"])
    }
  }

  @Test func `a message of another conversation changes nothing`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.invalidation.lower()
    viewModel.handle(.messagesStored([message(1, "psst", from: .chloe, in: .chloe)]))
    #expect(!viewModel.invalidation.isRaised)
    #expect(outline(viewModel) == ["~ No messages yet."])
  }

  @Test func `one sender's messages within five minutes have the name once, and each minute once`()
    async
  {
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: [
        message(1, "a"), message(2, "b", at: 4.9), message(6, "same", at: 4.95),
        message(3, "c", at: 5),
        message(4, "d", from: .alice, at: 5.1, delivery: .read), message(5, "e", at: 5.2),
      ]), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(
      outline(viewModel) == [
        "- Friday 20 November", "14:00 bob a", "14:04 b", "same", "14:05 bob c", "14:05 you d vv",
        "14:05 bob e",
      ])
  }

  @Test
  func `a day line is before each day's first message, and at midnight before there is one`()
    async
  {
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: [message(1, "late", at: 599), message(2, "early", at: 600)]), lifetime)
    now.date = .minutes(601)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(
      outline(viewModel) == [
        "- Friday 20 November", "23:59 bob late", "- Saturday 21 November", "00:00 bob early",
      ])
    now.date = .minutes(600 + 24 * 60)
    viewModel.midnightPassed()
    #expect(outline(viewModel).last == "- Sunday 22 November")
    viewModel.handle(.messagesStored([message(3, "sunday", at: 600 + 24 * 60)]))
    #expect(outline(viewModel).suffix(2) == ["- Sunday 22 November", "00:00 bob sunday"])
  }

  @Test func `the new line is above the first unseen message until the user writes`() async {
    let lifetime = Lifetime()
    let unseen = message(2, "new", at: 1)
    let viewModel = timeline(FakePorts(messages: [message(1, "old"), unseen]), lifetime)
    viewModel.show(Conversation(jid: .bob, unread: 1, firstUnread: unseen.position))
    await lifetime.settle()
    #expect(outline(viewModel).contains("= 1 new"))
    // Seen as it comes: it is not counted.
    viewModel.handle(.messagesStored([message(3, "newer", at: 2)]))
    #expect(outline(viewModel)[2] == "= 1 new")
    viewModel.personWrote()
    #expect(!outline(viewModel).contains { $0.hasPrefix("=") })
  }

  @Test func `what comes while the user does not look gets a new line`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: [message(1, "old")]), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.isAttended = false
    viewModel.handle(.messagesStored([message(2, "a", at: 1), message(3, "b", at: 2)]))
    #expect(
      outline(viewModel) == [
        "- Friday 20 November", "14:00 bob old", "= 2 new", "14:01 bob a", "14:02 b",
      ])
  }

  @Test func `what was missed gets a new line, though the conversation is open`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: [message(1, "old")]), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.isCatchingUp = true
    // Seen as it comes.
    viewModel.handle(.messagesStored([message(2, "live", at: 1)]))
    #expect(!viewModel.items.contains { $0.kind == .new })
    viewModel.handle(.messagesStored([missed(3, "a", at: 2), missed(4, "b", at: 3)]))
    viewModel.handle(.messagesStored([missed(5, "c", at: 4)]))
    viewModel.handle(.messagesStored([message(6, "d", at: 5)]))
    viewModel.isCatchingUp = false
    viewModel.handle(.messagesStored([missed(7, "e", at: 6)]))
    #expect(viewModel.items.filter { $0.kind == .new }.map(\.body) == ["3 new"])
    #expect(
      viewModel.items.filter { $0.kind == .message || $0.kind == .new }.map(\.body)
        == ["old", "live", "3 new", "a", "b", "c", "d", "e"])
  }

  /// A message that an archive brings.
  private func missed(_ id: Int64, _ body: String, at minutes: Double) -> Message {
    let live = message(id, body, at: minutes)
    return Message(
      id: live.id, conversation: live.conversation, sender: live.sender,
      direction: live.direction, body: body, sentAt: live.sentAt, originID: live.originID,
      isDelayed: true)
  }

  @Test func `the conversation is read when its end is shown to the user`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: (1...5).map { message($0, "m") }), lifetime)
    var seen: [JID] = []
    viewModel.onSeen = { seen.append($0) }
    viewModel.isAttended = false
    viewModel.show(Conversation(jid: .bob, unread: 2))
    await lifetime.settle()
    #expect(seen.isEmpty)
    viewModel.isAttended = true
    #expect(seen == [.bob])
    viewModel.scroll(to: .init(message: .init(1), line: 0))
    viewModel.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    #expect(seen == [.bob])
    viewModel.scroll(to: nil)
    #expect(seen == [.bob, .bob])
  }

  @Test func `messages that come below are counted until the end is shown`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: (1...5).map { message($0, "m") }), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(1), line: 0))
    viewModel.handle(.messagesStored([message(6, "x", at: 1), message(7, "y", at: 1)]))
    #expect(viewModel.newBelow == 2)
    #expect(viewModel.anchor == .init(message: .init(1), line: 0))
    viewModel.jumpToNewest()
    #expect(viewModel.newBelow == 0)
    #expect(viewModel.anchor == nil)
  }

  @Test func `paging goes back to the oldest message, and memory stays bounded`() async {
    let lifetime = Lifetime()
    let all = (1...1500).map { message(Int64($0), "m\($0)", at: Double($0) / 100) }
    let viewModel = timeline(FakePorts(messages: all), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(1450), line: 0))
    for _ in 0..<30 {
      viewModel.loadOlder()
      await lifetime.settle()
      #expect(viewModel.items.count <= TimelineWindow.limit + 4)
      goToOldest(viewModel)
    }
    #expect(outline(viewModel).first == "~ This is the beginning.")
    #expect(viewModel.items.first { $0.kind == .message }?.body == "m1")
    // Something new lies beyond the window: it is counted, and there when the end is shown.
    let fresh = message(1501, "fresh", at: 16)
    viewModel.handle(.messagesStored([fresh]))
    #expect(viewModel.newBelow == 1)
    #expect(viewModel.items.last?.body != "fresh")
    viewModel.loadNewer()
    await lifetime.settle()
    #expect(viewModel.items.count <= TimelineWindow.limit + 4)
    viewModel.jumpToNewest()
    await lifetime.settle()
    #expect(viewModel.items.last?.body == "m1500")
  }

  private func goToOldest(_ viewModel: TimelineViewModel) {
    guard let oldest = viewModel.items.lazy.compactMap(\.id.message).first else { return }
    viewModel.scroll(to: .init(message: oldest, line: 0))
  }

  @Test(arguments: [true, false])
  func `a user who scrolls on while a page comes keeps their position`(isNewer: Bool) async {
    let lifetime = Lifetime()
    let all = (1...1500).map { message(Int64($0), "m\($0)", at: Double($0) / 100) }
    let viewModel = timeline(FakePorts(messages: all), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    for _ in 0..<10 {
      goToOldest(viewModel)
      viewModel.loadOlder()
      await lifetime.settle()
    }
    let shown = viewModel.items.compactMap(\.id.message)
    guard let first = shown.first, let last = shown.last, viewModel.hasNewer else {
      Issue.record("the window is not full")
      return
    }
    if isNewer {
      viewModel.scroll(to: .init(message: last, line: 0))
      viewModel.loadNewer()
      viewModel.scroll(to: .init(message: first, line: 0))
    } else {
      viewModel.loadOlder()
      viewModel.scroll(to: .init(message: last, line: 0))
    }
    await lifetime.settle()
    let rest = viewModel.items.compactMap(\.id.message)
    #expect(rest.contains(isNewer ? first : last))
    #expect(rest.count == TimelineWindow.limit)
    // What is given up on either side is known to be there.
    #expect(viewModel.hasNewer)
  }

  @Test func `a load that fails is shown in the list, and trying again takes it away`() async {
    let ports = FakePorts(messages: [message(1, "hi")])
    await ports.fail("latest", with: NatterError(.storage, "error.storage"))
    let lifetime = Lifetime()
    let viewModel = timeline(ports, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(
      outline(viewModel) == [
        "~ Messages could not be read: the database cannot be read. PgUp tries again."
      ])
    await ports.fail("latest", with: nil)
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(outline(viewModel).last == "14:00 bob hi")
  }

  @Test func `a page of a conversation that was left is not shown in the next one`() async {
    let ports = FakePorts(messages: [
      message(1, "bob's"), message(2, "chloe's", from: .chloe, in: .chloe),
    ])
    let lifetime = Lifetime()
    let viewModel = timeline(ports, lifetime)
    viewModel.show(Conversation(jid: .bob))
    viewModel.show(Conversation(jid: .chloe))
    await lifetime.settle()
    #expect(viewModel.items.filter { $0.kind == .message }.map(\.body) == ["chloe's"])
  }

  @Test(arguments: [
    (Delivery.queued, "."), (.sent, "v"), (.delivered, "v"), (.read, "vv"),
    (.failed(reason: "no such user"), "!"),
  ])
  func `an own message shows what became of it`(_ delivery: Delivery, _ tick: String) async {
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: [message(1, "hi", from: .alice, delivery: delivery)]), lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    let item = viewModel.items.last
    #expect(item?.tickText == tick)
    let failure = delivery == .failed(reason: "no such user")
    #expect(
      item?.failure
        == (failure ? "Not sent: no such user. /retry sends it again, /cancel discards it." : nil))
    #expect(viewModel.failedMessages.count == (failure ? 1 : 0))
  }

  @Test func `an action is shown with the name of its sender`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: [message(1, "/me waves"), message(2, "/me nods", from: .alice)]),
      lifetime)
    viewModel.handle(.contactsChanged([Contact(jid: .bob, name: "Bob Martin")]))
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(viewModel.items.suffix(2).map(\.body) == ["Bob waves", "alice nods"])
    #expect(viewModel.items.suffix(2).map(\.kind) == [.action, .action])
  }

  @Test func `what is said after that has its name, as no name is above it`() async {
    let lifetime = Lifetime()
    let viewModel = timeline(
      FakePorts(messages: [
        message(1, "hello"), message(2, "/me waves"), message(3, "still here"),
        message(4, "and on"), message(5, "/me nods", from: .alice),
        message(6, "me too", from: .alice),
      ]), lifetime)
    viewModel.handle(.contactsChanged([Contact(jid: .bob, name: "Bob Martin")]))
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(viewModel.items.suffix(6).map(\.sender) == ["Bob", "*", "Bob", "", "*", "you"])
  }

  @Test func `a stamp no calendar holds is shown all the same`() {
    for seconds in [-1e300, 1e300, .nan, .infinity] {
      let format = testFormat()
      _ = format.time(Date(timeIntervalSince1970: seconds))
      _ = format.day(Date(timeIntervalSince1970: seconds), now: .afternoon)
    }
  }
}

extension TimelineItem.ID {
  fileprivate var message: Message.ID? {
    if case .message(let id) = self { id } else { nil }
  }
}
