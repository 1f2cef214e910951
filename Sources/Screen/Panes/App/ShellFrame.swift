import Keys
import Terminal
import Text
import ViewModels

/// The panes around those of every sub-app: the tab bar, the status line, the hint bar. All
/// sub-apps share one frame.
package final class ShellFrame {
  package let shell: ShellViewModel
  /// The current key bindings.
  package var bindings: KeyBindingTable { didSet { notifyKeyViews() } }
  package let tabBar: TabBarPane
  /// Replaces the tab bar on a screen that has no row for it.
  let stateCorner: StateCornerPane
  package let status: StatusPane
  package let hintBar: HintBarPane
  package let tooSmall: TooSmallPane
  /// Draws the pictures of all panes.
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
    tabBar = TabBarPane(viewModel: shell.tabBar, isLinear: shell.format.glyphs.isLinear)
    stateCorner = StateCornerPane(viewModel: shell.tabBar)
    status = StatusPane(viewModel: shell.status, glyphs: shell.format.glyphs) { [weak shell] in
      shell?.tools.scripts.statusItems ?? []
    }
    hintBar = HintBarPane(viewModel: shell.hintBar)
    // The tabs show the same number, but are not on the screen then.
    tooSmall = TooSmallPane(
      localizer: shell.format.localizer, following: shell.tabBar.invalidation
    ) { [weak shell] in shell?.sidebar.totalUnread ?? 0 }
    notifyKeyViews()
  }

  private func notifyKeyViews() {
    shell.status.keysOf = { [weak self] name in
      KeyAction(rawValue: name).flatMap { self?.keys(of: $0) } ?? ""
    }
  }

  package var glyphs: Glyphs { shell.format.glyphs }

  /// The corner, for a screen without tabs; nothing for a screen reader, which announces changes as
  /// text.
  func corner(_ size: Size) -> [Placement] {
    glyphs.isLinear ? [] : [Placement(stateCorner, stateCorner.frame(columns: size.columns))]
  }
  package var localizer: Localizer { shell.format.localizer }

  /// The label before the text of a filter: a full-width colon has its own gap.
  var filterLabel: String {
    let label = localizer("contacts.filter")
    return label.last?.isASCII == true ? label + " " : label
  }

  /// Shows the keys of a pane in the hint bar; help is always the first, because it leads to all
  /// the others.
  /// - Parameters:
  ///   - actions: the actions of the pane that are useful now; `nil`: all that are bound.
  ///   - names: the text keys of actions that have another label now.
  func showHints(
    for context: KeyBinding.Context, only actions: Set<KeyAction>? = nil,
    called names: [KeyAction: String] = [:]
  ) {
    let everywhere = bindings.bindings(in: .everywhere).filter(\.isHinted)
    var own = bindings.bindings(in: context).filter {
      $0.isHinted && actions?.contains($0.action) != false
    }
    if context == .messages {
      let first = Self.messageHints.compactMap { action in own.first { $0.action == action } }
      own = first + own.filter { !Self.messageHints.contains($0.action) }
    }
    func only(_ actions: KeyAction...) -> [KeyBinding] {
      actions.compactMap { action in everywhere.first { $0.action == action } }
    }
    let ordered =
      only(.help) + (context == .input ? [] : own)
      + only(.palette, .nextUnread, .nextConversation, .nextPane)
      + (context == .input ? own + only(.pickFiles) : []) + only(.quit)
    shell.hintBar.show(
      ordered.compactMap { binding in
        hintKeys(binding, in: context).map {
          HintItem(
            keys: $0, label: localizer(names[binding.action] ?? binding.hintKey),
            isExtra: context == .input && binding.action == .pickFiles)
        }
      })
  }

  /// The actions on a message, the most useful first: a screen of 80 columns has room for these.
  private static let messageHints: [KeyAction] = [
    .messageBelow, .retry, .replyMessage, .reactMessage, .editMessage, .deleteMessage,
    .openMessage, .saveFile, .viewPicture, .copyMessage,
  ]

  /// Returns whether the keys run the action in that pane, where they can have another binding; in
  /// an empty input, Tab moves the focus.
  private func reaches(_ keys: [Key], _ action: KeyAction, in context: KeyBinding.Context) -> Bool {
    let match = bindings.match(keys, in: context)
    return match == .action(action) || action == .nextPane && match == .action(.complete)
  }

  /// The keys of a global action, as they are shown; empty for none.
  func keys(of action: KeyAction) -> String {
    bindings.bindings.first { $0.action == action && $0.context == .everywhere }?.sequences.first
      .map { spelling($0) } ?? ""
  }

  // Two directions of one action share an entry.
  private func hintKeys(_ binding: KeyBinding, in context: KeyBinding.Context) -> String? {
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
        .sequences.first { reaches($0, action, in: context) }
        .map { spelling($0) }
    }
    return spelled.isEmpty ? nil : spelled.joined(separator: "/")
  }
}
