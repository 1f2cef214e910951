extension String {
  /// The most scalars of words beside messages that are kept.
  static let longestWords = 1024

  /// As much of it as is read of a status or a reason: it is kept for each client, occupant and invitation, of which others make
  /// thousands.
  var beginning: String {
    utf8.count <= Self.longestWords ? self : String(unicodeScalars.prefix(Self.longestWords))
  }
}
