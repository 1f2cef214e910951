extension StringProtocol {
  /// True if some of it is visible: a name of spaces, or of characters that are never drawn, is not
  /// a name.
  nonisolated package var isVisible: Bool {
    unicodeScalars.contains { scalar in
      if scalar.isASCII { return scalar > " " && scalar != "\u{7F}" }
      let properties = scalar.properties
      return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
        && properties.generalCategory != .format && properties.generalCategory != .control
    }
  }
}
