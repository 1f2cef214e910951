import Glibc

/// Files and directories that only their owner can read, whatever the umask is.
package enum PrivatePath {
  /// Creates `path` and the missing directories above it, each 0700. Existing directories stay
  /// unchanged.
  package static func makeDirectory(_ path: String) throws(SQLiteError) {
    var information = stat()
    if stat(path, &information) == 0 {
      guard information.st_mode & S_IFMT == S_IFDIR else {
        throw SQLiteError(errno: ENOTDIR, path: path)
      }
      return
    }
    let parent = directory(of: path)
    if parent != path { try makeDirectory(parent) }
    if mkdir(path, 0o700) == 0 {
      chmod(path, 0o700)
    } else if errno != EEXIST {
      throw SQLiteError(errno: errno, path: path)
    }
  }

  /// Creates `path` as an empty file if it does not exist, and sets its mode to 0600 in both cases.
  package static func make(_ path: String) throws(SQLiteError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw SQLiteError(errno: errno, path: path) }
    defer { close(descriptor) }
    restrict(descriptor)
  }

  /// Removes other users' rights from an open file of this user; another user's file stays
  /// unchanged.
  static func restrict(_ descriptor: Int32) {
    var information = stat()
    if fstat(descriptor, &information) == 0, information.st_mode & 0o177 != 0 {
      fchmod(descriptor, 0o600)
    }
  }

  /// Returns the part before the last `/`: `.` for a bare name, `/` for a file in the root.
  package static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Writes the names in a directory to the disk, where the file system can do that. Otherwise a
  /// power failure may undo that a file was created or renamed; its content is complete anyway.
  package static func syncNames(in directory: String) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Returns the size in bytes; `nil` when there is no such file.
  static func size(of path: String) -> Int? {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : nil
  }
}
