import NatterCore
import Terminal
import ViewModels

/// The sub-apps of one account: which is open, and what goes to all of them.
package final class Desktop {
  package let shell: ShellViewModel
  let frame: ShellFrame
  /// The sub-app with the conversations: the one that is there at once.
  package let chats: ChatsScreen

  /// What the palette finds beside the account's own: settings, themes.
  package var moreEntries: () -> [PaletteEntry] = { [] }
  let paletteMemory: RecentChoices
  /// Whether another sub-app slides in.
  package var slides = false
  /// Called before another sub-app is shown, with whether it comes from the right.
  var onSlide: (Bool) -> Void = { _ in }
  private let factories: [any SubAppFactory]
  private var made: [SubAppID: any SubApp] = [:]
  private var active = SubAppID.chats
  private var current: any SubApp
  private var placed: [Placement] = []

  /// - Parameters:
  ///   - showsSidebar: whether the list of conversations is shown beside one until the person says otherwise.
  ///   - factories: the other sub-apps; none is made before it is opened.
  ///   - pictures: draws those of all panes.
  package init(
    shell: ShellViewModel, bindings: KeyBindingTable = .natter, showsSidebar: Bool = true,
    factories: [any SubAppFactory] = [], paletteMemory: RecentChoices = RecentChoices(),
    pictures: PictureBoard = PictureBoard()
  ) {
    self.shell = shell
    self.paletteMemory = paletteMemory
    let own = ChatsFactory(showsSidebar: showsSidebar)
    self.factories = ([own] + factories).sorted { $0.tab.place < $1.tab.place }
    frame = ShellFrame(
      shell: shell, bindings: bindings.reaching(self.factories.map(\.tab)), pictures: pictures)
    chats = own.makeChats(in: frame)
    current = chats
    made[own.tab.id] = chats
    for factory in self.factories { frame.tabBar.accents[factory.tab.id] = factory.accent }
    frame.tabBar.onSelect = { [weak self] in self?.open($0) }
    shell.onWish = { [weak self] in self?.open(.chats) }
    showTabs()
  }

  /// Tells other keys from here on.
  package func use(_ bindings: KeyBindingTable) {
    frame.bindings = bindings.reaching(tabs)
    for half in chats.halves { half.input.bindings = frame.bindings }
  }

  /// The tabs from the left.
  package var tabs: [SubAppTab] { factories.map(\.tab) }

  /// The tabs that do an action which not all of them do.
  func tabs(taking action: KeyAction) -> [SubAppTab] {
    factories.filter { $0.actions.contains(action) }.map(\.tab)
  }

  /// The sub-app that is shown.
  package var openID: SubAppID { active }

  /// Shows a sub-app where it was left; one that is not there is told of.
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
    let places = Dictionary(tabs.map { ($0.id, $0.place) }, uniquingKeysWith: { first, _ in first })
    if slides { onSlide((places[id] ?? 0) > (places[active] ?? 0)) }
    left.leave()
    active = id
    shell.status.clear()
    showTabs()
  }

  /// Goes to where somebody was in another one: the same sub-app is open, and each that was opened there is where it was.
  package func takePlace(of other: Desktop) {
    chats.takePlace(of: other.chats)
    for factory in factories where factory.tab.id != .chats {
      guard let left = other.made[factory.tab.id] else { continue }
      let subApp = factory.makeSubApp(in: frame)
      made[factory.tab.id] = subApp
      subApp.takePlace(of: left)
    }
    open(other.active)
  }

  /// Goes to a page of the sub-app that is open, and to a thing on it.
  package func show(page: String, item: String) { current.show(page: page, item: item) }

  private func open(place: Int) {
    guard let tab = tabs.first(where: { $0.place == place }) else {
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
  /// What of the bindings of that context the focused pane does anything for; `nil`: all of them.
  package var acceptedActions: Set<KeyAction>? { current.acceptedActions }
  /// Where the words are for what keys do in it.
  package var keyWords: String { current.keyWords }
  var focusedPane: any Pane { current.focusedPane }

  /// Where everything goes on a screen of `size`: what `overlays` are about stays in sight.
  func placements(in size: Size, under overlays: [any OverlayPane] = []) -> [Placement] {
    chats.coveredFrom = overlays.first(where: \.showsOthers)?.frame(in: size).origin.row
    placed = current.placements(in: size)
    return placed
  }

  /// What only goes somewhere, whatever has the keys.
  private static let ways = Set<KeyAction>([
    .nextTab, .nextConversation, .previousConversation, .nextUnread, .lastConversation, .nextPane,
    .previousPane, .toggleSidebar,
  ]).union(KeyAction.tabs).union(KeyAction.conversationNumbers)

  /// What somebody does who goes somewhere or looks round, in contrast to writing.
  private static let looks = ways.union([
    .cancel, .open, .selectNext, .selectPrevious, .selectFirst, .selectLast,
  ])

  /// What an address, which anybody may have written, can do: it goes somewhere or shows something.
  private static let shown = ways.union([
    .palette, .help, .nextAccount, .toggleDetails, .toggleTheme, .redraw, .newest, .oldest,
  ])

  /// Whether all that the action of that name does is to go somewhere, or to show something.
  package static func shows(actionNamed name: String) -> Bool {
    KeyAction(rawValue: name).map(shown.contains) ?? false
  }

  /// Whoever hears the screen has the numbers of what is unread as they are now.
  func personLooks() {
    shell.tabBar.personActed()
    chats.sidebar.personActed()
  }

  /// Does what is bound to a key.
  /// - Returns: whether there is anything on the screen that it is done to.
  @discardableResult func perform(_ action: KeyAction) -> KeyDisposition {
    defer { if Self.looks.contains(action) { personLooks() } }
    if let index = KeyAction.tabs.firstIndex(of: action) {
      open(place: index + 1)
      return .handled
    }
    switch action {
    case .nextTab: openNext()
    case .connectNow: shell.connect()
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

  /// The keys that stand at a place of the screen, with what they do; `nil`: none.
  func hint(at point: Point) -> String? {
    guard let place = placed.first(where: { $0.frame.contains(point) }) else { return nil }
    let inner = point.inside(place.frame)
    if place.pane === frame.hintBar { return frame.hintBar.hintLine.text(at: inner) }
    return place.pane === frame.status ? frame.status.hintLine.text(at: inner) : nil
  }

  func handle(_ mouse: MouseEvent) {
    if let bar = placed.first(where: { $0.pane === frame.tabBar }), bar.frame.contains(mouse.at),
      frame.tabBar.handle(mouse) == .handled
    {
      return
    }
    current.handle(mouse)
  }

  /// Tells whether a person can be looking at the messages.
  func updateAttention(isCovered: Bool) {
    chats.updateAttention(isCovered: isCovered || active != .chats)
  }

  /// Tells it, also while it is not shown, whether the terminal's window has the focus.
  package func terminalFocusChanged(_ isFocused: Bool) { chats.terminalFocusChanged(isFocused) }
}
