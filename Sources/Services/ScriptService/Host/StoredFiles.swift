import Glibc
import System

/// What the files take that the program of a script has written into its storage.
struct StoredFiles: Sendable {
  /// The files and folders, and the room that they take on the disk, in bytes.
  private(set) var count = 0
  private(set) var bytes = 0
  /// Indicates whether there may be more that cannot be counted: in a folder that was made to be
  /// written and not to be read, or below more folders than a path can name.
  private(set) var isHidden = false

  /// Indicates whether they are more than a script may have.
  var isTooMuch: Bool {
    isHidden || count > ScriptLimits.files.count || bytes > ScriptLimits.files.bytes
  }

  /// The rights to list a folder, and to look at what is in it.
  private static let reading = S_IRUSR | S_IXUSR

  /// Looks at all files below a folder, off the caller's actor, until it is too much. Links are
  /// not followed.
  @concurrent static func measure(_ folder: String) async -> StoredFiles { StoredFiles(folder) }

  init(_ folder: String) {
    var folders = [folder]
    while let folder = folders.popLast(), !isTooMuch {
      // One that cannot be read has been removed meanwhile.
      for name in DirectoryNames.all(in: folder) {
        let path = folder + "/" + name
        var facts = stat()
        guard lstat(path, &facts) == 0 else {
          if errno == ENAMETOOLONG { isHidden = true }
          continue
        }
        let isFolder = facts.st_mode & S_IFMT == S_IFDIR
        if isFolder, facts.st_mode & Self.reading != Self.reading { isHidden = true }
        count += 1
        bytes += Int(facts.st_blocks) * 512
        guard !isTooMuch else { return }
        if isFolder { folders.append(path) }
      }
    }
  }
}
