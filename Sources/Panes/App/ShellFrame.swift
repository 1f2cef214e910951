import Terminal
import ViewModels

/// What every sub-app has around its own panes: the tab bar, the status line, the hint bar. One for all of them.
package final class ShellFrame {
  package let shell: ShellViewModel
  /// The keys that hold now.
  package var bindings: KeyBindingTable { didSet { tellKeys() } }
  package let tabBar: TabBarPane
  /// What is left of it on a screen that has no row for it.
  let stateCorner: StateCornerPane
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
    tabBar = TabBarPane(viewModel: shell.tabBar, isLinear: shell.format.glyphs.isLinear)
    stateCorner = StateCornerPane(viewModel: shell.tabBar)
    status = StatusPane(viewModel: shell.status, glyphs: shell.format.glyphs)
    hintBar = HintBarPane(viewModel: shell.hintBar)
    // The tabs have the same number, and are not on the screen then.
    tooSmall = TooSmallPane(
      localizer: shell.format.localizer, following: shell.tabBar.invalidation
    ) { [weak shell] in shell?.sidebar.totalUnread ?? 0 }
    tellKeys()
  }

  private func tellKeys() {
    shell.status.keysOf = { [weak self] name in
      KeyAction(rawValue: name).flatMap { self?.keys(of: $0) } ?? ""
    }
  }

  package var glyphs: Glyphs { shell.format.glyphs }

  /// The corner, for a screen without tabs; nothing for whoever hears it, to whom changes are told in words.
  func corner(_ size: Size) -> [Placement] {
    glyphs.isLinear ? [] : [Placement(stateCorner, stateCorner.frame(columns: size.columns))]
  }
  package var localizer: Localizer { shell.format.localizer }

  /// What stands before the words of a filter: a full-width colon brings its own gap.
  var filterLabel: String {
    let label = localizer("contacts.filter")
    return label.last?.isASCII == true ? label + " " : label
  }

  /// Has the hint bar tell the keys of a pane; help comes first wherever one is: it is the way to all the others.
  /// - Parameters:
  ///   - actions: those of the pane that are of use now; `nil`: all that are bound.
  ///   - names: the keys of the texts of those that are called otherwise now.
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

  /// What is done with a message, the most useful first: on a screen of 80 columns these have room.
  private static let messageHints: [KeyAction] = [
    .messageBelow, .retry, .replyMessage, .reactMessage, .editMessage, .deleteMessage,
    .openMessage, .saveFile, .viewPicture, .copyMessage,
  ]

  /// Whether the keys do it in that pane, where they can do something else than everywhere; Tab goes on from an empty input.
  private func reaches(_ keys: [Key], _ action: KeyAction, in context: KeyBinding.Context) -> Bool {
    let match = bindings.match(keys, in: context)
    return match == .action(action) || action == .nextPane && match == .action(.complete)
  }

  /// The keys of an action that holds everywhere, as they are shown; empty for none.
  func keys(of action: KeyAction) -> String {
    bindings.bindings.first { $0.action == action && $0.context == .everywhere }?.sequences.first
      .map { spelling($0) } ?? ""
  }

  // Two directions of one thing share a place.
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
