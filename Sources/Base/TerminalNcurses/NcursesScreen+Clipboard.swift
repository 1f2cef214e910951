import FoundationEssentials
import Terminal

/// A text for the terminal's clipboard (OSC 52).
nonisolated package enum ClipboardSequence {
  /// Most bytes of Base64 that terminals take.
  package static let limit = 100_000

  /// The bytes for the terminal; `nil` when the text is more than it takes.
  ///
  /// Base64 has no character that could end the sequence: the text may be anything.
  package static func bytes(for text: String) -> String? {
    let encoded = Data(text.utf8).base64EncodedString()
    return encoded.utf8.count > limit ? nil : "\u{1B}]52;c;\(encoded)\u{7}"
  }
}

extension NcursesScreen {
  /// The outcome of copying a text to the clipboard.
  package enum ClipboardResult: Hashable, Sendable { case sent, tooLong, unavailable }

  /// Writes a text to the terminal's clipboard, without a confirmation. It is never read.
  package func copyToClipboard(_ text: String) -> ClipboardResult {
    // GNU screen passes nothing of the kind on; the others of that name are tmux.
    guard state == .active, modes.isXtermKind, isInTmux || !entry.terminal.hasPrefix("screen")
    else {
      return .unavailable
    }
    guard let bytes = ClipboardSequence.bytes(for: text) else { return .tooLong }
    send(bytes)
    return .sent
  }
}
