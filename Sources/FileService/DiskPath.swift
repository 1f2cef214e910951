import Glibc
import NatterCore

/// Paths of which a part is no UTF-8 on the disk: in a `String` U+FFFD stands there for what is none (Unicode 3.9), and such a
/// path alone leads nowhere.
package enum DiskPath {
  /// The bytes that the system knows `path` by. For a part that has U+FFFD in it, and is not there so, the one name in its folder
  /// that reads the same.
  /// - Throws: `NatterError` when several do: which one is meant, nobody can tell.
  package static func bytes(of path: String) throws -> [CChar] {
    guard path.unicodeScalars.contains("\u{FFFD}") else { return Array(path.utf8CString) }
    var found: [UInt8] = path.hasPrefix("/") ? [UInt8(ascii: "/")] : []
    for part in path.split(separator: "/") {
      if !found.isEmpty, found.last != UInt8(ascii: "/") { found.append(UInt8(ascii: "/")) }
      let name = Array(part.utf8)
      if part.unicodeScalars.contains("\u{FFFD}"), !isThere(found + name) {
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

  /// Whether there is something at `path` that may be read.
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

  /// What a person sees of a name. How many bytes one U+FFFD stands for differs from reader to reader: a row of them counts as one.
  private static func reading(of name: [UInt8]) -> String {
    var reading = String.UnicodeScalarView()
    for scalar in String(decoding: name, as: UTF8.self).unicodeScalars
    where scalar != "\u{FFFD}" || reading.last != scalar {
      reading.append(scalar)
    }
    return String(reading)
  }
}
