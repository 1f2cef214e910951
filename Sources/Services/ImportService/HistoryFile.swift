import BoundedText
import Glibc

/// A file of a history, read in order, in pieces.
struct HistoryFile: ~Copyable {
  /// A line of a text file.
  enum Line: Hashable {
    /// A line without its line feed, and without a carriage return before that.
    case text([UInt8])
    /// A line over the limit was skipped.
    case tooLong
    /// The end of the file comes before the line's: the rest may be missing.
    case cutOff([UInt8])
  }

  private static let pieceByteCount = 64 << 10

  let path: String
  private let descriptor: CInt

  /// - Throws: `ImportFailure.unreadable`, also for anything that is no regular file.
  init(_ path: String) throws(ImportFailure) {
    self.path = path
    // A pipe must not make it wait.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unreadable(path: path, errno: facts.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
  }

  deinit { close(descriptor) }

  /// The size, in bytes.
  var byteCount: Int {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// Returns at most `count` bytes from `offset` on; fewer only at the end of the file.
  func bytes(at offset: Int, count: Int = pieceByteCount) throws(ImportFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let number = bytes.withUnsafeMutableBytes {
        pread(
          descriptor, $0.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
      }
      if number < 0, errno == EINTR { continue }
      guard number >= 0 else { throw .unreadable(path: path, errno: errno) }
      guard number > 0 else { break }
      filled += number
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  /// Calls `take` with each line and its number, from 1 on.
  /// - Parameter limit: the length of the longest line that is read, in bytes.
  /// - Throws: `ImportFailure.unreadable`, and what `take` throws.
  func lines(limit: Int, _ take: (Int, Line) throws -> Void) throws {
    var (number, offset, isTooLong) = (1, 0, false)
    var line: [UInt8] = []
    while true {
      let piece = try bytes(at: offset)
      offset += piece.count
      var rest = piece[...]
      while let end = rest.firstIndex(of: 0x0A) {
        if !isTooLong { line += rest[..<end] }
        if line.last == 0x0D { line.removeLast() }
        try take(number, isTooLong || line.count > limit ? .tooLong : .text(line))
        (line, isTooLong) = ([], false)
        number += 1
        rest = rest[(end + 1)...]
      }
      if !isTooLong { line += rest }
      if line.count > limit + 1 { (line, isTooLong) = ([], true) }
      guard piece.count == Self.pieceByteCount else { break }
    }
    if isTooLong {
      try take(number, .tooLong)
    } else if !line.isEmpty {
      try take(number, .cutOff(line))
    }
  }
}

extension ImportFailure {
  static func unreadable(path: String, errno number: CInt) -> ImportFailure {
    .unreadable(path: path, reason: String(number))
  }
}

/// Folders of a history.
enum HistoryFolder {
  /// What is under a path.
  enum Kind { case file, folder, other }

  /// - Parameter follows: Whether a symbolic link counts as what it leads to.
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

  /// Returns the path without symbolic links and `..`, from the root on.
  static func absolute(_ path: String) -> String {
    guard let found = realpath(path, nil) else { return path }
    defer { free(found) }
    return String(cString: found)
  }

  /// Returns the path of the folder that a file is in; `.` if the path has none.
  static func parent(of path: String) -> String {
    path.utf8.lastIndex(of: 0x2F).map { String(path[..<$0]) } ?? "."
  }

  /// Returns the part after the last slash.
  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: 0x2F).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
}
