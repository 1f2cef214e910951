import NatterCore
import Testing

@Suite struct PictureHeaderTests {
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    + [0, 0, 1, 0, 0, 0, 0, 96]

  @Test func `each kind is known by its first bytes, with its size where that is near`() {
    let png = PictureHeader(Self.png)
    #expect(png?.mediaType == "image/png" && png?.width == 256 && png?.height == 96)
    let gif = PictureHeader(Array("GIF89a".utf8) + [2, 1, 3, 0])
    #expect(gif?.mediaType == "image/gif" && gif?.width == 258 && gif?.height == 3)
    #expect(PictureHeader([0xFF, 0xD8, 0xFF, 0xE0])?.mediaType == "image/jpeg")
    let webp = Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBPVP8 ".utf8)
    #expect(PictureHeader(webp)?.mediaType == "image/webp")
  }

  @Test func `what is cut short, or something else, is no picture or one without a size`() {
    #expect(PictureHeader(Self.png.prefix(18))?.width == nil)
    #expect(PictureHeader(Self.png.prefix(7)) == nil)
    #expect(PictureHeader(Array("<svg onload=x>".utf8)) == nil)
    #expect(PictureHeader([UInt8]()) == nil)
    #expect(PictureHeader(Array("RIFF1234WAVE".utf8)) == nil)
  }

  @Test func `the size of a JPEG is found behind whatever a camera writes before it`() {
    let start: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE1, 0x10, 0x02]
    let metadata = [UInt8](repeating: 0xFF, count: 0x1000)
    let frame: [UInt8] = [0xFF, 0xFF, 0xC2, 0, 17, 8, 0x04, 0x38, 0x07, 0x80, 3, 0, 0, 0, 0]
    let header = PictureHeader(start + metadata + frame)
    #expect(header?.width == 1920 && header?.height == 1080)
    // Cut off before, with a length that leads nowhere, and with one that would not move on.
    #expect(PictureHeader(start + metadata)?.width == nil)
    #expect(PictureHeader([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF] + frame)?.width == nil)
    #expect(PictureHeader([0xFF, 0xD8, 0xFF, 0xE0, 0, 0] + frame)?.width == nil)
  }

  @Test(
    arguments: [
      ("VP8 ", [10, 0, 0, 0, 0, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 0x41, 0xF0, 0x80], 320, 240),
      ("VP8L", [10, 0, 0, 0, 0x2F, 0x3F, 0xC1, 0x3B, 0x00], 320, 240),
      ("VP8X", [10, 0, 0, 0, 0, 0, 0, 0, 0x3F, 0x01, 0, 0xEF, 0, 0], 320, 240),
    ] as [(String, [UInt8], Int, Int)])
  func `the size of each kind of WebP is found`(
    kind: String, rest: [UInt8], width: Int, height: Int
  ) {
    let bytes = Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBP\(kind)".utf8) + rest
    let header = PictureHeader(bytes)
    #expect(header?.width == width && header?.height == height)
    #expect(PictureHeader(bytes.dropLast(2))?.height == nil)
  }
}
