import Glibc
import System

/// What the files take that the program of a script has written into its storage.
struct StoredFiles: Sendable {
  /// The files and folders, and the room that they take on the disk, in bytes.
  private(set) var count = 0
  private(set) var bytes = 0

  /// Indicates whether they are more than a script may have.
  var isTooMuch: Bool { count > ScriptLimits.files.count || bytes > ScriptLimits.files.bytes }

  /// Looks at all files below a folder, off the caller's actor, until it is too much. Links are
  /// not followed.
  @concurrent static func measure(_ folder: String) async -> StoredFiles { StoredFiles(folder) }

  init(_ folder: String) {
    var folders = [folder]
    while let folder = folders.popLast(), !isTooMuch {
      // One that cannot be read was removed, or closed, by the script: then nothing is in it that
      // was not counted before.
      for name in DirectoryNames.all(in: folder) {
        let path = folder + "/" + name
        var facts = stat()
        guard lstat(path, &facts) == 0 else { continue }
        count += 1
        bytes += Int(facts.st_blocks) * 512
        guard !isTooMuch else { return }
        if facts.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
      }
    }
  }
}
