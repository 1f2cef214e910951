import Glibc

/// Files and directories that nobody but their owner can read, whatever the umask is.
package enum PrivateFile {
  /// Makes `path` and the missing directories above it, each 0700. What exists is left as it is.
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

  /// Makes `path` as an empty file if it is not there, and makes it 0600 in both cases.
  package static func make(_ path: String) throws(SQLiteError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw SQLiteError(errno: errno, path: path) }
    defer { close(descriptor) }
    restrict(descriptor)
  }

  /// Takes the others' rights off an open file of ours; a file of somebody else stays as it is.
  static func restrict(_ descriptor: Int32) {
    var information = stat()
    if fstat(descriptor, &information) == 0, information.st_mode & 0o177 != 0 {
      fchmod(descriptor, 0o600)
    }
  }

  /// The part before the last `/`: `.` for a bare name, `/` for what lies in the root.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// - Returns: the size in bytes, or `nil` when there is no such file.
  static func size(of path: String) -> Int? {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : nil
  }
}
