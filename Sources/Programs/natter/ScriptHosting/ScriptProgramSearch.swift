import FoundationEssentials
import Glibc

/// Finds the program that runs a script.
nonisolated struct ScriptProgramSearch: Sendable {
  /// The program of a script.
  struct Found: Hashable, Sendable {
    let path: String
    /// What it needs to be read besides the system's folders and those of the script.
    var needs: [String] = []
  }

  enum Failure: Error, Hashable {
    case missing, notExecutable
  }

  /// `PATH`.
  let searchPath: String
  /// The script's folder.
  let folder: String
  /// Folders that must not become readable because a program is above them or beside them.
  let closedFolders: [String]
  /// The folders of the system that every program can read.
  let system: [String]
  /// Folders that the script can write: it must not choose its own program there.
  var writable: [String] = []

  /// Looks up a name in the search path, or `./file` in the script's folder.
  func find(_ name: String) throws(Failure) -> Found {
    if name.hasPrefix("./") {
      let parts = name.utf8.split(separator: UInt8(ascii: "/"))
      guard !parts.contains(where: { $0.elementsEqual("..".utf8) }) else { throw .missing }
      let path = folder + name.dropFirst()
      guard Self.isFile(path) else { throw .missing }
      guard access(path, X_OK) == 0 else { throw .notExecutable }
      return Found(path: path)
    }
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else { throw .missing }
    let candidates = searchPath.split(separator: ":").filter { $0.hasPrefix("/") }
      .map { "\($0)/\(name)" }
      .filter { access($0, X_OK) == 0 && Self.isFile($0) }
      .filter { !GrantedFolders.leads($0, into: writable) }
    // What a version manager puts before the system's programs often needs its whole installation.
    for path in candidates where isSystem(Self.real(path)) { return Found(path: path) }
    guard let path = candidates.first else { throw .missing }
    let real = Self.real(path)
    return Found(path: real, needs: [real] + installation(of: real))
  }

  private func isSystem(_ path: String) -> Bool {
    system.contains { GrantedFolders.contains($0, path) }
  }

  /// The folder above `bin`, unless it has anything else of the user's.
  private func installation(of path: String) -> [String] {
    guard let file = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return [] }
    let parent = path.utf8[..<file]
    guard parent.reversed().starts(with: "/bin".utf8.reversed()) else { return [] }
    let above = String(decoding: parent.dropLast("/bin".utf8.count), as: UTF8.self)
    guard !above.isEmpty else { return [] }
    let isShared = closedFolders.contains { closed in
      GrantedFolders.contains(above, closed) || GrantedFolders.contains(closed, above)
    }
    return isShared ? [] : [above]
  }

  private static func isFile(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  private static func real(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
