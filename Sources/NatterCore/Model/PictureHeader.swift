/// What the first bytes of a picture's file say of it.
package struct PictureHeader: Hashable, Sendable {
  /// `image/png` and the like.
  package let mediaType: String
  /// In pixels; `nil` where it takes more than the beginning to know.
  package var width: Int?
  package var height: Int?

  /// `nil` when it is none of PNG, GIF, JPEG and WebP.
  package init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(32))
    func number(_ range: Range<Int>, littleEndian: Bool = false) -> Int? {
      guard head.count >= range.upperBound else { return nil }
      let part = littleEndian ? head[range].reversed() : Array(head[range])
      return part.reduce(0) { $0 << 8 | Int($1) }
    }
    func begins(_ start: [UInt8], at place: Int = 0) -> Bool {
      head.dropFirst(place).starts(with: start)
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
    } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
      mediaType = "image/webp"
    } else {
      return nil
    }
  }
}
