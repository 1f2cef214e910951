import Foundation
import NatterCore
import TestSupport
import Testing

@testable import natter

@Suite struct DiskReaderTests {
  private let folder: TemporaryFolder
  private let reader = DiskReader()

  init() throws { folder = try TemporaryFolder("disk") }

  @Test func `folders come first, each sort by name, links as what they lead to`() async throws {
    _ = try folder.makeFolder("zoo")
    _ = try folder.makeFolder("Attic")
    try folder.write("12345", to: "b.txt")
    try folder.write("1", to: "A.txt")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("way"), withDestinationPath: folder.path("zoo"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("gone"), withDestinationPath: folder.path("nowhere"))
    let files = try await reader.files(in: folder.root.path)
    #expect(files.map(\.name) == ["Attic", "way", "zoo", "A.txt", "b.txt", "gone"])
    #expect(files.map(\.isFolder) == [true, true, true, false, false, false])
    #expect(files.map(\.byteCount) == [nil, nil, nil, 1, 5, nil])
  }

  @Test func `what is no folder says so`() async throws {
    try folder.write("x", to: "file")
    let problems = [
      (folder.path("file"), "error.folder.file"), (folder.path("nothing"), "error.folder.gone"),
    ]
    for (path, key) in problems {
      await #expect {
        _ = try await reader.files(in: path)
      } throws: {
        ($0 as? NatterError)?.notice.key == key
      }
    }
  }

  @Test func `the beginning of a text is shown, also where a character is cut in two`() async throws
  {
    try folder.write("one\ntwo\r\n\u{1B}[31mthree", to: "text")
    #expect(
      await reader.preview(of: folder.path("text")) == .text(["one", "two", "\u{1B}[31mthree"]))
    try folder.write(String(repeating: "ü", count: 20_000) + "x", to: "long")
    guard case .text(let lines) = await reader.preview(of: folder.path("long")) else {
      Issue.record("no text")
      return
    }
    #expect(lines == [String(repeating: "ü", count: 500)])
    try folder.write("x" + String(repeating: "ü", count: 20_000), to: "odd")
    #expect(await reader.preview(of: folder.path("odd")) != .nothing)
  }

  @Test func `a small picture that came with a message becomes a file, if it is small and one`()
    async throws
  {
    func png(_ width: UInt8, _ more: UInt8 = 0) -> [UInt8] {
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, more, width, 0, 0, 0, 24] + [UInt8](repeating: 7, count: 40)
    }
    let cache = folder.root.appending(path: "thumbnails")
    let reader = DiskReader(thumbnails: cache)
    let file = try #require(await reader.picture(png(32)))
    #expect(file.width == 32 && file.height == 24 && file.mediaType == "image/png")
    #expect(file.path.hasPrefix(cache.path + "/"))
    #expect(try Data(contentsOf: URL(filePath: file.path)) == Data(png(32)))
    #expect(await reader.picture(png(32)) == file)
    #expect(await reader.picture(png(0, 8)) == nil)
    #expect(await reader.picture(Array("no picture".utf8)) == nil)
    #expect(await reader.picture(Array("GIF89a".utf8) + [9, 0, 9, 0, 0, 0]) == nil)
    // Without space for it there is none.
    #expect(await DiskReader().picture(png(32)) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.path).count == 1)
  }

  @Test func `a picture is reported with its size, and one without a size is none`() async throws {
    let png: [UInt8] =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 1, 0, 0, 0, 0, 96]
    try Data(png).write(to: folder.url("a.txt"))
    guard case .picture(let file) = await reader.preview(of: folder.path("a.txt")) else {
      Issue.record("no picture")
      return
    }
    #expect(file.path == folder.path("a.txt") && file.mediaType == "image/png")
    #expect((file.width, file.height, file.byteCount) == (256, 96, png.count))
    try Data(png.prefix(18)).write(to: folder.url("cut"))
    #expect(await reader.preview(of: folder.path("cut")) == .nothing)
    // A camera's JPEG: the size comes after 100 kB of other things.
    let segment: [UInt8] = [0xFF, 0xE1, 0xFF, 0xFE] + [UInt8](repeating: 7, count: 0xFFFC)
    let frame: [UInt8] = [0xFF, 0xC0, 0, 17, 8, 0, 30, 0, 40, 3, 0, 0, 0, 0]
    try Data([0xFF, 0xD8] + segment + segment + frame).write(to: folder.url("photo"))
    guard case .picture(let photo) = await reader.preview(of: folder.path("photo")) else {
      Issue.record("no picture")
      return
    }
    #expect((photo.width, photo.height) == (40, 30))
  }

  @Test func `what is no plain file, or cannot be read, is not waited for`() async throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(await reader.preview(of: folder.path("pipe")) == .nothing)
    #expect(await reader.preview(of: folder.root.path) == .nothing)
    #expect(await reader.preview(of: folder.path("nothing")) == .unreadable)
    try Data([0, 1, 2, 3]).write(to: folder.url("binary"))
    #expect(await reader.preview(of: folder.path("binary")) == .nothing)
    try Data().write(to: folder.url("empty"))
    #expect(await reader.preview(of: folder.path("empty")) == .text([""]))
  }
}
