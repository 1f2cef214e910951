extension String {
  /// The most Unicode scalars that are kept of a text that is not a message.
  static let longestWords = 1024

  /// The part of a status or a reason that is kept. A copy exists for each client, occupant and
  /// invitation, and others can create thousands of them.
  var beginning: String {
    utf8.count <= Self.longestWords ? self : String(unicodeScalars.prefix(Self.longestWords))
  }
}
