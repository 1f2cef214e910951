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
    let prefix: String
    let start: Int
    var end: Int
  }

  /// - Parameter folders: what a later one says counts: `TAG/*.toml` and `TAG.toml` in each.
  /// - Throws: `MissingResources` when the language is in none of them, `CommandFailure` for a file that cannot be read.
  @MainActor convenience init(_ tag: String, in folders: [URL]) throws {
    let files = folders.flatMap { LocaleCatalogue.files(of: tag, in: $0) }
    guard !files.isEmpty else {
      throw MissingResources(places: folders.map { $0.appending(path: tag).path })
    }
    var bytes: [UInt8] = []
    for file in files {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      defer { if descriptor >= 0 { close(descriptor) } }
      do {
        bytes += try StandardStreams.readAll(from: descriptor)
        bytes.append(UInt8(ascii: "\n"))
      } catch {
        let reason = String(cString: strerror(error.code.rawValue))
        throw CommandFailure(code: .internalError, text: "\(file): \(reason)")
      }
    }
    self.init(bytes)
  }

  private static func files(of tag: String, in folder: URL) -> [String] {
    // A tag is a name, never a path.
    guard !tag.isEmpty, !tag.contains("/"), !tag.hasPrefix(".") else { return [] }
    let directory = folder.appending(path: tag).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let single = directory + ".toml"
    return names.sorted().filter { $0.hasSuffix(".toml") }.map { "\(directory)/\($0)" }
      + (access(single, R_OK) == 0 ? [single] : [])
  }

  /// - Parameter bytes: the text of the files, one after the other.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var sections: [Section] = []
    var start = 0
    while start < bytes.count {
      let end = Self.lineEnd(in: bytes, from: start)
      if bytes[start] == UInt8(ascii: "["),
        let close = bytes[start..<end].firstIndex(of: UInt8(ascii: "]"))
      {
        let name = String(decoding: bytes[start + 1..<close], as: UTF8.self)
        sections.append(Section(prefix: name + ".", start: end + 1, end: bytes.count))
        if sections.count > 1 { sections[sections.count - 2].end = start }
      }
      start = end + 1
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
    // What a later file says is what counts.
    for section in sections.reversed() where key.hasPrefix(section.prefix) {
      if let text = find(key.dropFirst(section.prefix.count).utf8, in: section) { return text }
    }
    return nil
  }

  private func find(_ name: Substring.UTF8View, in section: Section) -> String? {
    var start = section.start
    while start < section.end {
      let end = Self.lineEnd(in: bytes, from: start)
      let line = bytes[start..<end]
      // A name with a point in it stands in quotation marks.
      let rest = line.first == UInt8(ascii: "\"") ? line.dropFirst() : line
      if rest.starts(with: name),
        let document = try? TOMLDocument.parse(String(decoding: line, as: UTF8.self)),
        let entry = document.root.entries.first, entry.key.utf8.elementsEqual(name)
      {
        return entry.value.string
      }
      start = end + 1
    }
    return nil
  }

  /// Where the line ends that `start` is in: at its line feed, or behind the last byte.
  private static func lineEnd(in bytes: [UInt8], from start: Int) -> Int {
    bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
  }
}
