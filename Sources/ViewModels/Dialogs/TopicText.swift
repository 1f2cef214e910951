import NatterCore

/// A room's topic, for those who ask for it: a line, or a text to read where it is longer.
struct TopicText {
  /// So many characters of a topic are told in a line.
  nonisolated static let limit = 200

  let subject: String

  /// The line that tells it; `nil`: it needs more than one.
  var notice: StatusNotice? {
    guard !subject.isEmpty else { return StatusNotice(.info, "status.noTopic") }
    guard subject.count <= Self.limit, !subject.contains(where: \.isNewline) else { return nil }
    return StatusNotice(.info, "status.topic", ["text": subject])
  }

  /// The text, with a button that closes it.
  /// - Parameter show: puts it on the screen, and gives what takes it off.
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
    // The form holds what ends it until it has.
    let end: () -> Void = { [weak form] in
      close()
      form?.onPress = { _ in }
      form?.onCancel = {}
    }
    form.onPress = { _ in end() }
    form.onCancel = end
  }
}
