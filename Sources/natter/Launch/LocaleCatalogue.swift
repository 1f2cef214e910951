import FoundationEssentials
import Glibc
import Synchronization
import TOML
import ViewModels

/// A language's texts: every file of `Resources/locales/TAG`, with `[table]` and `key` joined by a point.
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

  /// - Throws: `MissingResources` when the language has no directory, `CommandFailure` for a file that cannot be read.
  @MainActor convenience init(_ tag: String, in resources: URL) throws {
    let directory = resources.appending(path: "locales").appending(path: tag)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path) else {
      throw MissingResources(places: [directory.path])
    }
    var bytes: [UInt8] = []
    for name in names.sorted() where name.hasSuffix(".toml") {
      let file = directory.appending(path: name).path
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
