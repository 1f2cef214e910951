import Glibc

/// The folders that a script was granted, as rules for its sandbox. Paths are compared by their
/// bytes, as the kernel does: a slash and a combining mark after it are one `Character`.
nonisolated enum GrantedFolders {
  /// Returns the paths that need a rule of their own: those that do not lead through a folder that
  /// the script can write.
  ///
  /// The rule of that folder covers them already. A script could put a symbolic link there, and the
  /// next start would open what it leads to.
  static func rules(for paths: [String], below writable: [String]) -> [String] {
    paths.filter { path in
      !leads(path, into: writable.filter { !$0.utf8.elementsEqual(path.utf8) })
    }
  }

  /// Indicates whether a path leads through one of these folders, or into it.
  static func leads(_ path: String, into folders: [String]) -> Bool {
    var rest = path.utf8[...]
    // Each folder above it, with its own links resolved.
    while let slash = rest.lastIndex(of: UInt8(ascii: "/")) {
      rest = rest[..<slash]
      let above = real(String(decoding: rest, as: UTF8.self))
      if folders.contains(where: { contains(real($0), above) }) { return true }
    }
    return false
  }

  /// Indicates whether a path is above one of these folders, below it, or the folder itself.
  static func overlaps(_ path: String, with folders: [String]) -> Bool {
    let path = real(path)
    // The root is above all of them, and ends with a slash already.
    if path.utf8.elementsEqual("/".utf8) { return !folders.isEmpty }
    return folders.map(real).contains { contains($0, path) || contains(path, $0) }
  }

  /// Indicates whether a path is a folder, or below it.
  static func contains(_ folder: String, _ path: String) -> Bool {
    (path + "/").utf8.starts(with: (folder + "/").utf8)
  }

  private static func real(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
