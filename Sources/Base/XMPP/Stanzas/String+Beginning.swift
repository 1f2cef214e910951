extension String {
  /// The most Unicode scalars that are kept of a text that is not a message.
  static let longestText = 1024

  /// The part of a status or a reason that is kept. A copy exists for each client, occupant and
  /// invitation, and others can create thousands of them.
  var beginning: String {
    utf8.count <= Self.longestText ? self : String(unicodeScalars.prefix(Self.longestText))
  }

  /// Returns the longest beginning of at most `limit` bytes that ends between two scalars. A limit
  /// in characters does not bound memory, because a character may consist of many scalars.
  package func beginning(bytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: max(0, limit))
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}
