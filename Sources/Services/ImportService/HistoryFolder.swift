import Glibc

/// Folders of a history, and their paths.
enum HistoryFolder {
  /// The kind of an entry of the file system.
  enum Kind { case file, folder, other }

  /// Returns the kind of the entry at a path; `nil` if there is none.
  /// - Parameter follows: A symbolic link counts as the entry that it leads to.
  static func kind(of path: String, follows: Bool = true) -> Kind? {
    var facts = stat()
    guard (follows ? stat(path, &facts) : lstat(path, &facts)) == 0 else { return nil }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    default: return .other
    }
  }

  /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
  /// - Throws: `ImportFailure.unreadable`.
  static func names(in folder: String) throws(ImportFailure) -> [String] {
    guard let stream = opendir(folder) else { throw .unreadable(path: folder, errno: errno) }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
    names.sort { $0.lexicographicallyPrecedes($1) }
    return names.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the path without symbolic links and `..`, from the root on; `nil` if there is nothing.
  static func resolved(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// Returns the path of the folder that a file is in; `.` if the path has none.
  static func parent(of path: String) -> String {
    let folder = parts(of: path).dropLast().joined(separator: "/")
    if path.utf8.first == 0x2F { return "/" + folder }
    return folder.isEmpty ? "." : folder
  }

  /// Returns the last part of a path, whether or not a slash ends it.
  static func name(of path: String) -> String { String(parts(of: path).last ?? "") }

  /// Returns the parts of a path between slashes.
  static func parts(of path: String) -> [Substring] {
    path.utf8.split(separator: 0x2F).map { Substring($0) }
  }
}

/// The files of a history: the one at a path, or those in the folder there and in folders below it.
struct HistoryTree: Sendable {
  /// The number of files that are examined to recognize a format.
  private static let samples = 50

  /// The levels of folders below the one at the path. Programs have the folders of contacts in
  /// those of accounts, and these in one or two others.
  private static let depth = 4

  let path: String
  private let depth: Int
  /// Returns whether a file belongs to the history, by its name. One at the path itself does.
  private let isFile: @Sendable (String) -> Bool

  init(
    _ path: String, depth: Int = HistoryTree.depth, isFile: @escaping @Sendable (String) -> Bool
  ) {
    (self.path, self.depth, self.isFile) = (path, depth, isFile)
  }

  /// The files in one folder, without hidden ones.
  init(ofFiles path: String) { self.init(path, depth: 0) { $0.utf8.first != 0x2E } }

  /// Calls `visit` with each file, in the order of names. Links are left out: those to folders may
  /// lead back, and mcabber has two contacts share a file by one.
  /// - Parameter unreadable: called with a file or folder in the tree that cannot be read; the
  ///   others are visited all the same.
  /// - Throws: `ImportFailure.unreadable` of the path itself; what the closures throw.
  func forEach(
    _ visit: (String) throws -> Void, unreadable: (String) throws -> Void
  ) throws { try walk(path, depth, visit, unreadable) }

  /// Calls `visit` with each file, and reports what cannot be read.
  /// - Throws: `ImportFailure.unreadable` of the path itself; what the closures throw.
  func read(_ take: (ImportItem) throws -> Void, _ visit: (String) throws -> Void) throws {
    try forEach(visit) { try take(.refused(place: $0)) }
  }

  private func walk(
    _ path: String, _ depth: Int, _ visit: (String) throws -> Void,
    _ unreadable: (String) throws -> Void
  ) throws {
    guard HistoryFolder.kind(of: path) == .folder else { return try visit(path) }
    for name in try HistoryFolder.names(in: path) {
      let inner = path + "/" + name
      do {
        switch HistoryFolder.kind(of: inner, follows: false) {
        case .folder where depth > 0: try walk(inner, depth - 1, visit, unreadable)
        case .file where isFile(name): try visit(inner)
        default: break
        }
      } catch ImportFailure.unreadable { try unreadable(inner) }
    }
  }

  /// Returns whether one of the first files passes a test.
  func contains(where test: (String) -> Bool) -> Bool {
    struct Found: Error { let isOne: Bool }
    var count = 0
    do {
      try forEach(
        { file in
          if test(file) { throw Found(isOne: true) }
          count += 1
          if count == Self.samples { throw Found(isOne: false) }
        }, unreadable: { _ in })
    } catch {
      return (error as? Found)?.isOne ?? false
    }
    return false
  }
}
