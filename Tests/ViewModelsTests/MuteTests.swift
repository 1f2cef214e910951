import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Conversations that are muted, for a time or for good.
@Suite struct MuteTests {
  private final class Stored {
    var rules: [JID: NotificationRule] = [:]
    var ends: [JID: Date] = [:]

    var store: NotificationStore {
      var store = NotificationStore()
      store.rule = { self.rules[$0] ?? .standard }
      store.setRule = { self.rules[$0] = $1 }
      store.silenced = { Set(self.rules.filter { $0.value == .none }.keys) }
      store.ends = { self.ends }
      store.setEnd = { self.ends[$0] = $1 }
      return store
    }
  }

  private let stored = Stored()
  private let timers = ManualTimers()
  private let now = ManualNow(.afternoon)

  private func notifications() -> ConversationNotifications {
    ConversationNotifications(
      stored.store, scheduler: timers.scheduler, now: { [now] in now.date })
  }

  private func shell(glyphs: Glyphs = .ascii) async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.notifications = notifications()
    let shell = ShellViewModel(
      FakePorts(
        conversations: [
          Conversation(jid: .bob, unread: 3, mentions: 1), Conversation(jid: .chloe, unread: 2),
          Conversation(jid: .zhang, lastActivity: .afternoon),
        ], now: .afternoon), timers: timers, now: now, actions: actions)
    await shell.load()
    shell.open(.zhang)
    await shell.lifetime.settle()
    return shell
  }

  private func row(_ jid: JID, _ shell: ShellViewModel) -> SidebarItem? {
    shell.sidebar.items.first { $0.id == .conversation(jid) }
  }

  @Test func `a muted conversation is dimmed, not counted, and not at the top, until its time`()
    async throws
  {
    let shell = await shell()
    #expect(shell.sidebar.totalUnread == 5 && shell.sidebar.isMentioned)
    #expect(shell.sidebar.order.first == .bob && shell.sidebar.nextUnread == .bob)
    try await shell.actions.notifications.mute(.bob, until: .minutes(60))
    #expect(shell.sidebar.totalUnread == 2 && !shell.sidebar.isMentioned)
    #expect(shell.sidebar.order.first == .chloe && shell.sidebar.nextUnread == .chloe)
    #expect(row(.bob, shell)?.isMuted == true)
    #expect(row(.bob, shell)?.badge.hasPrefix("z @1") == true)
    #expect(row(.chloe, shell)?.isMuted == false)
    #expect(shell.title.contains("(2)"))
    now.date = .minutes(60)
    // The timer is a little late.
    now.date += 0.01
    timers.fire()
    #expect(shell.sidebar.totalUnread == 5 && row(.bob, shell)?.isMuted == false)
    #expect(shell.title.contains("(5)"))
  }

  @Test func `a long mute is looked at from time to time, and ends after a sleep of the computer`()
    async throws
  {
    let notifications = notifications()
    var changes = 0
    notifications.onChange = { changes += 1 }
    try await notifications.mute(.bob, until: .minutes(480))
    #expect(timers.delays == [.seconds(600)] && changes == 1)
    timers.fire()
    #expect(timers.count == 1 && changes == 1)
    now.date = .minutes(500)
    timers.fire()
    #expect(timers.count == 0 && changes == 2 && !notifications.isMuted(.bob))
  }

  @Test func `a mute of an earlier run goes on, and one that is over does not`() {
    stored.ends = [.bob: .minutes(5), .chloe: .minutes(-5)]
    stored.rules = [.zhang: .none]
    let notifications = notifications()
    #expect(notifications.isMuted(.bob) && notifications.isMuted(.zhang))
    #expect(!notifications.isMuted(.chloe))
    #expect(notifications.rule(of: .bob) == .none && notifications.rule(of: .chloe) == .standard)
    #expect(notifications.storedRule(of: .bob) == .standard)
  }

  @Test func `nothing of a muted conversation is notified of, whatever its rule is`() async throws {
    let shell = await shell()
    stored.rules = [.bob: .all]
    try await shell.actions.notifications.mute(.bob, until: .minutes(60))
    var (bells, reported) = (0, 0)
    shell.onBell = { bells += 1 }
    shell.onNotify = { _ in reported += 1 }
    shell.handle(.messagesStored([message(5, "Alice, look")]))
    #expect(bells == 0 && reported == 0)
    now.date = .minutes(61)
    shell.handle(.messagesStored([message(6, "Alice, look")]))
    #expect(bells == 1 && reported == 1)
  }

  @Test func `a mute for a time replaces one for good`() async throws {
    stored.rules = [.bob: .none, .chloe: .all]
    let notifications = notifications()
    try await notifications.mute(.bob, until: .minutes(60))
    try await notifications.mute(.chloe, until: .minutes(60))
    #expect(stored.rules[.bob] == .standard && stored.rules[.chloe] == .all)
    #expect(notifications.isMuted(.bob) && notifications.rule(of: .bob) == .none)
    now.date = .minutes(61)
    timers.fire()
    #expect(!notifications.isMuted(.bob) && notifications.rule(of: .bob) == .standard)
    #expect(notifications.rule(of: .chloe) == .all)
  }

  @Test(arguments: [
    ("30m", 30.0), ("1h", 60), ("8H", 480), ("2d", 2880), ("366d", 527_040), ("8784h", 527_040),
  ])
  func `a time is minutes, hours or days`(text: String, minutes: Double) async throws {
    let notice = try await notifications().mute(.bob, for: text, testFormat())
    #expect(stored.ends == [.bob: .minutes(minutes)])
    #expect(notice.key == "status.mutedUntil")
  }

  @Test(arguments: [
    "0h", "-1h", "1", "h", "1w", "1.5h", "367d", "99999999999999999999m", "١h", "soon", "1h 2m",
  ])
  func `another text is no time, and changes nothing`(text: String) async {
    await #expect(throws: NatterError(.invalidInput, "error.badMute", ["text": text])) {
      _ = try await notifications().mute(.bob, for: text, testFormat())
    }
    #expect(stored.ends.isEmpty && stored.rules.isEmpty)
  }

  @Test func `a rule is stored for the other clients first, and nowhere if that fails`()
    async throws
  {
    let failure = NatterError(.storage, "error.storage.write")
    var (isFull, published): (Bool, [NotificationRule]) = (true, [])
    var store = stored.store
    store.publish = { [stored] _, rule in
      #expect(stored.rules.isEmpty && stored.ends.isEmpty)
      if isFull { throw failure }
      published.append(rule)
    }
    let notifications = ConversationNotifications(store, now: { [now] in now.date })
    await #expect(throws: failure) { try await notifications.setRule(.mentions, of: .bob) }
    #expect(stored.rules.isEmpty)
    isFull = false
    try await notifications.setRule(.mentions, of: .bob)
    #expect(stored.rules == [.bob: .mentions] && published == [.mentions])
    // A mute for a time is known here only, unless it replaces one for good.
    try await notifications.mute(.bob, until: .minutes(60))
    #expect(published.count == 1)
    stored.ends = [:]
    stored.rules = [:]
    store.rule = { _ in .none }
    try await ConversationNotifications(store, now: { [now] in now.date })
      .mute(.bob, until: .minutes(60))
    #expect(published == [.mentions, .standard] && stored.rules == [.bob: .standard])
  }

  @Test func `a rule that cannot be stored here is none for the other clients either`()
    async throws
  {
    let failure = NatterError(.storage, "error.storage.write")
    var published: [NotificationRule] = []
    stored.rules = [.bob: .mentions]
    var store = stored.store
    store.publish = { published.append($1) }
    store.setRule = { _, _ in throw failure }
    let notifications = ConversationNotifications(store, now: { [now] in now.date })
    await #expect(throws: failure) { try await notifications.setRule(.none, of: .bob) }
    #expect(published == [.none, .mentions])
    stored.rules = [.bob: .none]
    await #expect(throws: failure) { try await notifications.mute(.bob, until: .minutes(60)) }
    #expect(published == [.none, .mentions, .standard, .none])
  }

  @Test func `commands mute, say until when, and unmute`() async {
    let shell = await shell()
    func run(_ line: String) async {
      shell.type(line)
      shell.submit()
      await shell.lifetime.settle()
    }
    await run("/mute 1h")
    #expect(stored.ends == [.zhang: .minutes(60)])
    #expect(shell.status.message.text.contains("muted until 15:00"))
    #expect(shell.header.muted == "muted until 15:00")
    await run("/mute")
    #expect(stored.ends.isEmpty && shell.header.muted.isEmpty)
    await run("/mute always")
    #expect(stored.rules == [.zhang: .none] && shell.header.muted == "muted")
    // Another client of the account has chosen another rule.
    stored.rules = [:]
    shell.actions.notifications.reload()
    #expect(shell.header.muted.isEmpty)
    await run("/unmute")
    #expect(shell.status.message.text.contains("is not muted"))
    await run("/mute 8h")
    await run("/notify mentions")
    #expect(stored.ends.isEmpty && stored.rules == [.zhang: .mentions])
  }

  @Test func `a screen reader says that a conversation is muted`() throws {
    stored.rules = [.bob: .none]
    let sidebar = SidebarViewModel(
      format: testFormat(glyphs: .linear), notifications: notifications())
    sidebar.load(
      conversations: [Conversation(jid: .bob, unread: 3)], contacts: [], presence: [],
      requests: [])
    let item = try #require(sidebar.items.first { $0.id == .conversation(.bob) })
    #expect(item.spokenPresence.hasSuffix("muted") && item.badge == "3")
  }
}
