extension String {
  /// The text as it is at the other end of a stream, whatever servers are between: each line end is a line feed, since a
  /// carriage return does not survive every server (XML 1.0 §2.11), and what XML cannot hold is U+FFFD (§2.2), as
  /// `XMLWriter` writes it.
  ///
  /// A text that is stored in another form than it comes back in is not known again.
  package var carried: String {
    guard !isCarried else { return self }
    var carried = String.UnicodeScalarView()
    var afterReturn = false
    for scalar in unicodeScalars {
      defer { afterReturn = scalar == "\r" }
      switch scalar {
      case "\r": carried.append("\n")
      // It is one line end with what stands before it.
      case "\n" where afterReturn: break
      default: carried.append(XMLText.isCharacter(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return String(carried)
  }

  /// Whether nothing of it changes on the way.
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
