import Glibc
import NatterCore

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

  /// Returns the path of a download: `folder` by default, and a folder takes the file under its own
  /// name.
  /// - Parameter path: the user's choice, absolute; `nil`: none.
  func target(_ path: String?, name: String) -> String {
    guard let path else { return folder + "/" + name }
    var found = stat()
    let isFolder =
      path.hasSuffix("/") || stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
    return isFolder ? path + (path.hasSuffix("/") ? "" : "/") + name : path
  }

  /// Returns whether `address`, in lower case, may be requested unasked: no service of this host.
  func mayAsk(_ address: String, over transport: any FileTransporting) -> Bool {
    if transport.leadsToThisMachine(address) {
      return takesOwnMachine && address.hasPrefix("http://127.0.0.1:")
    }
    return address.hasPrefix("https:")
  }
}
