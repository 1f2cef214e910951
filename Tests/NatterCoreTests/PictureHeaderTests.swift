import NatterCore
import Testing

@Suite struct PictureHeaderTests {
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    + [0, 0, 1, 0, 0, 0, 0, 96]

  @Test func `each kind is told by its first bytes, with its size where that is near`() {
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
}
