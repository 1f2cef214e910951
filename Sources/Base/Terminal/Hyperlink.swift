/// An address that the terminal opens from the cells of its text (OSC 8).
///
/// It is printable ASCII without blanks, regardless of its source, so nothing in it can end the
/// sequence that contains it.
package struct Hyperlink: Hashable, Sendable {
  /// The accepted schemes, with their separators.
  private static let schemes = ["https://", "http://", "xmpp:", "mailto:"]
  /// The maximum length in characters; terminals accept little more (VTE and iTerm2: 2083).
  private static let limit = 2000

  /// The address, percent-encoded.
  package let address: String
  /// The identifier of a link that is drawn in several parts, which terminals then show as one.
  package let id: Int64

  /// - Parameters:
  ///   - text: the address as received.
  ///   - id: unique for each link on one screen.
  /// - Returns: `nil` for another scheme, and for an address that is too long.
  package init?(_ text: String, id: Int64) {
    let start = text.prefix(8).lowercased()
    guard Self.schemes.contains(where: start.hasPrefix) else { return nil }
    let address = Self.encoded(MailAddress.safe(text))
    guard address.utf8.count <= Self.limit else { return nil }
    (self.address, self.id) = (address, id)
  }

  /// Percent-encodes characters that are invalid in an address (RFC 3986 §2).
  private static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let isPart =
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
      if isPart {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      }
    }
    return result
  }
}

/// A part of a link at its position among the cells of one row.
package struct PositionedLink: Hashable, Sendable {
  package let link: Hyperlink
  package let row: Int
  /// The columns of the part; not empty.
  package let columns: Range<Int>

  package init(_ link: Hyperlink, row: Int, columns: Range<Int>) {
    (self.link, self.row, self.columns) = (link, row, columns)
  }

  /// Returns the parts that remain visible if `covered` lies above this one.
  func outside(_ covered: Rect) -> [PositionedLink] {
    let rows = covered.origin.row..<covered.origin.row + covered.size.rows
    let hidden = covered.origin.column..<covered.origin.column + covered.size.columns
    guard rows.contains(row), hidden.overlaps(columns) else { return [self] }
    let left = columns.lowerBound..<max(columns.lowerBound, hidden.lowerBound)
    let right = min(columns.upperBound, hidden.upperBound)..<columns.upperBound
    return [left, right].filter { !$0.isEmpty }.map { PositionedLink(link, row: row, columns: $0) }
  }
}

extension Surface {
  /// Makes the terminal open `link` when the columns of a row are clicked; columns outside are cut
  /// off.
  package mutating func position(_ link: Hyperlink, row: Int, columns: Range<Int>) {
    let inside = columns.clamped(to: 0..<size.columns)
    guard (0..<size.rows).contains(row), !inside.isEmpty else { return }
    links.append(PositionedLink(link, row: row, columns: inside))
  }

  /// Adds the links of a surface that is copied to a position, and removes those that it covers.
  mutating func copyLinks(of other: Surface, row: Int, column: Int) {
    if !links.isEmpty {
      let covered = Rect(
        row: row, column: column, rows: other.size.rows, columns: other.size.columns)
      links = links.flatMap { $0.outside(covered) }
    }
    for link in other.links {
      position(
        link.link, row: row + link.row,
        columns: column + link.columns.lowerBound..<column + link.columns.upperBound)
    }
  }
}
