import FoundationEssentials
import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// The single entry point of keys, pastes, mouse events and size changes. Overlays get input first,
/// then the desktop; before there is an account there are only overlays.
package final class AppCoordinator {
  /// The delay after a prefix such as `^X` before the keys that can follow are shown.
  private static let whichKeyDelay = Duration.milliseconds(600)

  package let display: Display
  /// The sub-apps of the account; `nil` until the user has signed in.
  package private(set) var desktop: Desktop?

  private let screen: any Screen
  /// The current bindings, including those of the desktop's tabs.
  var bindings: KeyBindingTable { desktop?.frame.bindings ?? givenBindings }
  private var givenBindings: KeyBindingTable
  private(set) var localizer: Localizer
  private var spelling: KeySpelling
  private let scheduler: Scheduler
  private let actions: ShellActions
  private let now: () -> Date
  private var whichKey: WhichKeyPane
  private(set) var glyphs: Glyphs
  /// Shown alone when the screen has no room for an overlay.
  private var tooSmall: TooSmallPane
  /// Called when an overlay has closed.
  package var onOverlayGone: () -> Void = {}

  var overlays: [any OverlayPane] = []
  /// The dialogs that wait for the open one to close, oldest first.
  var waitingQuestions: [DialogPane] = []
  private var overlayCount = 0
  private var prefix: [Key] = []
  private var cancelWhichKey: (() -> Void)?
  private var showsWhichKey = false
  private var lastInterrupt = Date.distantPast
  /// The view model of the open palette.
  weak var palette: PaletteViewModel?

  /// - Parameters:
  ///   - actions: what keys do to the program; the same as the shell's.
  ///   - scheduler: times frames and the which-key window.
  package init(
    screen: any Screen, bindings: KeyBindingTable = .natter, localizer: Localizer, glyphs: Glyphs,
    scheduler: Scheduler, actions: ShellActions, now: @escaping () -> Date = { Date() }
  ) {
    self.screen = screen
    givenBindings = bindings
    self.localizer = localizer
    self.scheduler = scheduler
    self.actions = actions
    self.now = now
    spelling = KeySpelling(localizer: localizer)
    self.glyphs = glyphs
    whichKey = WhichKeyPane(glyphs: glyphs)
    tooSmall = TooSmallPane(localizer: localizer)
    display = Display(screen: screen, scheduler: scheduler)
    display.beforeFrame = { [weak self] in self?.arrange() }
    showLook()
  }

  /// Shows the sub-apps of an account, or only overlays.
  package func show(_ desktop: Desktop?) {
    self.desktop?.shell.onTitle = {}
    self.desktop?.shell.onBell = {}
    self.desktop?.onSlide = { _ in }
    // The old desktop is no longer visible.
    if self.desktop !== desktop { self.desktop?.updateAttention(isCovered: true) }
    desktop?.onSlide = { [weak self] in self?.display.slide(fromRight: $0) }
    self.desktop = desktop
    showLook()
    desktop?.shell.onTitle = { [weak self] in self?.showTitle() }
    desktop?.shell.onBell = { [weak self] in self?.screen.bell() }
    showTitle()
    update()
  }

  /// Switches to another language.
  package func use(_ localizer: Localizer) {
    self.localizer = localizer
    spelling = KeySpelling(localizer: localizer)
    tooSmall = TooSmallPane(localizer: localizer)
  }

  /// Switches to other key bindings.
  package func use(_ bindings: KeyBindingTable) {
    givenBindings = bindings
    endPrefix()
    desktop?.use(bindings)
    for overlay in overlays { overlay.use(self.bindings) }
    update()
  }

  /// Switches to other glyphs for the coordinator's own windows.
  package func use(_ glyphs: Glyphs) {
    self.glyphs = glyphs
    whichKey = WhichKeyPane(glyphs: glyphs)
    showLook()
  }

  /// Reads the screen's size again and redraws everything.
  package func screenDidResize() {
    arrange()
    display.drawAll()
    display.drawFrame()
  }

  /// Called when the minute of the clock changes.
  package func minutePassed() { desktop?.shell.minutePassed() }

  // MARK: Input

  /// Performs what `event` asks for and draws the result at once.
  package func handle(_ event: InputEvent) {
    switch event {
    case .key(let key): handle(key)
    case .paste(let text):
      endPrefix()
      if isCramped { break }
      if let overlay = overlays.last, !yields(overlay) {
        _ = overlay.handlePaste(text)
      } else {
        desktop?.paste(text)
      }
    case .mouse(let mouse): if !isCramped { handle(mouse) }
    case .focus(let isFocused): desktop?.terminalFocusChanged(isFocused)
    case .hangup: actions.quit()
    }
    update()
  }

  private func handle(_ key: Key) {
    if prefix.isEmpty, overlays.isEmpty, let parts = desktop?.partsOfChord(key), !parts.isEmpty {
      return parts.forEach(handle)
    }
    if prefix.isEmpty, takes(key) { return }
    let keys = prefix + [key]
    let context = keyContext
    switch bindings.match(keys, in: context) {
    case .action(let action):
      endPrefix()
      // A chord that does nothing in the open overlay was Esc followed quickly by a key.
      if perform(action) == .ignored, keys == [key], !overlays.isEmpty {
        for part in key.partsOfChord(by: bindings) { handle(.key(part)) }
      }
    case .script(let key): run(key)
    case .prefix: begin(keys, in: context)
    case .none:
      if showsWhichKey, turnsWhichKey(key) { return }
      let isSequence = !prefix.isEmpty
      endPrefix()
      // An unbound chord was Esc and a quick key: both are handled, so that no text is lost.
      let parts = key.partsOfChord(by: bindings)
      if isSequence {
        // Esc ended it. Any other second key of an unknown sequence is never taken as text.
        if let key = parts.last { handle(.key(key)) }
      } else if !overlays.isEmpty {
        for key in parts { handle(.key(key)) }
      } else if key == .alt("/") {
        // Without its slash a command would be sent as a message.
        perform(.cancel)
        desktop?.takesUnbound(.character("/"))
      } else if parts.isEmpty {
        desktop?.takesUnbound(key)
      } else {
        for key in parts { handle(.key(key)) }
      }
    }
  }

  /// Offers a key to what takes keys before the bindings.
  private func takes(_ key: Key) -> Bool {
    if key.isText, !isCramped, let overlay = overlays.last { _ = yields(overlay) }
    guard let overlay = overlays.last else { return desktop?.takesFirst(key) ?? false }
    // Nothing answers or practises on an overlay that is not visible.
    if isCramped || !overlay.practisesKeys, Key.alwaysHeld.contains(key) { return false }
    return isCramped || overlay.handle(key) == .handled
  }

  /// Dismisses an overlay that opened by itself when the user starts to type.
  /// - Returns: whether no overlay is left.
  private func yields(_ overlay: any OverlayPane) -> Bool {
    guard overlay.yieldsToTyping, desktop != nil else { return false }
    overlay.dismiss()
    overlays.removeAll { $0 === overlay && $0.isDismissed }
    return overlays.isEmpty
  }

  /// - Returns: `.ignored` when there is nothing that the action applies to.
  @discardableResult func perform(_ action: KeyAction) -> KeyDisposition {
    switch action {
    case .quit: actions.quit()
    case .redraw:
      desktop?.personLooks()
      actions.redraw()
    case .suspend: actions.suspend()
    case .toggleTheme: actions.toggleTheme()
    case .palette: showPalette()
    case .connectNow: return desktop?.perform(action) ?? .ignored  // Also above its alert.
    // Above any other overlay, and back to it; a second help does not open.
    case .help: if !(overlays.last is HelpPane) { actions.showHelp(nil) }
    default:
      if let overlay = overlays.last { return perform(action, on: overlay) }
      guard action == .nextAccount else { return desktop?.perform(action) ?? .ignored }
      actions.showNextAccount()
    }
    return .handled
  }

  private func perform(_ action: KeyAction, on overlay: any OverlayPane) -> KeyDisposition {
    switch action {
    case .cancel: overlay.dismiss()
    case .interrupt where !overlay.hidesOthers: overlay.dismiss()
    // There is nothing behind the overlay to return to, so a second interrupt quits.
    case .interrupt where lastInterrupt.isRecent(2, at: now()): actions.quit()
    case .interrupt: lastInterrupt = now()
    default: return .ignored
    }
    return .handled
  }

  private func handle(_ mouse: MouseEvent) {
    let isClick = mouse.action == .press && mouse.button == 1
    if isClick { endPrefix() }
    guard let overlay = overlays.last else {
      if isClick, press(desktop?.hint(at: mouse.at)) { return }
      desktop?.handle(mouse)
      return
    }
    let frame = frame(of: overlay)
    guard frame.contains(mouse.at) else {
      if isClick, overlay.closesOnClickBeside { overlay.dismiss() }
      return
    }
    let inner = mouse.inside(frame)
    if isClick, press(overlay.hintLine.text(at: inner.at)) { return }
    _ = overlay.handle(inner)
  }

  /// Presses the keys that `hint` is or begins with.
  /// - Returns: whether there are any.
  private func press(_ hint: String?) -> Bool {
    guard let hint, let keys = spelling.keys(hint) ?? spelling.firstKey(in: hint).map({ [$0] })
    else { return false }
    for key in keys { handle(key) }
    return true
  }

  /// The context of the focused pane's bindings; while an overlay is open, only global bindings
  /// apply.
  package var keyContext: KeyBinding.Context {
    overlays.isEmpty ? desktop?.context ?? .everywhere : .everywhere
  }

  private func showPalette() {
    guard let desktop, overlays.isEmpty else { return }
    let model = desktop.makePalette(bindings: bindings) { [weak self] in self?.performOrReport($0) }
    palette = model
    let pane = PalettePane(viewModel: model, glyphs: glyphs)
    model.onRun = { [weak self] entry in
      self?.remove(pane)
      entry.run()
    }
    present(pane)
    desktop.shell.findMore(for: model)
  }

  // MARK: Key sequences

  private func begin(_ keys: [Key], in context: KeyBinding.Context) {
    prefix = keys
    cancelWhichKey?()
    cancelWhichKey = scheduler.after(Self.whichKeyDelay) { [weak self] in
      self?.showWhichKey(keys, in: context)
    }
  }

  func endPrefix() {
    prefix = []
    cancelWhichKey?()
    cancelWhichKey = nil
    showsWhichKey = false
  }

  /// Scrolls the which-key window when it has no room for all continuations.
  private func turnsWhichKey(_ key: Key) -> Bool {
    switch key {
    case Key(.pageDown): whichKey.turn(by: 1)
    case Key(.pageUp): whichKey.turn(by: -1)
    default: false
    }
  }

  private func showWhichKey(_ keys: [Key], in context: KeyBinding.Context) {
    let numbers = KeyAction.conversationNumbers
    let entries = bindings.continuations(of: keys, in: context).compactMap {
      rest, binding -> HintItem? in
      // The ten number keys are listed as a single entry.
      if binding.action == numbers.first {
        return HintItem(keys: "1..0", label: localizer("key.conversationNumber"))
      }
      if numbers.contains(binding.action) { return nil }
      return HintItem(keys: spelling(rest), label: localizer(binding.descriptionKey))
    }
    whichKey.turning = spelling([Key(.pageDown)])
    whichKey.show(title: spelling(keys), entries)
    showsWhichKey = true
    update()
  }

  // MARK: Drawing

  func update() { display.drawFrame(after: arrange) }

  /// Sets what the display shows now.
  private func arrange() {
    overlays.removeAll { $0.isDismissed }
    showNextQuestion()
    let before = overlayCount
    overlayCount = overlays.count
    if overlayCount < before {
      if glyphs.isLinear { desktop?.shell.status.forgetReported() }
      onOverlayGone()
    }
    let size = screen.size
    let isCovered = overlays.contains(where: hidesOthers)
    var placements: [Placement] = []
    if let desktop {
      let own = desktop.placements(in: size, under: overlays)
      desktop.updateAttention(isCovered: isCovered)
      if !isCovered { placements = own }
    }
    let first = overlays.lastIndex(where: hidesOthers) ?? 0
    for overlay in overlays.dropFirst(first) {
      placements.append(Placement(overlay, frame(of: overlay)))
    }
    if isCovered, let news = newsFrame, let status = desktop?.frame.status {
      placements.append(Placement(status, news))
    }
    if showsWhichKey { placements.append(Placement(whichKey, whichKey.frame(in: size))) }
    let heard: (any Pane)? = showsWhichKey && glyphs.isLinear ? whichKey : nil
    // A desktop shows this notice by itself.
    if isCramped {
      let tooSmall = desktop?.frame.tooSmall ?? tooSmall
      placements = [
        Placement(tooSmall, Rect(row: 0, column: 0, rows: size.rows, columns: size.columns))
      ]
    }
    display.waiting = desktop?.frame.status
    display.show(
      placements,
      focused: isCramped
        ? desktop?.frame.tooSmall ?? tooSmall : heard ?? overlays.last ?? desktop?.focusedPane)
  }

  // MARK: For a screen reader

  /// Returns whether `overlay` hides everything else: a screen reader gets one thing at a time.
  private func hidesOthers(_ overlay: any OverlayPane) -> Bool {
    overlay.hidesOthers || glyphs.isLinear && !overlay.showsOthers
  }

  /// The frame of `overlay`; for a screen reader it starts in the first row.
  private func frame(of overlay: any OverlayPane) -> Rect {
    let size = screen.size
    guard glyphs.isLinear, !overlay.showsOthers else { return overlay.frame(in: size) }
    let rows = newsFrame?.origin.row ?? size.rows
    return Rect(row: 0, column: 0, rows: rows, columns: size.columns)
  }

  /// The frame of the status line while an overlay covers the screen; `nil`: it has none.
  private var newsFrame: Rect? {
    let size = screen.size
    guard glyphs.isLinear, let desktop, size.rows >= ScreenLayout.least.rows else { return nil }
    let rows = max(1, desktop.frame.status.rows(width: size.columns, screenRows: size.rows))
    return Rect(row: size.rows - rows, column: 0, rows: rows, columns: size.columns)
  }

  /// Applies the user's text settings to every pane.
  private func showLook() {
    var look = TextLook(ordersText: glyphs.ordersText)
    if let format = desktop?.shell.format {
      look.spelling = format.spelling
      look.language = format.localizer.tag
    }
    display.look = look
  }

  /// Indicates whether the screen is too small for the open overlays (interface.md, "Layout").
  private var isCramped: Bool { !overlays.isEmpty && ScreenLayout.isTooSmall(screen.size) }

  private func showTitle() {
    screen.setTitle(desktop?.shell.title ?? localizer("app.name"))
  }
}
