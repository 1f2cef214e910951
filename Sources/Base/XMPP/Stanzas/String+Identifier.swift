import XML

extension String {
  /// The longest identifier that is kept whole, in bytes. Programs generate some tens.
  private static let identifierBytes = 1100
  /// The part that is kept of a longer one, in bytes.
  private static let beginningBytes = 1060

  /// The identifier of a message, an archive entry or an occupant as it is kept: up to 1100 bytes
  /// whole; of a longer one the beginning and a hash of the whole.
  ///
  /// Others choose identifiers, and each message is kept with several. Two references to one
  /// message still agree, because every identifier is read through this property, and so do this
  /// and the same identifier read again. It is useless to others: a shortened identifier stays
  /// longer than what automatic answers repeat. Constructed collisions concern only identifiers
  /// that are as long.
  package var identifier: String {
    guard utf8.count > Self.identifierBytes else { return self }
    var hash = StableHash()
    hash.add(utf8)
    return beginning(bytes: Self.beginningBytes) + "#" + hash.text
  }
}

extension MessageStanza {
  /// The id that its sender gave the stanza (RFC 6120 §8.1.3), shortened (`String.identifier`); an
  /// empty one counts as absent.
  package var id: String? { element["id"]?.nonEmpty?.identifier }
}
