import NatterCore
import Terminal
import ViewModels

/// The panes of one conversation.
final class ConversationPanes {
  let place: ConversationPlace
  let header: HeaderPane
  let timeline: TimelinePane
  let input: InputPane
  let popup: CompletionPopup

  init(_ place: ConversationPlace, frame: ShellFrame) {
    self.place = place
    header = HeaderPane(viewModel: place.header, glyphs: frame.glyphs)
    timeline = TimelinePane(
      viewModel: place.timeline, glyphs: frame.glyphs, pictures: frame.pictures,
      welcome: frame.localizer("timeline.welcome"))
    input = InputPane(viewModel: place.input, ordersText: frame.glyphs.ordersText)
    popup = CompletionPopup(viewModel: place.input, glyphs: frame.glyphs)
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

  /// Which of the conversations has the keys.
  var currentHalf: Int { halves.firstIndex { $0.place === shell.current } ?? 0 }

  var otherHalf: ConversationPanes? { halves.first { $0.place !== shell.current } }

  /// Makes panes for a place that is new, and drops those of one that is gone.
  func followSplit() {
    guard
      halves.count != shell.places.count
        || halves.contains(where: { half in
          !shell.places.contains { $0 === half.place }
        })
    else { return }
    let usesVi = usesVi
    halves = shell.places.map { place in
      halves.first { $0.place === place } ?? ConversationPanes(place, frame: frame)
    }
    self.usesVi = usesVi
  }

  /// Shows two conversations, where there is room for them, or one again.
  func split(_ form: ConversationSplit?) {
    if form != nil, frame.glyphs.isLinear {
      return shell.show(Notice(.info, "status.splitLinear"))
    }
    if form != nil, !ScreenLayout.canSplit(size) {
      return shell.show(
        Notice(
          .warning, "status.splitNarrow",
          [
            "needed": "\(ScreenLayout.splitWidth)x20", "size": "\(size.columns)x\(size.rows)",
          ]))
    }
    shell.split(form)
    layout = measure(size)
    updateFocus()
    if form != nil { shell.show(Notice(.info, "status.split")) }
  }

  /// Gives the keys to the other conversation, in the pane that had them in this one.
  func useOtherHalf() {
    guard layout.other != nil else { return shell.show(Notice(.info, "status.notSplit")) }
    shell.useOtherPlace()
    layout = measure(size)
    updateFocus()
  }
}
