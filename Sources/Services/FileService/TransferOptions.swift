/// The user's settings for files.
package struct TransferOptions: Hashable, Sendable {
  /// The folder of downloads, an absolute path.
  package var folder: String
  /// The size in bytes up to which files of contacts are downloaded automatically; 0 disables that.
  package var automaticLimit: Int
  /// Permits automatic downloads from this machine, which the built-in server needs. Otherwise a
  /// message of a peer must not cause requests to services of this machine.
  package var takesOwnMachine: Bool

  package init(
    folder: String, automaticLimit: Int = 0, takesOwnMachine: Bool = false
  ) {
    self.folder = folder
    self.automaticLimit = automaticLimit
    self.takesOwnMachine = takesOwnMachine
  }
}
