import FoundationEssentials
import Glibc

/// Files and folders of other programs: they are only read.
package enum HistoryFiles {
  /// The most entries of a folder that are examined to recognize a format.
  static let examined = 50
  /// The most levels of folders.
  static let depth = 8

  /// The kinds of path that are read.
  package enum Kind: Hashable, Sendable { case file, folder }

  /// Returns the kind of a path; `nil` for nothing, and for devices, pipes and sockets.
  package static func kind(of path: String) -> Kind? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return switch information.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: nil
    }
  }

  /// Returns the entries of a folder, sorted; hidden ones are left out.
  /// - Throws: `ImportFailure`.
  package static func entries(of folder: String) throws(ImportFailure) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { !$0.hasPrefix(".") }.sorted().map { folder + "/" + $0 }
    } catch {
      throw unreadable(folder)
    }
  }

  /// Returns the files of a folder, sorted. Links are left out: mcabber has two contacts share a
  /// file in that way.
  package static func files(of folder: String) throws(ImportFailure) -> [String] {
    try entries(of: folder).filter { !isLink($0) && kind(of: $0) == .file }
  }

  /// Returns the folders in a folder, sorted, without links.
  package static func folders(of folder: String) throws(ImportFailure) -> [String] {
    try entries(of: folder).filter { !isLink($0) && kind(of: $0) == .folder }
  }

  /// The last part of a path.
  package static func name(of path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// The path without its last part.
  package static func folder(of path: String) -> String {
    let parts = path.split(separator: "/").dropLast()
    let joined = parts.joined(separator: "/")
    return path.hasPrefix("/") ? "/" + joined : joined.isEmpty ? "." : joined
  }

  /// The error for a path that the system has just refused.
  package static func unreadable(_ path: String, _ number: Int32 = errno) -> ImportFailure {
    .unreadable(path: path, reason: String(number))
  }

  private static func isLink(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
  }

  /// Returns the first bytes of a file; empty where there is none.
  package static func beginning(of path: String, bytes count: Int = 4096) -> [UInt8] {
    guard let file = try? FileBytes(path) else { return [] }
    return (try? file.read(from: 0, count: count)) ?? []
  }
}

/// The bytes of an open regular file.
package final class FileBytes: Sendable {
  package let path: String
  package let descriptor: Int32
  package let size: Int

  /// - Throws: `ImportFailure.unreadable`.
  package init(_ path: String) throws(ImportFailure) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw HistoryFiles.unreadable(path) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let isFolder = information.st_mode & S_IFMT == S_IFDIR
      throw HistoryFiles.unreadable(path, isFolder ? EISDIR : EINVAL)
    }
    size = Int(information.st_size)
  }

  deinit { close(descriptor) }

  /// Reads bytes; fewer at the end of the file.
  package func read(from offset: Int, count: Int) throws(ImportFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(
          descriptor, $0.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw HistoryFiles.unreadable(path) }
      if got == 0 { break }
      filled += got
    }
    return filled == count ? bytes : Array(bytes.prefix(filled))
  }
}

/// Reads a file, or a part of it, line by line.
package struct LineReader {
  package struct Line {
    /// Without its end; empty if it is too long.
    package let bytes: [UInt8]
    /// From 1.
    package let number: Int
    /// Whether it is longer than the limit, and was not read.
    package let isTooLong: Bool
  }

  private static let pieceSize = 64 << 10

  private let file: FileBytes
  private let limit: Int
  private let end: Int
  private var offset: Int
  private var piece: ArraySlice<UInt8> = []
  private var number = 0
  private var returned: Line?

  /// - Parameter limit: the longest line, in bytes.
  package init(_ file: FileBytes, from start: Int = 0, count: Int? = nil, limit: Int = 2 << 20) {
    self.file = file
    self.limit = limit
    offset = start
    end = start + (count ?? max(0, file.size - start))
  }

  /// Returns the next line; `nil` at the end.
  package mutating func next() throws(ImportFailure) -> Line? {
    if let line = returned {
      returned = nil
      return line
    }
    var bytes: [UInt8] = []
    var isTooLong = false
    var isEmpty = true
    while true {
      if piece.isEmpty {
        piece = try file.read(from: offset, count: min(Self.pieceSize, max(0, end - offset)))[...]
        offset += piece.count
        guard !piece.isEmpty else {
          if isEmpty { return nil }
          break
        }
      }
      isEmpty = false
      let part = piece.prefix { $0 != 0x0A }
      if bytes.count + part.count > limit {
        (isTooLong, bytes) = (true, [])
      } else if !isTooLong {
        bytes += part
      }
      let isWhole = part.count < piece.count
      piece = piece.dropFirst(part.count + 1)
      if isWhole { break }
    }
    number += 1
    return Line(bytes: bytes, number: number, isTooLong: isTooLong)
  }

  /// Has the next call of `next` return this line again.
  package mutating func giveBack(_ line: Line) { returned = line }
}
