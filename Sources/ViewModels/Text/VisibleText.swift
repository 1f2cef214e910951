import Terminal

extension StringProtocol {
  /// Whether anything of it is to be seen: a name of blanks, or of characters that are never drawn, is no name.
  nonisolated package var isVisible: Bool {
    guard contains(where: { !$0.isWhitespace }) else { return false }
    return SafeText.line(self).contains { !$0.isWhitespace }
  }
}
