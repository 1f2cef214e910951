import Terminal
import Text
import ViewModels

// The columns of the parts of a message.
extension TimelineLayout {
  /// The column of names: after the time, or where that would be.
  var senderColumn: Int {
    let before = form == .columns ? 1 : 0
    return glyphs.timeIsLast ? 1 : before + timeWidth + 1
  }

  /// The column of the text, if it has a separate one.
  var textColumn: Int { form == .columns ? senderColumn + senderWidth + 1 : senderColumn }

  /// The parts after the text: the notes, and the time, if that is last. For a
  /// screen reader the time comes after the tick.
  func end(of item: TimelineItem) -> StyledText {
    var text = StyledText(item.note, .dim)
    if glyphs.timeIsLast, form != .linear, !item.time.isEmpty {
      text.append((text.isEmpty ? " " : "  ") + item.time, .time)
    }
    return text
  }
}
