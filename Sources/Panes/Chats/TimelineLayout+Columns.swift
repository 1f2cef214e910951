import Terminal
import ViewModels

// Where the parts of a message stand.
extension TimelineLayout {
  /// Where names begin: behind the time, or where that would be.
  var senderColumn: Int {
    let before = form == .columns ? 1 : 0
    return glyphs.timeIsLast ? 1 : before + timeWidth + 1
  }

  /// Where the text begins, where it has a column of its own.
  var textColumn: Int { form == .columns ? senderColumn + senderWidth + 1 : senderColumn }

  /// What stands behind the text: that it was corrected, and the time, where that is last. What is heard has it behind the
  /// tick.
  func end(of item: TimelineItem) -> StyledText {
    var text = StyledText(item.edited, .dim)
    if glyphs.timeIsLast, form != .linear, !item.time.isEmpty {
      text.append((text.isEmpty ? " " : "  ") + item.time, .time)
    }
    return text
  }
}
