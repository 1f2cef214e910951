import FoundationEssentials
import Keys
import NatterCore
import Text
import XMPP

/// The top row: the sub-apps, the account, its connection, the clock.
package final class TabBarViewModel {
  package let invalidation = Invalidation()

  private let format: ItemFormat
  private let now: () -> Date
  /// True if the time of day is shown.
  package var showsClock: Bool { didSet { if showsClock != oldValue { invalidation.raise() } } }
  private var tabs = [SubAppTab.chats]
  private var active = SubAppID.chats
  private var badges: [SubAppID: String] = [:]
  private var summary = ConnectionSummary(.offline)
  private var state: ConnectionState { summary.shown }
  /// The account's own presence, as others see it while it is connected.
  private var own = Availability.online
  private var shownTime = ""
  /// True if badges have changed and are not redrawn yet.
  private var isStale = false

  /// - Parameter showsClock: `false` omits the time (`ui.clock`).
  package init(
    format: ItemFormat, showsClock: Bool = true, now: @escaping () -> Date = { Date() }
  ) {
    self.format = format
    self.showsClock = showsClock
    self.now = now
    shownTime = format.time(now())
  }

  /// The tabs from the left.
  package var items: [TabItem] {
    tabs.map { tab in
      TabItem(
        id: tab.id, position: tab.position, name: tab.name(format.localizer),
        badge: badges[tab.id] ?? "", isActive: tab.id == active)
    }
  }

  package var account: String { format.account.description }

  /// The colour of the account, if there are several.
  package private(set) var accountColor: Int?
  /// The number of the account, if there are several; else empty.
  package private(set) var accountNumber = ""
  /// The number of unread messages in the other accounts; empty for none.
  package private(set) var elsewhere = ""

  /// The glyph of the connection: a dot if it works, `!` if not. For an account that is away or
  /// busy, the glyph of that presence.
  package var glyph: String { isSeenElse ? format.glyphs.presence(own) : format.glyph(of: state) }

  /// The connection as a word, or the presence that others see if it is not simply online.
  package var connection: String {
    isSeenElse ? format.presence(own) : format.word(of: state)
  }

  package var availability: Availability { isSeenElse ? own : state.availability }

  /// True if the account is connected and seen as online, which needs no text.
  package var isUsual: Bool { state.isOnline && !isSeenElse }

  /// True if the account is connected, and others see it as away, busy or free for chat.
  private var isSeenElse: Bool { state.isOnline && own != .online }

  /// Updates the presence that others see.
  package func show(own: Availability) {
    guard own != self.own else { return }
    self.own = own
    if state.isOnline { invalidation.raise() }
  }

  /// The time of day; empty if it is switched off.
  package var clock: String { showsClock ? shownTime : "" }

  /// Updates the available sub-apps and the open one.
  package func show(_ tabs: [SubAppTab], active: SubAppID) {
    guard tabs != self.tabs || active != self.active else { return }
    (self.tabs, self.active) = (tabs, active)
    invalidation.raise()
  }

  /// Shows a number or a glyph on a sub-app's tab; an empty text removes it.
  package func show(badge: String, on id: SubAppID) {
    let before = badges[id] ?? ""
    guard badge != before else { return }
    badges[id] = badge
    changed(before, badge)
  }

  /// Redraws badges that changed by themselves, now that the user has pressed a key.
  package func personActed() {
    guard isStale else { return }
    isStale = false
    invalidation.raise()
  }

  // A screen reader would read out each number wherever its cursor is; the status line announces
  // new messages. Only the user's own action makes a number smaller.
  private func changed(_ before: String, _ after: String) {
    func number(_ badge: String) -> Int { Int(badge.filter(\.isNumber)) ?? 0 }
    if format.glyphs.isLinear, number(after) >= number(before) {
      isStale = true
    } else {
      invalidation.raise()
    }
  }

  /// Updates the account's colour and number among several, and the unread count of the others.
  func show(color: Int?, number: String, elsewhere: String) {
    guard color != accountColor || number != accountNumber || elsewhere != self.elsewhere else {
      return
    }
    let isOther = color != accountColor || number != accountNumber
    let before = self.elsewhere
    (accountColor, accountNumber, self.elsewhere) = (color, number, elsewhere)
    if isOther { invalidation.raise() } else { changed(before, elsewhere) }
  }

  package func handle(_ event: DomainEvent) {
    guard case .connectionChanged(let state) = event else { return }
    let before = self.state
    summary.follow(state)
    if self.state != before { invalidation.raise() }
  }

  /// Updates the clock: called after each full minute.
  package func minutePassed() {
    let time = format.time(now())
    guard showsClock, time != shownTime else { return }
    shownTime = time
    invalidation.raise()
  }
}
