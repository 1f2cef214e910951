import Glibc
import NatterCore

/// Paths with parts that are not valid UTF-8 on the disk: in a `String`, U+FFFD replaces the
/// invalid bytes (Unicode 3.9), and such a path does not name the file.
package enum DiskPath {
  /// Returns the bytes of `path` on the disk. A part with U+FFFD that does not exist under that
  /// name denotes the only name in its folder that decodes to the same text.
  /// - Throws: `NatterError` when several names do, because the path is ambiguous.
  package static func bytes(of path: String) throws -> [CChar] {
    guard path.unicodeScalars.contains("\u{FFFD}") else { return Array(path.utf8CString) }
    // By bytes: a name may begin with a mark, which forms one character with the slash.
    let slash = UInt8(ascii: "/")
    var found: [UInt8] = path.utf8.first == slash ? [slash] : []
    for part in path.utf8.split(separator: slash) {
      if !found.isEmpty, found.last != slash { found.append(slash) }
      let name = Array(part)
      if Substring(part).unicodeScalars.contains("\u{FFFD}"), !isThere(found + name) {
        let names = names(in: found).filter { reading(of: $0) == reading(of: name) }
        guard names.count < 2 else {
          throw NatterError(.invalidInput, "error.files.twoNames", ["path": path])
        }
        found += names.first ?? name
      } else {
        found += name
      }
    }
    return terminated(found)
  }

  /// Returns whether a readable file exists at `path`.
  static func isReadable(_ path: String) -> Bool {
    guard let bytes = try? bytes(of: path) else { return false }
    return access(bytes, R_OK) == 0
  }

  private static func terminated(_ bytes: [UInt8]) -> [CChar] {
    bytes.map { CChar(bitPattern: $0) } + [0]
  }

  private static func isThere(_ path: [UInt8]) -> Bool {
    var facts = stat()
    return lstat(terminated(path), &facts) == 0
  }

  private static func names(in folder: [UInt8]) -> [[UInt8]] {
    guard let stream = opendir(terminated(folder.isEmpty ? [UInt8(ascii: ".")] : folder)) else {
      return []
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
    }
    return names
  }

  /// Returns the name as the user sees it. The number of bytes that one U+FFFD replaces differs
  /// between decoders, so a row of them counts as a single one.
  private static func reading(of name: [UInt8]) -> String {
    var reading = String.UnicodeScalarView()
    for scalar in String(decoding: name, as: UTF8.self).unicodeScalars
    where scalar != "\u{FFFD}" || reading.last != scalar {
      reading.append(scalar)
    }
    return String(reading)
  }
}
