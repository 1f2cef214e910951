import Foundation
import NatterCore
import Panes
import Terminal
import TestSupport
import Testing

@testable import natter

@Suite struct SignMakerTests {
  /// Has a program of that name print `output`.
  private func cells(printing output: [UInt8], _ size: Size) async throws -> PictureCells? {
    let folder = try TemporaryFolder("signs")
    try Data(output).write(to: folder.url("output"))
    try await folder.writeProgram("#!/bin/sh\nexec cat '\(folder.path("output"))'\n", to: "chafa")
    let maker = try #require(
      SignMaker(
        depth: .indexed, environment: ["PATH": folder.root.path + ":/usr/bin:/bin"]))
    return await maker.cells(
      of: PictureFile(
        path: "/tmp/x.png", mediaType: "image/png", width: 10, height: 10, byteCount: 1,
        changedAt: 0), size, .blocks)
  }

  @Test func `a picture as large as the screen comes whole, however many bytes its colours take`()
    async throws
  {
    let (rows, columns) = (120, 300)
    let cell = "\u{1B}[38;5;120m\u{1B}[48;5;33m\u{2584}"
    let line = String(repeating: cell, count: columns) + "\u{1B}[0m\n"
    let output = Array(String(repeating: line, count: rows).utf8)
    #expect(output.count > 512 << 10)
    let found = try await cells(printing: output, Size(rows: rows, columns: columns))
    #expect(found?.size == Size(rows: rows, columns: columns))
  }

  @Test func `more than any picture takes is none`() async throws {
    let output = [UInt8](repeating: UInt8(ascii: "x"), count: 9 << 20)
    #expect(try await cells(printing: output, Size(rows: 5, columns: 5)) == nil)
  }
}
