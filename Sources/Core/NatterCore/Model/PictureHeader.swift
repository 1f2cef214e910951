/// The media type and the size of a picture, read from the first bytes of its file.
package struct PictureHeader: Hashable, Sendable {
  /// Such as `image/png`.
  package let mediaType: String
  /// In pixels; `nil` if the beginning does not contain it.
  package var width: Int?
  package var height: Int?

  /// `nil` unless it is a PNG, GIF, JPEG or WebP file.
  package init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(32))
    func number(_ range: Range<Int>, littleEndian: Bool = false) -> Int? {
      guard head.count >= range.upperBound else { return nil }
      let part = littleEndian ? head[range].reversed() : Array(head[range])
      return part.reduce(0) { $0 << 8 | Int($1) }
    }
    func begins(_ start: [UInt8], at position: Int = 0) -> Bool {
      head.dropFirst(position).starts(with: start)
    }
    if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      mediaType = "image/png"
      // The header is the first chunk (PNG §11.2.2).
      if begins(Array("IHDR".utf8), at: 12) { (width, height) = (number(16..<20), number(20..<24)) }
    } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
      mediaType = "image/gif"
      (width, height) = (number(6..<8, littleEndian: true), number(8..<10, littleEndian: true))
    } else if begins([0xFF, 0xD8, 0xFF]) {
      mediaType = "image/jpeg"
      if let size = Self.sizeOfJPEG(Array(bytes.prefix(Self.mostRead))) {
        (width, height) = (size.width, size.height)
      }
    } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
      mediaType = "image/webp"
      func small(_ range: Range<Int>) -> Int? { number(range, littleEndian: true) }
      // The three kinds of WebP (RFC 9649 §2.5 to §2.7): lossy, lossless, extended.
      if begins(Array("VP8 ".utf8), at: 12) {
        (width, height) = (small(26..<28).map { $0 & 0x3FFF }, small(28..<30).map { $0 & 0x3FFF })
      } else if begins(Array("VP8L".utf8), at: 12), let bits = small(21..<25) {
        (width, height) = (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
      } else if begins(Array("VP8X".utf8), at: 12) {
        (width, height) = (small(24..<27).map { $0 + 1 }, small(27..<30).map { $0 + 1 })
      }
    } else {
      return nil
    }
  }
  /// Bytes of a file that are read: enough to skip what cameras write before the picture.
  package static let mostRead = 256 << 10

  /// Returns the size from the frame header of a JPEG file (ITU-T T.81 §B.2.2), after the segments
  /// before it.
  private static func sizeOfJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    var position = 2
    while position + 9 < bytes.count, bytes[position] == 0xFF {
      let marker = bytes[position + 1]
      let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
      switch marker {
      // A fill byte, and markers without a length.
      case 0xFF: position += 1
      case 0x01, 0xD0...0xD8: position += 2
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        return (
          Int(bytes[position + 7]) << 8 | Int(bytes[position + 8]),
          Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
        )
      default:
        guard length >= 2 else { return nil }
        position += 2 + length
      }
    }
    return nil
  }
}
