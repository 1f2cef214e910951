import FoundationEssentials
import Glibc
import Synchronization
import TOML
import ViewModels

/// A language's texts: every file of `Resources/locales/TAG`, with `[table]` and `key` joined by a point, and what the person
/// has of it in files of his own.
///
/// A screen needs a tenth of them. So at start only the sections' heads are looked for, and a text is read when it is
/// first asked for.
nonisolated final class LocaleCatalogue: Sendable {
  private let bytes: [UInt8]
  private let sections: [Section]
  private let known = Mutex<[String: String?]>([:])

  /// Where a section's lines are, and its name with a point behind it.
  private struct Section {
    let prefix: [UInt8]
    let start: Int
    var end: Int
  }

  /// - Parameter folders: what a later one says counts: `TAG/*.toml` and `TAG.toml` in each.
  /// - Throws: `MissingResources` when the language is in none of them, `CommandFailure` for a file that cannot be read.
  convenience init(_ tag: String, in folders: [URL]) throws {
    let files = folders.flatMap { LocaleCatalogue.files(of: tag, in: $0) }
    guard !files.isEmpty else {
      throw MissingResources(places: folders.map { $0.appending(path: tag).path })
    }
    self.init(try LocaleCatalogue.bytes(of: files))
  }

  /// What is in `files`, each with a line end behind it.
  private static func bytes(of files: [String]) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    // Room for all of them at once: what grows is copied each time.
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

  /// - Parameter bytes: the text of the files, one after the other.
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

  /// The text of `section.key`; `nil` when there is none, or its line is wrong.
  func text(_ key: String) -> String? {
    if let known = known.withLock({ $0[key] }) { return known }
    let text = find(key)
    known.withLock { $0[key] = .some(text) }
    return text
  }

  private func find(_ key: String) -> String? {
    let key = Array(key.utf8)
    // What a later file says is what counts.
    for section in sections.reversed() where key.starts(with: section.prefix) {
      if let text = find(key[section.prefix.count...], in: section) { return text }
    }
    return nil
  }

  private func find(_ name: ArraySlice<UInt8>, in section: Section) -> String? {
    var start = section.start
    while start < section.end {
      let end = Self.lineEnd(in: bytes, from: start)
      // A name with a point in it stands in quotation marks.
      let place = bytes[start] == UInt8(ascii: "\"") ? start + 1 : start
      if end - place > name.count, bytes[place..<place + name.count] == name {
        if place == start, let text = Self.plainText(bytes[start + name.count..<end]) {
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

  /// The text of what stands behind a name: ` = "text"`, as nearly all of them are; `nil` where it takes a parser to tell.
  private static func plainText(_ rest: ArraySlice<UInt8>) -> String? {
    let quote = UInt8(ascii: "\"")
    guard rest.starts(with: " = \"".utf8), rest.count > 4, rest.last == quote else { return nil }
    let text = rest.dropFirst(4).dropLast()
    guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != quote && $0 != UInt8(ascii: "\\") })
    else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  /// Where the lines are that begin with a bracket. The C library looks at many bytes at once.
  private static func bracketedLines(in bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBytes { all in
      guard let base = all.baseAddress else { return [] }
      var starts: [Int] = []
      var next = 0
      while next < all.count, let found = memchr(base + next, 0x5B, all.count - next) {
        let place = UnsafeRawPointer(found) - base
        if place == 0 || all[place - 1] == UInt8(ascii: "\n") { starts.append(place) }
        next = place + 1
      }
      return starts
    }
  }

  /// Where the line ends that `start` is in: at its line feed, or behind the last byte.
  private static func lineEnd(in bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBytes { all in
      guard start < all.count, let base = all.baseAddress,
        let found = memchr(base + start, 0x0A, all.count - start)
      else { return all.count }
      return UnsafeRawPointer(found) - base
    }
  }
}
