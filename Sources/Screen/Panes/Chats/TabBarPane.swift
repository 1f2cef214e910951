import Keys
import NatterCore
import Terminal
import ViewModels

/// The top row: sub-apps on the left, account, connection and clock on the right.
package final class TabBarPane: Pane {
  /// The colours of the sub-apps.
  var accents: [SubAppID: StyleRole] = [:]
  /// Called when a tab was clicked.
  var onSelect: (SubAppID) -> Void = { _ in }

  private let viewModel: TabBarViewModel
  /// Indicates whether nothing is aligned to the right edge: for a screen reader.
  private let isLinear: Bool
  private var targets: [Target<SubAppID>] = []

  package init(viewModel: TabBarViewModel, isLinear: Bool = false) {
    (self.viewModel, self.isLinear) = (viewModel, isLinear)
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func draw(into surface: inout Surface) {
    let width = surface.size.columns
    surface.fill(Rect(row: 0, column: 0, rows: 1, columns: width), role: .tab)
    let tabs = tabs(width)
    targets = []
    var left = 0
    for (id, text) in tabs {
      let end = surface.write(text, row: 0, column: left)
      targets.append(
        Target(rect: Rect(row: 0, column: left, rows: 1, columns: end - left), id: id))
      left = end
    }
    let right = side(width - left - 1)
    surface.write(
      right, row: 0, column: isLinear ? left + 1 : max(left, width - right.columns))
  }

  /// The tabs in the longest form that fits: with keys and names, with the name of the open one
  /// only, the open one and those with unread messages, only the open one.
  ///
  /// The clock and the connection's text are dropped before a tab is, and on a screen of the usual
  /// width before a name; the connection's glyph and the unread count never are.
  private func tabs(_ width: Int) -> [(SubAppID, StyledText)] {
    let items = viewModel.items
    let forms = [
      (
        items.map { ($0.id, text($0, hasKey: items.count > 1, hasName: true)) },
        width >= 80 ? least.columns : state.columns
      ),
      (items.map(short), least.columns),
      (items.filter { $0.isActive || !$0.badge.isEmpty }.map(short), least.columns),
    ]
    return forms.first { form, right in
      form.reduce(0) { $0 + $1.1.columns } + 1 + right <= width
    }?.0 ?? items.filter(\.isActive).map { ($0.id, text($0, hasKey: false, hasName: true)) }
  }

  private func short(_ item: TabItem) -> (SubAppID, StyledText) {
    (item.id, text(item, hasKey: !item.isActive, hasName: item.isActive))
  }

  /// The parts on the right that are always shown.
  private var least: StyledText {
    elsewhere + number
      + StyledText(
        isLinear ? viewModel.connection : viewModel.glyph, .presence(viewModel.availability))
  }

  /// The number of the account among several, for when its address has no room.
  private var number: StyledText {
    let number = viewModel.accountNumber
    return StyledText(
      number.isEmpty ? "" : number + " ", viewModel.accountColor.map { .nick($0) } ?? .tab)
  }

  /// The unread count of the other accounts: always shown.
  private var elsewhere: StyledText { viewModel.unreadElsewhere }

  private func text(_ item: TabItem, hasKey: Bool, hasName: Bool) -> StyledText {
    let role: StyleRole = item.isActive ? .tabActive : .tab
    // The sixth tab skips a key: F7 goes to the next pane.
    let key = "F\(item.position < 6 ? item.position + 1 : item.position + 2)"
    var text = StyledText(item.isActive ? "[" : " ", role)
    if hasKey { text.append(key, item.isActive ? role : accents[item.id] ?? .key) }
    if hasKey, hasName { text.append(" ", role) }
    if hasName { text.append(item.name, role) }
    if !item.badge.isEmpty { text.append(" " + item.badge, item.isActive ? role : .badge) }
    text.append(item.isActive ? "]" : " ", role)
    return text
  }

  private var state: StyledText {
    let state = least + word
    return viewModel.clock.isEmpty ? state : state + StyledText(" " + viewModel.clock, .time)
  }

  /// The connection in text, after its glyph; a screen reader gets the text alone.
  private var word: StyledText {
    StyledText(
      isLinear ? "" : " " + viewModel.connection, .presence(viewModel.availability))
  }

  // The parts on the right are dropped in this order: the account, the text while the account is
  // online as usual (the glyph shows as much), the clock, the text, never the glyph.
  private func side(_ room: Int) -> StyledText {
    let glyph = least
    let state = glyph + word
    let clock = StyledText(viewModel.clock, .time)
    let gap = StyledText("  ", .tab)
    let blank = StyledText(" ", .tab)
    let account =
      StyledText(viewModel.account, viewModel.accountColor.map { .nick($0) } ?? .tab) + gap + state
    let choices =
      viewModel.clock.isEmpty
      ? [account, state, glyph]
      : [account + gap + clock, state + blank + clock]
        + (viewModel.isUsual ? [glyph + blank + clock] : [state, glyph + blank + clock]) + [glyph]
    return choices.first { $0.columns <= room } ?? glyph
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    guard mouse.action == .press, let target = targets.first(where: { $0.rect.contains(mouse.at) })
    else { return .ignored }
    onSelect(target.id)
    return .handled
  }
}

extension StyleRole {
  /// The role of presence of that kind.
  static func presence(_ availability: Availability) -> StyleRole {
    switch availability {
    case .online, .chatty: .presenceOnline
    case .away, .extendedAway: .presenceAway
    case .busy: .presenceBusy
    case .offline: .presenceOffline
    }
  }

  /// One of the eight name colours.
  static func nick(_ number: Int) -> StyleRole {
    wheel[max(0, min(wheel.count - 1, number))]
  }
}
