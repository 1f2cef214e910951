import FoundationEssentials
import NatterCore
import XMPP

/// The top row: the sub-apps, the account, how it stands with its server, the clock.
package final class TabBarViewModel {
  package let invalidation = Invalidation()

  private let format: ItemFormat
  private let now: () -> Date
  /// Whether the time of day is shown.
  package var showsClock: Bool { didSet { if showsClock != oldValue { invalidation.raise() } } }
  private var tabs = [SubAppTab.chats]
  private var active = SubAppID.chats
  private var badges: [SubAppID: String] = [:]
  private var standing = ConnectionSummary(.offline)
  private var state: ConnectionState { standing.shown }
  /// How others see the account while it is connected.
  private var own = Availability.online
  private var shownTime = ""
  /// Whether there are numbers that are not shown yet.
  private var isStale = false

  /// - Parameter showsClock: `false` leaves the time out (`ui.clock`).
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
        id: tab.id, place: tab.place, name: tab.name(format.localizer),
        badge: badges[tab.id] ?? "", isActive: tab.id == active)
    }
  }

  package var account: String { format.account.description }

  /// The colour of the account, where there are several.
  package private(set) var accountColor: Int?
  /// The number of the account, where there are several; else empty.
  package private(set) var accountNumber = ""
  /// What is unread in the accounts that are not shown; empty for nothing.
  package private(set) var elsewhere = ""

  /// The sign of the connection: a dot when all is well, `!` when not. Of an account that is away or busy the sign of that.
  package var sign: String { isSeenElse ? format.glyphs.presence(own) : format.sign(of: state) }

  /// The connection in a word, or in two how others see the account where that is not just as online.
  package var connection: String {
    isSeenElse ? format.presence(own) : format.word(of: state)
  }

  package var availability: Availability { isSeenElse ? own : state.availability }

  /// Whether the account is connected, and seen so: nothing that would have to be told in words.
  package var isUsual: Bool { state.isOnline && !isSeenElse }

  /// Whether the account is connected, and others see it as away, busy or free.
  private var isSeenElse: Bool { state.isOnline && own != .online }

  /// Takes how others see the account.
  package func show(own: Availability) {
    guard own != self.own else { return }
    self.own = own
    if state.isOnline { invalidation.raise() }
  }

  /// The time of day, or nothing where it is not wanted.
  package var clock: String { showsClock ? shownTime : "" }

  /// Takes the sub-apps there are, and which of them is open.
  package func show(_ tabs: [SubAppTab], active: SubAppID) {
    guard tabs != self.tabs || active != self.active else { return }
    (self.tabs, self.active) = (tabs, active)
    invalidation.raise()
  }

  /// Shows a number or a sign on a sub-app's tab; an empty text takes it away.
  package func show(badge: String, on id: SubAppID) {
    let before = badges[id] ?? ""
    guard badge != before else { return }
    badges[id] = badge
    changed(before, badge)
  }

  /// The person has done something: what changed by itself meanwhile is shown now.
  package func personActed() {
    guard isStale else { return }
    isStale = false
    invalidation.raise()
  }

  // Whoever hears the screen would have each number read out wherever he is; new messages are told in the status line. What
  // becomes less is the person's doing.
  private func changed(_ before: String, _ after: String) {
    func number(_ badge: String) -> Int { Int(badge.filter(\.isNumber)) ?? 0 }
    if format.glyphs.isLinear, number(after) >= number(before) {
      isStale = true
    } else {
      invalidation.raise()
    }
  }

  /// Takes the account's colour and number among several, and what is unread in the others.
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
    standing.follow(state)
    if self.state != before { invalidation.raise() }
  }

  /// Reads the clock again: called when a minute has passed.
  package func minutePassed() {
    let time = format.time(now())
    guard showsClock, time != shownTime else { return }
    shownTime = time
    invalidation.raise()
  }
}
