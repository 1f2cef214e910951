import Crypto

/// Writes a tar archive whose parts are as long as they become: a header is completed after its
/// part.
struct TarWriter {
  let file: ExportFile
  /// The time of the last change of all parts, in seconds since 1970.
  let modified: Int

  /// A part that is being written.
  struct Part {
    let offset: Int
    let name: String
    fileprivate var contents: Int { offset + TarHeader.blockSize }
  }

  /// Begins a part; its contents follow.
  func begin(_ name: String) throws -> Part {
    let part = Part(offset: file.count, name: name)
    try file.write([UInt8](repeating: 0, count: TarHeader.blockSize))
    return part
  }

  /// Returns the SHA-256 of the contents of a part, as far as they are written.
  func digest(of part: Part) throws -> [UInt8] {
    try file.digest(from: part.contents, byteCount: file.count - part.contents)
  }

  /// Ends a part.
  /// - Parameter name: its final name; `nil`: that with which it began.
  func end(_ part: Part, name: String? = nil) throws {
    let size = file.count - part.contents
    guard let header = TarHeader(name: name ?? part.name, size: size, modified: modified) else {
      throw ExportFailure.notAFile(path: name ?? part.name)
    }
    try file.write(TarHeader.padding(after: size))
    try file.replace(at: part.offset, with: header.bytes)
  }

  /// Removes a part that has begun.
  func drop(_ part: Part) throws { try file.truncate(to: part.offset) }

  /// Replaces the contents of a complete part by others of the same length.
  func replaceContents(of part: Part, with bytes: [UInt8]) throws {
    try file.replace(at: part.contents, with: bytes)
  }

  /// Ends the archive: two empty blocks.
  func end() throws { try file.write([UInt8](repeating: 0, count: 2 * TarHeader.blockSize)) }
}
