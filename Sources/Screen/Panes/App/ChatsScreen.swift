import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// The sub-app Chats: its panes, where each goes, which has the focus.
package final class ChatsScreen: SubApp {
  /// The panes and the model that its factory puts it together from.
  struct Parts {
    let sidebar: SidebarPane
    let accounts: AccountListPane
    /// The conversation that is open; a second one gets panes of its own.
    let conversation: ConversationPanes
    let members: MembersPane
    let personModel: PersonViewModel
    let person: PersonPane
  }

  package let shell: ShellViewModel

  let frame: ShellFrame
  let sidebar: SidebarPane
  private let members: MembersPane
  let person: PersonPane
  let personModel: PersonViewModel
  let accounts: AccountListPane
  private let divider: DividerPane
  /// The panes of each conversation view, in the order of the views.
  var halves: [ConversationPanes] = []

  var preferences = ScreenLayout.Preferences()
  var focus = FocusRing()
  var layout = ScreenLayout(size: Size(rows: 24, columns: 80))
  /// Indicates whether list and conversation were pages when there was last room for anything.
  private var wasPaged = false
  /// The last notice about two conversations, for a screen of this size.
  var reportedSplit: StatusNotice?
  var size = Size(rows: 0, columns: 0)
  private var shownCompletion: Completion?
  private var isTerminalFocused = true
  /// Indicates whether the notice how to select text despite the mouse was shown: once is enough.
  private var knowsSelecting = false
  /// The mouse at the sidebar's edge.
  var edge = EdgeDrag()
  /// The widths of the sidebar that the user has set.
  var widths = ListWidths()
  /// Indicates whether the mouse holds the line between two conversations.
  var holdsDivider = false

  /// - Parameter showsSidebar: whether the sidebar is beside a conversation until the user decides.
  init(frame: ShellFrame, parts: Parts, showsSidebar: Bool) {
    let shell = frame.shell
    self.shell = shell
    self.frame = frame
    sidebar = parts.sidebar
    members = parts.members
    personModel = parts.personModel
    person = parts.person
    accounts = parts.accounts
    divider = DividerPane(glyphs: frame.glyphs)
    halves = [parts.conversation]
    sidebar.onOpen = { [weak self] in self?.shell.openSelection() }
    accounts.onSelect = { [weak self] in self?.shell.actions.showAccount($0) }
    members.onOpen = { [weak self] in self?.shell.openMember() }
    shell.onToggleDetails = { [weak self] in self?.toggleDetails() }
    shell.onCopy = { [weak self] text in
      for half in self?.halves ?? [] { half.input.remember(text) }
    }
    shell.onSplit = { [weak self] in self?.split($0) }
    shell.onOpen = { [weak self] in self?.conversationOpened() }
    shell.readPreferences { [weak self] values in
      self?.widths = ListWidths(values[PreferenceKey.sidebarWidth])
      self?.preferences.splitShare = values[PreferenceKey.splitShare].flatMap { Int($0) }
      self?.knowsSelecting = values[PreferenceKey.selecting] != nil
    }
    preferences.page = .list
    preferences.showsSidebarByDefault = showsSidebar
    // The user cannot have seen what has not been on a screen.
    for slot in shell.slots { slot.timeline.isAttended = false }
  }

  /// Shows what `other` showed, the list or the conversation, and has the focus where it was there.
  package func restore(from other: ChatsScreen) {
    (preferences, widths, focus) = (other.preferences, other.widths, other.focus)
    preferences.split = nil
  }

  /// Indicates whether the input line has vi's keys.
  package var usesVi: Bool {
    get { input.usesVi }
    set { for half in halves where half.input.usesVi != newValue { half.input.usesVi = newValue } }
  }

  /// Indicates whether the sidebar is shown where there is room, until the user decides otherwise.
  package var showsSidebarByDefault: Bool {
    get { preferences.showsSidebarByDefault }
    set { preferences.showsSidebarByDefault = newValue }
  }

  /// Indicates whether the connection to the terminal is slow. Then the conversation has the whole
  /// width, as a side pane multiplies the cost of each message, unless the user shows one.
  package var isSlow = false

  /// The first row under an overlay about the messages above it; `nil` without an overlay.
  var coveredFrom: Int?

  /// The context whose bindings apply now.
  package var context: KeyBinding.Context { focus.current.context }

  /// The pane with the focus, for the hardware cursor and for keys that are bound to nothing.
  package var focusedPane: any Pane {
    if layout.tooSmall != nil { return frame.tooSmall }
    return switch focus.current {
    case .sidebar: sidebar
    case .accounts: accounts
    case .messages: timeline
    case .request: request
    case .details: details
    case .input: input
    }
  }

  /// The pane beside the conversation: the occupants of a room, or the details of a contact.
  private var details: any Pane { shell.members.room == nil ? person : members }

  // MARK: Layout

  /// Returns the frame of each pane on a screen of `size`; brings hints and focus up to date.
  package func placements(in size: Size) -> [Placement] {
    if size != self.size {
      // The user's own choice holds until the size class changes.
      if ScreenLayout.sizeClass(size) != ScreenLayout.sizeClass(self.size) {
        preferences.showsSidebar = nil
        preferences.showsDetails = nil
      }
      self.size = size
      followReportedSplit()
    }
    layout = measure(size)
    // What was being read stays in sight where there is room for one of the two only.
    if layout.isPaged, !wasPaged, focus.current != .sidebar,
      shell.activeConversation != nil
    {
      preferences.page = .conversation
      layout = measure(size)
    }
    updateFocus()
    if layout.tooSmall == nil {
      if wasPaged, !layout.isPaged { focus.focus(.input) }
      wasPaged = layout.isPaged
    }
    // Left and right, sorting, refreshing and the actions on files mean nothing in these lists.
    var own = Set(KeyAction.allCases).subtracting(Self.foreign)
    if context == .list { own.remove(.viewPicture) }
    if focus.current == .details {
      own = shell.members.room == nil ? [.selectNext] : [.selectNext, .open]
    }
    if focus.current == .accounts { own = [.selectNext, .open] }
    if context == .messages { own.subtract(MessageHints.impossible(in: shell)) }
    if focus.current == .request { own = [.valueAfter, .open, .remove] }
    frame.showHints(for: context, only: own)
    var placements: [Placement] = []
    func slot(_ pane: any Pane, _ rect: Rect?) {
      if let rect, rect.size.rows > 0, rect.size.columns > 0 {
        placements.append(Placement(pane, rect))
      }
    }
    slot(frame.tooSmall, layout.tooSmall)
    slot(frame.tabBar, layout.tabBar)
    slot(sidebar, layout.sidebar)
    slot(accounts, layout.accounts)
    slot(divider, layout.divider)
    if let other = otherHalf {
      slot(other.header, layout.other?.header)
      slot(other.timeline, layout.other?.timeline)
      slot(other.input, layout.other?.input)
    }
    slot(header, layout.header)
    slot(timeline, layout.timeline)
    slot(request, layout.request)
    slot(frame.status, layout.status)
    personModel.show(
      layout.details == nil || shell.members.room != nil ? nil : shell.activeConversation)
    slot(details, layout.details)
    slot(input, layout.input)
    slot(frame.hintBar, layout.hintBar)
    if layout.tabBar == nil, layout.tooSmall == nil { placements += frame.corner(size) }
    slot(popup, popupFrame)
    return placements
  }

  func measure(_ size: Size) -> ScreenLayout {
    var preferences = preferences
    preferences.sidebarColumns = widths[size]
    preferences.hasDetails = shell.activeConversation != nil
    preferences.showsDetailsByDefault = !isSlow
    if isSlow { preferences.showsSidebarByDefault = false }
    followSplit()
    (preferences.split, preferences.currentHalf) = (shell.split, currentHalf)
    preferences.isLinear = frame.glyphs.isLinear
    preferences.accountRows = accounts.wantedRows
    input.isNarrow = size.columns < ScreenLayout.narrowWidth
    let hasRows =
      shell.sidebar.filter != nil || shell.sidebar.items.contains(where: \.isSelectable)
    // With an empty list the conversation is first, as commands can be typed there. With several
    // accounts the user can go back to the list for them.
    if preferences.page == .list, !hasRows, preferences.accountRows == 0 || !wasPaged {
      preferences.page = .conversation
    }
    let first = ScreenLayout(size: size, preferences: preferences)
    let columns = first.input?.size.columns ?? size.columns
    preferences.inputRows = input.rows(width: columns, screen: size)
    if let other = otherHalf, let frame = first.other {
      preferences.otherInputRows = other.input.rows(width: frame.input.size.columns, screen: size)
    }
    let position = input.position(width: columns, rows: preferences.inputRows)
    shell.status.show(
      inputPosition: position.map {
        shell.format.localizer("input.lines", ["line": "\($0.row)", "count": "\($0.count)"])
      } ?? "")
    preferences.statusRows = frame.status.rows(width: columns, screenRows: size.rows)
    self.preferences.inputRows = preferences.inputRows
    var layout = ScreenLayout(size: size, preferences: preferences)
    if request.isNeeded { layout.layOutRequest() }
    if let coveredFrom { layout.endMessages(above: coveredFrom) }
    (sidebar.isPage, accounts.isPage) = (layout.isPaged, layout.isPaged)
    for half in halves {
      half.header.isPage = layout.isPaged
      half.timeline.isNarrow = layout.isNarrow
      half.timeline.isPlain = preferences.isPlain
      half.timeline.isListEmpty = !hasRows
    }
    return layout
  }

  private var popupFrame: Rect? {
    if shell.input.completion != shownCompletion {
      shownCompletion = shell.input.completion
      popup.invalidation.raise()
    }
    return layout.input.flatMap { popup.frame(above: $0) }
  }

  func updateFocus() {
    var targets: [FocusTarget] = []
    if layout.sidebar != nil { targets.append(.sidebar) }
    if layout.accounts != nil, focus.current == .accounts { targets.append(.accounts) }
    if layout.timeline != nil, shell.sidebar.active != nil { targets.append(.messages) }
    if layout.request != nil { targets.append(.request) }
    if layout.input != nil { targets.append(.input) }
    if layout.details != nil { targets.append(.details) }
    if layout.tooSmall == nil { focus.update(targets) }
    shell.sidebar.isFocused = focus.current == .sidebar
    shell.accounts.isFocused = focus.current == .accounts
    // Of two conversations, the header shows which has the focus, wherever it is within.
    shell.header.isFocused =
      focus.current == .messages || layout.other != nil && focus.current == .input
    shell.otherSlot?.header.isFocused = false
    focusMessages()
    shell.members.isFocused = focus.current == .details
    personModel.isFocused = focus.current == .details
    request.isFocused = focus.current == .request
    shell.input.isFocused = focus.current == .input
  }

  /// Updates whether the user can be looking at the messages.
  func updateAttention(isCovered: Bool) {
    for slot in shell.slots {
      let isShown = slot === shell.current ? layout.timeline != nil : layout.other != nil
      slot.timeline.isOnScreen = !isCovered && isShown && slot.conversation != nil
      let isAttended = isTerminalFocused && slot.timeline.isOnScreen
      if slot.timeline.isAttended != isAttended { slot.timeline.isAttended = isAttended }
    }
  }

  func terminalFocusChanged(_ isFocused: Bool) {
    isTerminalFocused = isFocused
    shell.terminalFocusChanged(isFocused)
  }

  func conversationOpened() {
    preferences.page = .conversation
    layout = measure(size)
    focus.update([.input])
    updateFocus()
  }

  // MARK: Keys

  /// Gives a key to what comes before all bindings: a question, a filter, the text being edited.
  /// - Returns: whether it was taken.
  package func takesFirst(_ key: Key) -> Bool {
    dropNarrowness()
    // An invisible question is not answered.
    if layout.tooSmall == nil, answersPaste(key) { return true }
    if focus.current == .sidebar, shell.sidebar.filter != nil {
      return shell.sidebar.take(key, by: frame.bindings)
    }
    if focus.current == .input, shell.input.completion == nil, input.takesFirst(key) { return true }
    if isForInput(key) {
      takesUnbound(key)
      return true
    }
    // Home and End belong to the text, where there is one.
    if focus.current == .input, !shell.input.text.isEmpty, frame.bindings.leavesToText(key) {
      return input.handle(key) == .handled
    }
    return false
  }

  package func partsOfChord(_ key: Key) -> [Key] {
    focus.current == .input ? input.partsOfChord(key) : []
  }

  /// Returns whether a letter is bound in lists to an action that the focused pane does not have:
  /// then it is typed like all other letters, and so is what follows it.
  private func isForInput(_ key: Key) -> Bool {
    guard context == .list, key.isText, let accepted = acceptedActions,
      case .action(let action) = frame.bindings.match([key], in: .list),
      frame.bindings.bindings(in: .list).contains(where: { $0.action == action })
    else { return false }
    return action != .help && !accepted.contains(action)
  }

  /// Gives an unbound key to the focused pane. Letters go to the input from anywhere, and are kept
  /// there even if there is no room to show it.
  package func takesUnbound(_ key: Key) {
    let isTooSmall = layout.tooSmall != nil
    if !isTooSmall, focusedPane.handle(key) == .handled { return }
    if isTooSmall {
      if key.isText || focus.current == .input { _ = input.handle(key) }
      return
    }
    guard key.isText else { return }
    if layout.input == nil { conversationOpened() }
    focus.focus(.input)
    _ = input.handle(key)
  }

  package func handle(_ mouse: MouseEvent) {
    if let frame = popupFrame, !edge.isHeld, !holdsDivider, frame.contains(mouse.at) {
      _ = popup.handle(mouse.inside(frame))
      return
    }
    if dragsEdge(mouse) || dragsDivider(mouse) { return }
    if mouse.action == .drag, !knowsSelecting {
      knowsSelecting = true
      shell.remember("told", as: PreferenceKey.selecting)
      shell.show(StatusNotice(.info, "status.selecting"))
    }
    if mouse.action == .press, layout.details?.contains(mouse.at) != true,
      layout.other?.contains(mouse.at) == true
    {
      useOtherHalf()
    }
    // Two lists: from one of pairs the compiler made other code in each build.
    let other = otherHalf?.timeline ?? timeline
    let panes: [any Pane] = [details, sidebar, accounts, request, timeline, input, other]
    for (pane, frame) in zip(panes, layout.targets) {
      guard let frame, frame.contains(mouse.at) else { continue }
      let inner = mouse.inside(frame)
      if pane === input, mouse.action == .press { focus.focus(.input) }
      if pane === timeline, mouse.action == .press { return clickMessages(inner) }
      _ = pane.handle(inner)
      return
    }
    if mouse.action == .press, let slot = layout.status, slot.contains(mouse.at),
      frame.status.isSide(mouse.at.inside(slot), in: slot.size), shell.timeline.newBelow > 0
    {
      return timeline.scrollToNewest()
    }
    // In the paged form the header's first column is the way back.
    if layout.isPaged, mouse.action == .press, layout.header?.contains(mouse.at) == true {
      backToList()
    }
  }
}
