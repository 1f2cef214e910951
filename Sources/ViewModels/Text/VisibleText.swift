extension StringProtocol {
  /// Whether anything of it is to be seen: a name of blanks, or of characters that are never drawn, is no name.
  nonisolated package var isVisible: Bool {
    unicodeScalars.contains { scalar in
      if scalar.isASCII { return scalar > " " && scalar != "\u{7F}" }
      let properties = scalar.properties
      return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
        && properties.generalCategory != .format && properties.generalCategory != .control
    }
  }
}
