import NatterCore
import Text

/// A room's subject, shown on request: in a line, or as a text to read if it is longer.
struct TopicText {
  /// The highest number of characters of a subject in a line.
  nonisolated static let limit = 200

  let subject: String

  /// The notice that shows it; `nil` if it needs more than one line.
  var notice: StatusNotice? {
    guard !subject.isEmpty else { return StatusNotice(.info, "status.noTopic") }
    guard subject.count <= Self.limit, !subject.contains(where: \.isNewline) else { return nil }
    return StatusNotice(.info, "status.topic", ["text": subject])
  }

  /// Shows the text, with a button that closes it.
  /// - Parameter show: shows the form and returns the function that closes it.
  func read(_ format: ItemFormat, on show: (FormViewModel) -> () -> Void) {
    let localizer = format.localizer
    let lines = format.shown(subject.withoutEmptyLinesAround)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let form = FormViewModel(
      title: localizer("discover.preview.topic"),
      fields: lines.enumerated().map { FormField(.paragraph, "line\($0)", label: String($1)) } + [
        FormField(.spacer, "gap"), FormField(.button, "close", label: localizer("dialog.close")),
      ], keyHints: [localizer.wayOut("dialog.keysClose")], defaultButton: "close")
    let close = show(form)
    // The form keeps its own closing function alive until it is closed.
    let end: () -> Void = { [weak form] in
      close()
      form?.onPress = { _ in }
      form?.onCancel = {}
    }
    form.onPress = { _ in end() }
    form.onCancel = end
  }
}
