import NatterCore
import Terminal
import Text
import ViewModels

/// The panes of one conversation.
final class ConversationPanes {
  let slot: ConversationViewModel
  let header: HeaderPane
  let timeline: TimelinePane
  let input: InputPane
  let popup: CompletionPopup
  let request: RequestPane

  init(_ slot: ConversationViewModel, frame: ShellFrame) {
    self.slot = slot
    header = HeaderPane(viewModel: slot.header, glyphs: frame.glyphs)
    timeline = TimelinePane(
      viewModel: slot.timeline, glyphs: frame.glyphs, pictures: frame.pictures,
      welcome: frame.localizer("timeline.welcome"),
      welcomeAlone: frame.localizer("timeline.welcomeAlone"))
    input = InputPane(
      viewModel: slot.input, ordersText: frame.glyphs.ordersText,
      spelling: frame.shell.format.spelling,
      bindings: frame.bindings)
    popup = CompletionPopup(viewModel: slot.input, glyphs: frame.glyphs)
    request = RequestPane(
      viewModel: RequestLineViewModel(shell: frame.shell, slot: slot), glyphs: frame.glyphs)
  }
}

// Two conversations on one screen.
extension ChatsScreen {
  /// The panes that have the keys.
  private var own: ConversationPanes { halves[currentHalf] }
  var header: HeaderPane { own.header }
  var timeline: TimelinePane { own.timeline }
  var input: InputPane { own.input }
  var popup: CompletionPopup { own.popup }
  var request: RequestPane { own.request }

  /// The index in `halves` of the conversation that has the keys.
  var currentHalf: Int { halves.firstIndex { $0.slot === shell.current } ?? 0 }

  var otherHalf: ConversationPanes? { halves.first { $0.slot !== shell.current } }

  /// Creates panes for a new conversation view, and drops those of one that is gone.
  func followSplit() {
    guard
      halves.count != shell.slots.count
        || halves.contains(where: { half in
          !shell.slots.contains { $0 === half.slot }
        })
    else { return }
    let usesVi = usesVi
    halves = shell.slots.map { slot in
      halves.first { $0.slot === slot } ?? ConversationPanes(slot, frame: frame)
    }
    self.usesVi = usesVi
  }

  /// Shows two conversations, where there is room for them, or one again.
  func split(_ form: ConversationSplit?) {
    if form != nil, let obstacle = splitObstacle() { return reportSplit(obstacle) }
    shell.split(form)
    layout = measure(size)
    updateFocus()
    if form != nil { reportSplit(StatusNotice(.info, "status.split")) }
  }

  /// Returns the reason why two conversations cannot be shown; `nil`: they can.
  private func splitObstacle() -> StatusNotice? {
    if frame.glyphs.isLinear { return StatusNotice(.info, "status.splitLinear") }
    return ScreenLayout.canSplit(size) ? nil : narrowness()
  }

  private func narrowness() -> StatusNotice {
    StatusNotice(
      .info, "status.splitNarrow",
      [
        "needed": "\(ScreenLayout.splitWidth)x\(ScreenLayout.splitHeight)",
        "size": "\(size.columns)x\(size.rows)",
      ])
  }

  private func reportSplit(_ notice: StatusNotice) {
    reportedSplit = notice
    shell.show(notice)
  }

  /// Says why there is one conversation on the screen: there is no other one, or no room for it.
  private func reportNotSplit() {
    let kept = shell.split == nil ? nil : splitObstacle()
    if let kept { reportSplit(kept) } else { shell.show(StatusNotice(.info, "status.notSplit")) }
  }

  /// A user who goes on has seen that there is no room for two conversations.
  func dropNarrowness() {
    guard let reported = reportedSplit, reported.key == "status.splitNarrow" else { return }
    shell.status.clear(reported)
    reportedSplit = nil
  }

  /// The notice about two conversations fits the screen's size now, or is removed.
  func followReportedSplit() {
    guard let reported = reportedSplit else { return }
    let isNarrow = !ScreenLayout.canSplit(size)
    if isNarrow, reported.key == "status.splitNarrow" {
      let notice = narrowness()
      shell.status.change(reported, to: notice)
      reportedSplit = notice
    } else if isNarrow || reported.key != "status.split" {
      shell.status.clear(reported)
      reportedSplit = nil
    }
  }

  /// Gives the keys to the other conversation, in the pane that had them in this one.
  func useOtherHalf() {
    guard layout.other != nil else { return reportNotSplit() }
    shell.useOtherSlot()
    layout = measure(size)
    updateFocus()
  }

  // MARK: The line between them

  /// Takes hold of the line between two conversations, drags it, lets it go.
  /// - Returns: whether the mouse was about that.
  func dragsDivider(_ mouse: MouseEvent) -> Bool {
    switch mouse.action {
    case .press where mouse.button == 1 && layout.divider?.contains(mouse.at) == true:
      holdsDivider = true
    case .drag where holdsDivider: moveDivider(to: mouse.at)
    case .release where holdsDivider:
      holdsDivider = false
      rememberShare()
    default: return false
    }
    return true
  }

  /// Gives the conversation with the keys more room or less.
  func resizeHalf(by step: Int) {
    guard let divider = layout.divider else { return reportNotSplit() }
    // The first one grows to the right or downwards, the second one the other way.
    let sign = currentHalf == 0 ? step : -step
    var slot = divider.origin
    if divider.size.columns == 1 { slot.column += 4 * sign } else { slot.row += sign }
    moveDivider(to: slot)
    rememberShare()
  }

  private func moveDivider(to slot: Point) {
    guard let share = layout.share(at: slot) else { return }
    preferences.splitShare = share
    layout = measure(size)
  }

  private func rememberShare() {
    shell.remember(preferences.splitShare.map { "\($0)" }, as: PreferenceKey.splitShare)
  }
}
