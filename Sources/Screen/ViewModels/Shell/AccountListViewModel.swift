import NatterCore
import Text
import XMPP

/// The state of one of the user's accounts, as the program around the shells knows it.
nonisolated package struct AccountState: Identifiable, Hashable, Sendable {
  /// The bare address.
  package let id: JID
  package var connection: ConnectionState
  /// The number of unread messages in it.
  package var unread: Int
  /// True if one of them mentions the user.
  package var isMentioned: Bool

  package init(
    _ id: JID, connection: ConnectionState = .offline, unread: Int = 0, isMentioned: Bool = false
  ) {
    self.id = id.bare
    self.connection = connection
    self.unread = unread
    self.isMentioned = isMentioned
  }
}

/// An account in the list below the conversations, its text final.
nonisolated package struct AccountItem: Identifiable, Hashable, Sendable {
  package let id: JID
  /// Its number, which `/account` takes: 1 is the first.
  package let number: String
  package let name: String
  /// The index of its name colour, from 0 to 7.
  package let color: Int
  /// The glyph of its connection; a word for screen readers.
  package let glyph: String
  package let availability: Availability
  /// The number of unread messages; empty for none. The current account has its badge on the tab.
  package let badge: String
  package let isMentioned: Bool
  package let isShown: Bool
  package let isSelected: Bool
}

/// The accounts of this program: which of them is shown, and how many messages are unread in
/// others.
package final class AccountListViewModel {
  package let invalidation = Invalidation()
  private let format: ItemFormat
  private var states: [AccountState] = []
  /// True if the pane has the focus. Then one row is selected, at first that of the current
  /// account.
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      selected = nil
      invalidation.raise()
    }
  }
  private var selected: AccountItem.ID?

  package init(format: ItemFormat) { self.format = format }

  /// The heading of the list.
  package var title: String { format.localizer("accounts.title") }

  /// One row for each account; none if there is only one account.
  package var items: [AccountItem] {
    guard states.count > 1 else { return [] }
    return states.enumerated().map { index, state in
      let isShown = state.id == format.account
      return AccountItem(
        id: state.id, number: "\(index + 1)", name: state.id.description,
        color: Self.color(at: index),
        glyph: format.glyphs.isLinear
          ? format.word(of: state.connection) : format.glyph(of: state.connection),
        availability: state.connection.availability,
        badge: isShown ? "" : Self.badge(state.unread, isMentioned: state.isMentioned),
        isMentioned: state.isMentioned, isShown: isShown, isSelected: state.id == selection)
    }
  }

  /// The account of the selected row; `nil` while the pane does not have the focus.
  package var selection: AccountItem.ID? {
    guard isFocused else { return nil }
    return states.first { $0.id == selected ?? format.account }?.id ?? states.first?.id
  }

  /// Moves the selection by `step` rows; it stops at the ends.
  /// - Returns: whether the selection moved.
  @discardableResult package func moveSelection(_ step: Int) -> Bool {
    guard let index = states.firstIndex(where: { $0.id == selection }) else { return false }
    let wanted =
      step == .min
      ? 0 : step == .max ? states.count - 1 : min(states.count - 1, max(0, index + step))
    selected = states[wanted].id
    if wanted != index { invalidation.raise() }
    return wanted != index
  }

  /// The colour of the current account; `nil` if it is the only one.
  package var color: Int? { shownIndex.map(Self.color(at:)) }

  /// The number of the current account; empty if it is the only one.
  package var number: String { shownIndex.map { "\($0 + 1)" } ?? "" }

  private var shownIndex: Int? {
    states.count > 1 ? states.firstIndex { $0.id == format.account } : nil
  }

  private var others: [AccountState] { states.filter { $0.id != format.account } }

  /// The next account after the current one, wrapping around, that has unread messages.
  var nextUnread: AccountState.ID? {
    guard let shownIndex else { return nil }
    return (states[(shownIndex + 1)...] + states[..<shownIndex]).first { $0.unread > 0 }?.id
  }

  /// The number of unread messages in the other accounts.
  package var unreadElsewhere: Int { others.reduce(0) { $0 + $1.unread } }

  /// `unreadElsewhere` for the tab bar; empty for none.
  package var badgeElsewhere: String {
    Self.badge(unreadElsewhere, isMentioned: others.contains(where: \.isMentioned))
  }

  /// - Returns: whether anything changed.
  @discardableResult package func show(_ states: [AccountState]) -> Bool {
    guard states != self.states else { return false }
    self.states = states
    invalidation.raise()
    return true
  }

  // By index and not by address: two accounts never have the same colour.
  static func color(at index: Int) -> Int { (index * 3) % 8 }

  private static func badge(_ unread: Int, isMentioned: Bool) -> String {
    unread == 0 ? "" : (isMentioned ? "@" : "") + (unread > 999 ? "999+" : "\(unread)")
  }
}

extension ItemFormat {
  /// The glyph of a connection: a dot if it works, `!` if not.
  func glyph(of state: ConnectionState) -> String {
    switch state {
    case .online: glyphs.online
    case .connecting: glyphs.away
    case .offline: glyphs.offline
    case .waiting, .refused: "!"
    }
  }

  /// The same as a word.
  func word(of state: ConnectionState) -> String {
    switch state {
    case .online: localizer("connection.online")
    case .connecting: localizer("connection.connecting")
    case .offline: localizer("connection.offline")
    case .waiting: localizer("connection.waiting")
    case .refused: localizer("connection.refused")
    }
  }
}

extension ConnectionState {
  /// The presence whose colour shows the connection.
  nonisolated var availability: Availability {
    switch self {
    case .online: .online
    case .connecting: .away
    case .offline: .offline
    case .waiting, .refused: .busy
    }
  }
}
