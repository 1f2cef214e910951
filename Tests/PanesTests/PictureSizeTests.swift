import NatterCore
import Terminal
import Testing
import ViewModels

@testable import Panes

/// The pictures that are drawn, and their sizes.
@Suite struct PictureSizeTests {
  private nonisolated static let kitty = PictureMeans(ownKinds: ["image/png"])
  private nonisolated static let symbols = PictureMeans(symbols: .blocks)

  @Test(arguments: [
    (64, 64, Size(rows: 4, columns: 8)), (16, 8, Size(rows: 1, columns: 2)),
    (4000, 3000, Size(rows: 10, columns: 27)), (3000, 4000, Size(rows: 10, columns: 15)),
    (10_000, 10, Size(rows: 1, columns: 60)), (10, 10_000, Size(rows: 10, columns: 1)),
    (1, 1, Size(rows: 1, columns: 1)),
  ])
  func `sizes keep the shape and stay within their limit`(width: Int, height: Int, size: Size) {
    let file = PictureFile(
      path: "/x", mediaType: "image/png", width: width, height: height, byteCount: 1)
    let sizes = PictureSizes(means: Self.kitty, failed: [])
    #expect(sizes.size(of: file, within: Size(rows: 10, columns: 60)) == size)
    #expect(sizes.size(of: file, within: Size(rows: 0, columns: 60)) == nil)
  }

  @Test func `too large, or of a kind that nothing draws, is not drawn`() {
    func way(_ type: String, _ width: Int, _ bytes: Int, _ means: PictureMeans) -> Bool {
      means.way(
        of: PictureFile(
          path: "/x", mediaType: type, width: width, height: 10_000, byteCount: bytes)) != nil
    }
    #expect(way("image/png", 100, 100, Self.kitty))
    #expect(!way("image/jpeg", 100, 100, Self.kitty))
    #expect(way("image/jpeg", 100, 100, Self.symbols))
    #expect(!way("image/png", 100_000, 100, Self.kitty))
    #expect(!way("image/png", .max, 100, Self.symbols))
    #expect(!way("image/png", 100, 40_000_000, Self.kitty))
    let far = PictureMeans(ownKinds: ["image/png"], handover: .bytes(limit: 1000))
    #expect(way("image/png", 100, 1000, far) && !way("image/png", 100, 1001, far))
  }
}
