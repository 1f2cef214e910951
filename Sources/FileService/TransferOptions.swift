/// What the person has set about files.
package struct TransferOptions: Hashable, Sendable {
  /// Where downloads go; absolute.
  package var folder: String
  /// Bytes that a download may have.
  package var sizeLimit: Int
  /// Files of contacts up to this size are fetched unasked; 0: none are.
  package var automaticLimit: Int
  /// Whether files that lie on this machine are fetched unasked, too: those of the built-in server do. Nobody else's word may
  /// have this machine's own services asked.
  package var takesOwnMachine: Bool

  package init(
    folder: String, sizeLimit: Int = 4 << 30, automaticLimit: Int = 0,
    takesOwnMachine: Bool = false
  ) {
    self.folder = folder
    self.sizeLimit = sizeLimit
    self.automaticLimit = automaticLimit
    self.takesOwnMachine = takesOwnMachine
  }
}
