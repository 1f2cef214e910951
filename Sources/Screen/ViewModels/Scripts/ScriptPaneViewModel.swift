import NatterCore
import Text

/// A pane of a script that is shown: a text to read, or, where the script has keys for it, a list
/// of lines.
package final class ScriptPaneViewModel {
  /// A part of a line in one role.
  package struct Part: Hashable {
    package let text: String
    package let role: ScriptTextRole
  }

  /// The most characters of a title, and of a key's label.
  private static let (titleLimit, labelLimit) = (80, 24)
  /// The most scalars of a character that are kept: it may carry any number of marks.
  private static let scalarLimit = 12

  package let invalidation = Invalidation()
  package let script: String
  package let pane: String
  /// The lines, without line ends and control characters; changed with `version`.
  package private(set) var lines: [[Part]] = []
  package private(set) var version = 0
  /// The index of the line that keys are about.
  package private(set) var selected = 0
  package private(set) var isClosed = false
  /// Called when the user presses a key of the script.
  var onKey: (Character, _ line: Int) -> Void = { _, _ in }
  /// Indicates whether the script has not answered the last key.
  var isBusy = false
  /// Called once, when it is closed.
  var onClose: () -> Void = {}
  private let scriptTitle: String
  private let format: ItemFormat
  private var localizer: Localizer { format.localizer }
  private var content: ScriptPane?

  init(_ script: String, pane: String, titled title: String, _ format: ItemFormat) {
    (self.script, self.pane, self.format) = (script, pane, format)
    scriptTitle = format.shown(ErrorText.oneLine(title, limit: 40))
  }

  /// Indicates whether the script has filled it.
  var isFilled: Bool { content != nil }

  /// Shows other content; the selected line keeps its index.
  func show(_ content: ScriptPane) {
    guard content != self.content else { return }
    if content.lines != self.content?.lines {
      lines = content.lines.map { parts(of: $0) }
      version += 1
    }
    self.content = content
    selected = max(0, min(selected, lines.count - 1))
    invalidation.raise()
  }

  /// The title of the script, which it cannot leave out, and that of the pane.
  package var title: String {
    let title = format.shown(ErrorText.oneLine(content?.title ?? "", limit: Self.titleLimit))
    return title.isEmpty
      ? scriptTitle : localizer("scripts.pane.title", ["script": scriptTitle, "title": title])
  }

  /// The text that is shown instead of lines; `nil`: there are lines.
  package var placeholder: String? {
    if content == nil { return localizer("scripts.pane.waiting") }
    return lines.isEmpty ? localizer("scripts.pane.empty") : nil
  }

  /// The keys of the pane, and of the script.
  /// - Parameter scrolls: whether it has more rows than are shown.
  package func hints(scrolls: Bool) -> [KeyHint] {
    let keys = (content?.keys ?? []).map {
      KeyHint("\($0.key) " + format.shown(ErrorText.oneLine($0.label, limit: Self.labelLimit)))
    }
    let more = scrolls ? [localizer.hint("help.keysMore")] : []
    return [localizer.wayOut("help.keysClose")] + keys + more
  }

  /// Indicates whether one line is selected.
  package var isList: Bool { content?.keys.isEmpty == false && !lines.isEmpty }

  /// Selects another line.
  package func moveSelection(_ step: Int) {
    let wanted = max(0, min(selected + step, lines.count - 1))
    guard wanted != selected else { return }
    selected = wanted
    invalidation.raise()
  }

  /// Passes a key on to the script.
  /// - Returns: `false` if it is none of the script's.
  package func press(_ key: Character) -> Bool {
    guard content?.keys.contains(where: { $0.key == key }) == true else { return false }
    onKey(key, selected)
    return true
  }

  /// The user, or the end of the script, closes it.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    onClose()
  }

  private func parts(of line: ScriptPane.Line) -> [Part] {
    if line.text.isEmpty { return [] }
    // As most lines are.
    if line.spans.isEmpty, line.text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      return [Part(text: line.text, role: line.role)]
    }
    var parts: [(text: String, role: ScriptTextRole)] = []
    var spans = line.spans[...]
    for (index, character) in line.text.enumerated() {
      while let span = spans.first, span.range.upperBound <= index { spans.removeFirst() }
      let span = spans.first.flatMap { $0.range.contains(index) ? $0 : nil }
      let role = span?.role ?? line.role
      if parts.last?.role != role { parts.append(("", role)) }
      // One character for each, so that the parts are where the script has them.
      let isBlank =
        character.isWhitespace
        || character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
      if isBlank {
        parts[parts.count - 1].text.append(" ")
      } else {
        parts[parts.count - 1].text.unicodeScalars.append(
          contentsOf: character.unicodeScalars.prefix(Self.scalarLimit))
      }
    }
    return parts.map { Part(text: format.shown($0.text), role: $0.role) }
  }
}
