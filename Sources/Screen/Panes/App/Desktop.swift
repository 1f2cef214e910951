import Keys
import NatterCore
import Terminal
import ViewModels

/// The sub-apps of one account: which one is open, and what concerns all of them.
package final class Desktop {
  package let shell: ShellViewModel
  let frame: ShellFrame
  /// The sub-app with the conversations, which is created at once.
  package let chats: ChatsScreen

  /// The palette entries beyond the account's own: settings, themes.
  package var moreEntries: () -> [PaletteEntry] = { [] }
  let paletteMemory: RecentChoices
  /// Indicates whether a change of sub-apps is animated.
  package var slides = false
  /// Called before another sub-app is shown, with whether it comes from the right.
  var onSlide: (Bool) -> Void = { _ in }
  private let factories: [any SubAppFactory]
  private var made: [SubAppID: any SubApp] = [:]
  private var active = SubAppID.chats
  private var current: any SubApp
  private var shownPlacements: [Placement] = []

  /// - Parameters:
  ///   - showsSidebar: whether the list of conversations is shown by default.
  ///   - factories: the other sub-apps; each is created when it is first opened.
  ///   - pictures: draws the pictures of all panes.
  package init(
    shell: ShellViewModel, bindings: KeyBindingTable = .natter, showsSidebar: Bool = true,
    factories: [any SubAppFactory] = [], paletteMemory: RecentChoices = RecentChoices(),
    pictures: PictureBoard = PictureBoard()
  ) {
    self.shell = shell
    self.paletteMemory = paletteMemory
    let own = ChatsFactory(showsSidebar: showsSidebar)
    self.factories = ([own] + factories).sorted { $0.tab.position < $1.tab.position }
    frame = ShellFrame(
      shell: shell, bindings: bindings.reaching(self.factories.map(\.tab)), pictures: pictures)
    chats = own.makeChats(in: frame)
    current = chats
    made[own.tab.id] = chats
    for factory in self.factories { frame.tabBar.accents[factory.tab.id] = factory.accent }
    frame.tabBar.onSelect = { [weak self] in self?.open($0) }
    shell.onDemand = { [weak self] in self?.open(.chats) }
    shell.tools.scripts.attach()
    showTabs()
  }

  /// Switches to other key bindings.
  package func use(_ bindings: KeyBindingTable) {
    frame.bindings = bindings.reaching(tabs)
    for half in chats.halves { half.input.bindings = frame.bindings }
  }

  /// The tabs from the left.
  package var tabs: [SubAppTab] { factories.map(\.tab) }

  /// The tabs that perform an action which not all of them perform.
  func tabs(taking action: KeyAction) -> [SubAppTab] {
    factories.filter { $0.actions.contains(action) }.map(\.tab)
  }

  /// The sub-app that is shown.
  package var openID: SubAppID { active }

  /// Shows a sub-app in the state that it was left in; shows a notice if there is none with that
  /// id.
  package func open(_ id: SubAppID) {
    guard id != active else { return }
    let left = current
    if let there = made[id] {
      current = there
    } else if let factory = factories.first(where: { $0.tab.id == id }) {
      current = factory.makeSubApp(in: frame)
      made[id] = current
    } else {
      return shell.show(StatusNotice(.info, "status.noTab"))
    }
    let indices = Dictionary(
      tabs.map { ($0.id, $0.position) }, uniquingKeysWith: { first, _ in first })
    if slides { onSlide((indices[id] ?? 0) > (indices[active] ?? 0)) }
    left.leave()
    active = id
    shell.status.clear()
    showTabs()
  }

  /// Restores the state of another desktop: the same sub-app is open, and each that was opened
  /// there is in the same state.
  package func restore(from other: Desktop) {
    chats.restore(from: other.chats)
    for factory in factories where factory.tab.id != .chats {
      guard let left = other.made[factory.tab.id] else { continue }
      let subApp = factory.makeSubApp(in: frame)
      made[factory.tab.id] = subApp
      subApp.restore(from: left)
    }
    open(other.active)
  }

  /// Goes to a page of the open sub-app, and to an item of it.
  package func show(page: String, item: String) { current.show(page: page, item: item) }

  private func open(position: Int) {
    guard let tab = tabs.first(where: { $0.position == position }) else {
      return shell.show(StatusNotice(.info, "status.noTab"))
    }
    open(tab.id)
  }

  private func openNext() {
    let ids = tabs.map(\.id)
    if let index = ids.firstIndex(of: active) { open(ids[(index + 1) % ids.count]) }
  }

  private func showTabs() { shell.tabBar.show(tabs, active: active) }

  // MARK: For the coordinator

  package var context: KeyBinding.Context { current.context }
  /// The actions of that context that the focused pane performs; `nil`: all of them.
  package var acceptedActions: Set<KeyAction>? { current.acceptedActions }
  /// The prefix of the key descriptions that apply only in it.
  package var keyTexts: String { current.keyTexts }
  var focusedPane: any Pane { current.focusedPane }

  /// The frames of all panes on a screen of `size`: what `overlays` are about stays visible.
  func placements(in size: Size, under overlays: [any OverlayPane] = []) -> [Placement] {
    chats.coveredFrom = overlays.first(where: \.showsOthers)?.frame(in: size).origin.row
    shownPlacements = current.placements(in: size)
    return shownPlacements
  }

  /// The actions that only move the focus to another part of the screen.
  private static let ways = Set<KeyAction>([
    .nextTab, .nextConversation, .previousConversation, .nextUnread, .lastConversation, .nextPane,
    .previousPane, .toggleSidebar,
  ]).union(KeyAction.tabs).union(KeyAction.conversationNumbers)

  /// The actions of a user who navigates or looks around, in contrast to writing.
  private static let looks = ways.union([
    .cancel, .open, .selectNext, .selectPrevious, .selectFirst, .selectLast,
  ])

  /// The actions that an address may name, which can come from anyone: they only navigate or show
  /// something.
  private static let shown = ways.union([
    .palette, .help, .nextAccount, .toggleDetails, .toggleTheme, .redraw, .newest, .oldest,
  ])

  /// Returns whether the action of that name only navigates or shows something.
  package static func shows(actionNamed name: String) -> Bool {
    KeyAction(rawValue: name).map(shown.contains) ?? false
  }

  /// Updates the unread counts that a screen reader reads.
  func personLooks() {
    shell.tabBar.personActed()
    chats.sidebar.personActed()
  }

  /// Performs an action.
  /// - Returns: `.ignored` when there is nothing on the screen that it applies to.
  @discardableResult func perform(_ action: KeyAction) -> KeyDisposition {
    defer { if Self.looks.contains(action) { personLooks() } }
    if let index = KeyAction.tabs.firstIndex(of: action) {
      open(position: index + 1)
      return .handled
    }
    switch action {
    case .nextTab: openNext()
    case .connectNow: shell.connect()
    case .answerScript: shell.tools.scripts.showQuestionOrNotice()
    case .nextConversation, .previousConversation, .nextUnread, .lastConversation, .pickFiles:
      open(.chats)
      _ = chats.perform(action)
    case _ where KeyAction.conversationNumbers.contains(action):
      open(.chats)
      _ = chats.perform(action)
    default: return current.perform(action)
    }
    return .handled
  }

  func takesFirst(_ key: Key) -> Bool { current.takesFirst(key) }
  func partsOfChord(_ key: Key) -> [Key] { current.partsOfChord(key) }
  func takesUnbound(_ key: Key) { current.takesUnbound(key) }
  func paste(_ text: String) { current.paste(text) }

  /// The key hint at a point of the screen; `nil`: none.
  func hint(at point: Point) -> String? {
    guard let position = shownPlacements.first(where: { $0.frame.contains(point) }) else {
      return nil
    }
    let inner = point.inside(position.frame)
    if position.pane === frame.hintBar { return frame.hintBar.hintLine.text(at: inner) }
    return position.pane === frame.status ? frame.status.hintLine.text(at: inner) : nil
  }

  func handle(_ mouse: MouseEvent) {
    if let bar = shownPlacements.first(where: { $0.pane === frame.tabBar }),
      bar.frame.contains(mouse.at),
      frame.tabBar.handle(mouse) == .handled
    {
      return
    }
    current.handle(mouse)
  }

  /// Reports whether the messages can be visible to the user.
  func updateAttention(isCovered: Bool) {
    chats.updateAttention(isCovered: isCovered || active != .chats)
  }

  /// Reports whether the terminal's window has the focus, also while the chats are not shown.
  package func terminalFocusChanged(_ isFocused: Bool) { chats.terminalFocusChanged(isFocused) }
}
