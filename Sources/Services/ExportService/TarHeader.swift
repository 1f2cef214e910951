/// The header of a regular file in a tar archive (POSIX.1-2017, pax, "ustar Interchange Format").
package struct TarHeader: Hashable, Sendable {
  /// The bytes of a header, and the unit of all lengths.
  package static let blockSize = 512
  /// The longest name without a folder, and the longest folder, in bytes.
  private static let (nameLimit, folderLimit) = (100, 155)

  private let folder: [UInt8]
  private let name: [UInt8]
  /// The length of the file, in bytes.
  package let size: Int
  /// The time of the last change, in seconds since 1970.
  private let modified: Int

  /// Creates the header; `nil` for a name that is empty, is absolute, or is too long: 100 bytes, or
  /// 100 after a `/` with at most 155 before it.
  package init?(name path: String, size: Int, modified: Int) {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.first != UInt8(ascii: "/"), !bytes.contains(0), size >= 0
    else { return nil }
    self.size = size
    self.modified = max(0, modified)
    if bytes.count <= Self.nameLimit {
      (folder, name) = ([], bytes)
      return
    }
    // The first separator after which the rest fits leaves the shortest folder.
    guard
      let separator = bytes.indices.first(where: {
        bytes[$0] == UInt8(ascii: "/") && bytes.count - $0 - 1 <= Self.nameLimit
      }), separator <= Self.folderLimit, separator + 1 < bytes.count
    else { return nil }
    (folder, name) = (Array(bytes[..<separator]), Array(bytes[(separator + 1)...]))
  }

  /// The block.
  package var bytes: [UInt8] {
    var block: [UInt8] = []
    block.reserveCapacity(Self.blockSize)
    func add(_ bytes: [UInt8], _ width: Int) {
      block += bytes + [UInt8](repeating: 0, count: width - bytes.count)
    }
    add(name, 100)
    add(Self.number(0o600, width: 8), 8)
    // User and group: those of the program that unpacks it.
    add(Self.number(0, width: 8), 8)
    add(Self.number(0, width: 8), 8)
    add(Self.number(size, width: 12), 12)
    add(Self.number(modified, width: 12), 12)
    let checksum = block.count
    add(Array(repeating: UInt8(ascii: " "), count: 8), 8)
    // A regular file.
    add([UInt8(ascii: "0")], 1)
    // The target of a link.
    add([], 100)
    add(Array("ustar\0".utf8) + Array("00".utf8), 8)
    // The names of user and group.
    add([], 64)
    // The numbers of a device.
    add(Self.number(0, width: 8), 8)
    add(Self.number(0, width: 8), 8)
    add(folder, 155)
    add([], 12)
    let sum = block.reduce(0) { $0 + Int($1) }
    block.replaceSubrange(
      checksum..<(checksum + 8), with: Self.number(sum, width: 7) + [UInt8(ascii: " ")])
    return block
  }

  /// The bytes after a file of this size, up to the next block.
  static func padding(after size: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: (blockSize - size % blockSize) % blockSize)
  }

  /// Returns octal digits and a NUL; for a number that is larger, as a file of 8 GiB is, the binary
  /// form of GNU tar, which is marked by the highest bit and has the lowest byte at the end.
  private static func number(_ value: Int, width: Int) -> [UInt8] {
    let digits = Array(String(value, radix: 8).utf8)
    if digits.count < width {
      return [UInt8](repeating: UInt8(ascii: "0"), count: width - 1 - digits.count) + digits + [0]
    }
    var bytes = [UInt8](repeating: 0, count: width)
    var rest = UInt64(value)
    for index in bytes.indices.reversed() {
      bytes[index] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
    bytes[0] = 0x80
    return bytes
  }
}
