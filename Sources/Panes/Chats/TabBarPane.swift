import NatterCore
import Terminal
import ViewModels

/// The top row: sub-apps on the left, account, connection and clock on the right.
package final class TabBarPane: Pane {
  private let viewModel: TabBarViewModel

  package init(viewModel: TabBarViewModel) { self.viewModel = viewModel }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func draw(into surface: inout Surface) {
    let width = surface.size.columns
    surface.fill(Rect(row: 0, column: 0, rows: 1, columns: width), role: .tab)
    let tab = "[\(viewModel.tab)]"
    let left = surface.write(tab, row: 0, column: 0, role: .tabActive)
    let right = side(width - left - 1)
    surface.write(right, row: 0, column: width - right.columns)
  }

  // What stands on the right goes in this order: the account, the clock, at last the word, never the sign.
  private func side(_ room: Int) -> StyledText {
    let role = StyleRole.presence(viewModel.availability)
    let sign = StyledText(viewModel.sign, role)
    let state = sign + StyledText(" " + viewModel.connection, role)
    let clock = StyledText(viewModel.clock, .time)
    let gap = StyledText("  ", .tab)
    let blank = StyledText(" ", .tab)
    let account = StyledText(viewModel.account, .tab) + gap + state
    let choices =
      viewModel.clock.isEmpty
      ? [account, state, sign]
      : [account + gap + clock, state + blank + clock, state, sign]
    return choices.first { $0.columns <= room } ?? sign
  }
}

extension StyleRole {
  /// The role that presence of that kind is drawn in.
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
    StyleRole(rawValue: StyleRole.nick0.rawValue + UInt8(max(0, min(7, number))))
  }
}
