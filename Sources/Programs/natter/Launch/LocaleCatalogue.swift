import FoundationEssentials
import Glibc
import Synchronization
import System
import TOML
import ViewModels

/// The texts of a language: every file of `Resources/locales/TAG`, with `[table]` and `key` joined
/// by a period, and the user's own files for it.
///
/// A screen needs a tenth of them. At startup only the section heads are located; a text is read
/// when it is first used.
nonisolated final class LocaleCatalogue: Sendable {
  private let bytes: [UInt8]
  private let sections: [Section]
  private let known = Mutex<[String: String?]>([:])

  /// The range of a section's lines, and its name with a period after it.
  private struct Section {
    let prefix: [UInt8]
    let start: Int
    var end: Int
  }

  /// - Parameter folders: each has `TAG/*.toml` and `TAG.toml`; a later folder takes precedence.
  /// - Throws: `MissingResources` when the language is in none of them, `CommandFailure` for a file
  ///   that cannot be read.
  convenience init(_ tag: String, in folders: [URL]) throws {
    let files = folders.flatMap { LocaleCatalogue.files(of: tag, in: $0) }
    guard !files.isEmpty else {
      throw MissingResources(locations: folders.map { $0.appending(path: tag).path })
    }
    self.init(try LocaleCatalogue.bytes(of: files))
  }

  /// The contents of `files`, each with a line feed after it.
  private static func bytes(of files: [String]) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    // Reserves memory for all of them: a growing array is copied each time.
    bytes.reserveCapacity(
      files.reduce(files.count) { sum, file in
        var facts = stat()
        return stat(file, &facts) == 0 ? sum + Int(facts.st_size) : sum
      })
    for file in files {
      guard FileContents.append(file, to: &bytes) else { throw unreadable(file) }
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  private static func unreadable(_ file: String) -> CommandFailure {
    CommandFailure(code: .internalError, text: "\(file): \(String(cString: strerror(errno)))")
  }

  /// The files of a language in a folder of languages.
  static func files(of tag: String, in folder: URL) -> [String] {
    // A tag is a name, never a path.
    guard !tag.isEmpty, !tag.contains("/"), !tag.hasPrefix(".") else { return [] }
    let directory = folder.path + "/" + tag
    let names = DirectoryNames.all(in: directory)
    let single = directory + ".toml"
    return names.sorted().filter { $0.hasSuffix(".toml") }.map { "\(directory)/\($0)" }
      + (access(single, R_OK) == 0 ? [single] : [])
  }

  /// - Parameter bytes: the contents of the files, one after the other.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var sections: [Section] = []
    for start in Self.bracketedLines(in: bytes) {
      let end = Self.lineEnd(in: bytes, from: start)
      guard let close = bytes[start..<end].firstIndex(of: UInt8(ascii: "]")) else { continue }
      if !sections.isEmpty { sections[sections.count - 1].end = start }
      sections.append(
        Section(
          prefix: Array(bytes[start + 1..<close]) + [UInt8(ascii: ".")], start: end + 1,
          end: bytes.count))
    }
    self.sections = sections
  }

  /// The text of `section.key`; `nil` when there is none, or its line is invalid.
  func text(_ key: String) -> String? {
    if let known = known.withLock({ $0[key] }) { return known }
    let text = find(key)
    known.withLock { $0[key] = .some(text) }
    return text
  }

  private func find(_ key: String) -> String? {
    let key = Array(key.utf8)
    // A later file takes precedence.
    for section in sections.reversed() where key.starts(with: section.prefix) {
      if let text = find(key[section.prefix.count...], in: section) { return text }
    }
    return nil
  }

  private func find(_ name: ArraySlice<UInt8>, in section: Section) -> String? {
    var start = section.start
    while start < section.end {
      let end = Self.lineEnd(in: bytes, from: start)
      // A name that contains a period is quoted.
      let position = bytes[start] == UInt8(ascii: "\"") ? start + 1 : start
      if end - position > name.count, bytes[position..<position + name.count] == name {
        if position == start, let text = Self.plainText(bytes[start + name.count..<end]) {
          return text
        }
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        if let entry = (try? TOMLDocument.parse(line))?.root.entries.first,
          entry.key.utf8.elementsEqual(name)
        {
          return entry.value.string
        }
      }
      start = end + 1
    }
    return nil
  }

  /// The text after a name: ` = "text"`, as in nearly all lines; `nil` if it needs a parser.
  private static func plainText(_ rest: ArraySlice<UInt8>) -> String? {
    let quote = UInt8(ascii: "\"")
    guard rest.starts(with: " = \"".utf8), rest.count > 4, rest.last == quote else { return nil }
    let text = rest.dropFirst(4).dropLast()
    guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != quote && $0 != UInt8(ascii: "\\") })
    else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  /// The offsets of the lines that begin with a bracket. The C library searches many bytes at once.
  private static func bracketedLines(in bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBytes { all in
      guard let base = all.baseAddress else { return [] }
      var starts: [Int] = []
      var next = 0
      while next < all.count, let found = memchr(base + next, 0x5B, all.count - next) {
        let position = UnsafeRawPointer(found) - base
        if position == 0 || all[position - 1] == UInt8(ascii: "\n") { starts.append(position) }
        next = position + 1
      }
      return starts
    }
  }

  /// The end of the line that contains `start`: its line feed, or the end of the bytes.
  private static func lineEnd(in bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBytes { all in
      guard start < all.count, let base = all.baseAddress,
        let found = memchr(base + start, 0x0A, all.count - start)
      else { return all.count }
      return UnsafeRawPointer(found) - base
    }
  }
}
