import Glibc

/// The folders that a script was granted, as rules for its sandbox.
nonisolated enum GrantedFolders {
  /// Returns the paths that need a rule of their own: those that do not lead through a folder that
  /// the script can write.
  ///
  /// The rule of that folder covers them already. A script could put a symbolic link there, and the
  /// next start would open what it leads to.
  static func rules(for paths: [String], below writable: [String]) -> [String] {
    paths.filter { path in !leads(path, into: writable.filter { $0 != path }) }
  }

  /// Indicates whether a path leads through one of these folders, or into it.
  static func leads(_ path: String, into folders: [String]) -> Bool {
    let folders = folders.map { real($0) + "/" }
    var end = path.endIndex
    // Each folder above it, with its own links resolved.
    while let slash = path[..<end].lastIndex(of: "/") {
      let above = real(String(path[..<slash])) + "/"
      if folders.contains(where: above.hasPrefix) { return true }
      end = slash
    }
    return false
  }

  /// Indicates whether a path is above one of these folders, below it, or the folder itself.
  static func overlaps(_ path: String, with folders: [String]) -> Bool {
    let path = real(path) + "/"
    return folders.map { real($0) + "/" }.contains { $0.hasPrefix(path) || path.hasPrefix($0) }
  }

  private static func real(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
