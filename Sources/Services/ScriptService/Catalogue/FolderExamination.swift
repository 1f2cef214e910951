import FoundationEssentials
import Glibc
import System

/// Checks that only the user, or the system, can change what is in the folder of a script: whatever
/// is in it may be run with the user's rights.
struct FolderExamination {
  enum Finding: Error, Hashable {
    /// Others can change the file or folder at this path, or it leads out of the folder.
    case unsafe(path: String)
    /// - Parameter reason: the number of the system's error.
    case unreadable(path: String, reason: Int32)
    /// Too many to look at each time.
    case tooManyFiles
  }

  /// The most files and folders in the folder of a script, and how deep they may be.
  static let limit = 4096
  private static let depth = 16

  /// The users that may own its files.
  private let owners: Set<uid_t>
  private let isPrivate: @Sendable (_ path: String, _ group: gid_t) -> Bool
  private var count = 0

  /// - Parameters:
  ///   - isShipped: the system may own it, too.
  ///   - isPrivate: whether only the user is in the group of a file that its group can write.
  init(isShipped: Bool, isPrivate: @escaping @Sendable (_ path: String, _ group: gid_t) -> Bool) {
    owners = isShipped ? [0, geteuid()] : [geteuid()]
    self.isPrivate = isPrivate
  }

  /// Checks a folder, and everything in it.
  mutating func check(_ folder: String) throws(Finding) {
    var facts = stat()
    guard lstat(folder, &facts) == 0 else { throw .unreadable(path: folder, reason: errno) }
    guard facts.st_mode & S_IFMT == S_IFDIR, isSafe(facts, folder) else {
      throw .unsafe(path: folder)
    }
    guard let whole = Self.resolved(folder) else {
      throw .unreadable(path: folder, reason: errno)
    }
    try checkContent(of: folder, whole: whole, depth: 0)
  }

  /// Checks a folder without its content. A symbolic link is followed.
  func checkOnly(_ folder: String) throws(Finding) {
    var facts = stat()
    guard stat(folder, &facts) == 0 else { throw .unreadable(path: folder, reason: errno) }
    guard isSafe(facts, folder) else { throw .unsafe(path: folder) }
  }

  /// - Parameter whole: the folder of the script, without symbolic links.
  private mutating func checkContent(
    of folder: String, whole: String, depth: Int
  ) throws(Finding) {
    let names: [String]
    do { names = try DirectoryNames.read(folder) } catch {
      throw .unreadable(path: folder, reason: error.code.rawValue)
    }
    for name in names {
      count += 1
      guard count <= Self.limit, depth < Self.depth else { throw .tooManyFiles }
      let path = folder + "/" + name
      var facts = stat()
      guard lstat(path, &facts) == 0 else {
        // An editor has replaced it in the meantime.
        if errno == ENOENT { continue }
        throw .unreadable(path: path, reason: errno)
      }
      switch facts.st_mode & S_IFMT {
      case S_IFLNK:
        // Its own permissions mean nothing. What it leads to is looked at by itself.
        guard Self.leads(path, into: whole) else { throw .unsafe(path: path) }
      case S_IFDIR:
        guard isSafe(facts, path) else { throw .unsafe(path: path) }
        try checkContent(of: path, whole: whole, depth: depth + 1)
      default:
        guard isSafe(facts, path) else { throw .unsafe(path: path) }
      }
    }
  }

  private func isSafe(_ facts: stat, _ path: String) -> Bool {
    guard owners.contains(facts.st_uid), facts.st_mode & S_IWOTH == 0 else { return false }
    return facts.st_mode & S_IWGRP == 0 || isPrivate(path, facts.st_gid)
  }

  /// Returns whether a symbolic link leads to something in a folder, or to a name beside itself
  /// that is not there, as the locks of some editors do.
  private static func leads(_ path: String, into folder: String) -> Bool {
    if let target = resolved(path) { return target.utf8.starts(with: (folder + "/").utf8) }
    guard errno == ENOENT else { return false }
    let target = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { space, count in
      guard let base = UnsafeMutableRawPointer(space.baseAddress) else { return }
      count = max(0, readlink(path, base.assumingMemoryBound(to: CChar.self), space.count))
    }
    return !target.isEmpty && !target.contains(UInt8(ascii: "/"))
  }

  /// The path without symbolic links; `nil`: it leads nowhere.
  private static func resolved(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
