import Terminal
import ViewModels

/// What every sub-app has around its own panes: the tab bar, the status line, the hint bar. One for all of them.
package final class ShellFrame {
  package let shell: ShellViewModel
  package let bindings: KeyBindingTable
  package let tabBar: TabBarPane
  package let status: StatusPane
  package let hintBar: HintBarPane
  package let tooSmall: TooSmallPane
  /// What draws the pictures of all panes.
  package let pictures: PictureBoard
  private let spelling: KeySpelling

  package init(
    shell: ShellViewModel, bindings: KeyBindingTable = .natter,
    pictures: PictureBoard = PictureBoard()
  ) {
    self.pictures = pictures
    self.shell = shell
    self.bindings = bindings
    spelling = KeySpelling(localizer: shell.format.localizer)
    tabBar = TabBarPane(viewModel: shell.tabBar)
    status = StatusPane(viewModel: shell.status, glyphs: shell.format.glyphs)
    hintBar = HintBarPane(viewModel: shell.hintBar)
    tooSmall = TooSmallPane(localizer: shell.format.localizer)
  }

  package var glyphs: Glyphs { shell.format.glyphs }
  package var localizer: Localizer { shell.format.localizer }

  /// Has the hint bar tell the keys of a pane; help comes first wherever one is: it is the way to all the others.
  /// - Parameter actions: those of the pane that are of use now; `nil`: all that are bound.
  func showHints(for context: KeyBinding.Context, only actions: Set<KeyAction>? = nil) {
    let everywhere = bindings.bindings(in: .everywhere).filter(\.isHinted)
    let own = bindings.bindings(in: context).filter {
      $0.isHinted && actions?.contains($0.action) != false
    }
    func only(_ actions: KeyAction...) -> [KeyBinding] {
      actions.compactMap { action in everywhere.first { $0.action == action } }
    }
    let ordered =
      only(.help) + (context == .input ? [] : own)
      + only(.palette, .nextUnread, .nextConversation, .nextPane, .quit)
      + (context == .input ? own : [])
    shell.hintBar.show(
      ordered.compactMap { binding in
        hintKeys(binding).map { HintItem(keys: $0, label: localizer(binding.hintKey)) }
      })
  }

  // Two directions of one thing share a place.
  private func hintKeys(_ binding: KeyBinding) -> String? {
    let keys: [KeyAction] =
      switch binding.action {
      case .nextConversation: [.nextConversation, .previousConversation]
      case .selectNext: [.selectPrevious, .selectNext]
      case .valueAfter: [.valueBefore, .valueAfter]
      case .messageBelow: [.messageAbove, .messageBelow]
      default: [binding.action]
      }
    let spelled = keys.compactMap { action in
      bindings.bindings.first { $0.action == action && $0.context == binding.context }?
        .sequences.first.map { spelling($0) }
    }
    return spelled.isEmpty ? nil : spelled.joined(separator: "/")
  }
}
