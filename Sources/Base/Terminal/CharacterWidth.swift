// Widths in columns, always of the text as it is drawn (`SafeText`): a family of three is six
// columns.

extension Character {
  /// The columns of this cluster on the screen; 0 if it is not drawn, more than 2 if it is drawn as
  /// several glyphs.
  package var columns: Int {
    var scalars = unicodeScalars.makeIterator()
    guard let first = scalars.next() else { return 0 }
    let kind = ScalarClass(first.value)
    if kind.isSimple, scalars.next() == nil { return kind.columns }
    return SafeText.columns(of: self)
  }
}

extension StringProtocol {
  /// The columns of this text on the screen, in one row.
  package var columns: Int {
    withBytes { bytes in
      var columns = 0
      scanClusters(bytes) { cluster in
        columns += cluster.columns
        return true
      }
      return columns
    }
  }

  /// Returns the longest prefix of this text that fits in `limit` columns, without cutting a
  /// cluster.
  package func prefix(columns limit: Int) -> SubSequence {
    let count = withBytes { bytes in
      var used = 0
      var end = 0
      scanClusters(bytes) { cluster in
        used += cluster.columns
        guard used <= limit else { return false }
        end = cluster.end
        return true
      }
      return end
    }
    return self[..<utf8.index(startIndex, offsetBy: count)]
  }

  /// Returns this text, or its prefix and `mark` if it is wider than `limit` columns.
  package func truncated(columns limit: Int, mark: String = "…") -> String {
    if columns <= limit { return String(self) }
    let markColumns = mark.columns
    if markColumns > limit { return String(prefix(columns: limit)) }
    return prefix(columns: limit - markColumns) + mark
  }

  /// Returns this text padded with blanks to `width` columns, or cut to them.
  package func padded(columns width: Int) -> String {
    let text = truncated(columns: width)
    return text + String(repeating: " ", count: Swift.max(0, width - text.columns))
  }
}
