/// What the person has set about files.
package struct TransferOptions: Hashable, Sendable {
  /// Where downloads go; absolute.
  package var folder: String
  /// Files of contacts up to this size are fetched unasked; 0: none are.
  package var automaticLimit: Int
  /// Whether files that lie on this machine are fetched unasked, too: those of the built-in server do. Nobody else's word may
  /// have this machine's own services asked.
  package var takesOwnMachine: Bool

  package init(
    folder: String, automaticLimit: Int = 0, takesOwnMachine: Bool = false
  ) {
    self.folder = folder
    self.automaticLimit = automaticLimit
    self.takesOwnMachine = takesOwnMachine
  }
}
