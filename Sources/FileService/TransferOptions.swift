/// What the person has set about files.
package struct TransferOptions: Hashable, Sendable {
  /// Where downloads go; absolute.
  package var folder: String
  /// Bytes that a download may have.
  package var sizeLimit: Int
  /// Files of contacts up to this size are fetched unasked; 0: none are.
  package var automaticLimit: Int

  package init(folder: String, sizeLimit: Int = 4 << 30, automaticLimit: Int = 0) {
    self.folder = folder
    self.sizeLimit = sizeLimit
    self.automaticLimit = automaticLimit
  }
}
