extension String {
  /// The text as it arrives at the other end of a stream, whatever servers are in between: each
  /// line end is a line feed, because a carriage return does not survive every server (XML 1.0
  /// §2.11), and characters that XML cannot contain are U+FFFD (§2.2), as `XMLWriter` writes them.
  ///
  /// Texts are stored in this form, because otherwise they are not recognized when they come back.
  package var carried: String {
    guard !isCarried else { return self }
    var carried = String.UnicodeScalarView()
    var afterReturn = false
    for scalar in unicodeScalars {
      defer { afterReturn = scalar == "\r" }
      switch scalar {
      case "\r": carried.append("\n")
      // A line feed after a carriage return is part of the same line end.
      case "\n" where afterReturn: break
      default: carried.append(XMLText.isCharacter(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return String(carried)
  }

  /// Indicates whether the text arrives unchanged.
  private var isCarried: Bool {
    var text = self
    return text.withUTF8 { bytes in
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case 0x09, 0x0A: continue
        case 0x00..<0x20: return false
        case 0xEF
        where index + 2 < bytes.count && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE:
          return false
        default: continue
        }
      }
      return true
    }
  }
}
