import Foundation
import NatterCore
import Panes
import Terminal
import TestSupport
import Testing

@testable import natter

@Suite struct ChafaRendererTests {
  /// Has a program of that name print `output`.
  private func cells(printing output: [UInt8], _ size: Size) async throws -> PictureCells? {
    let folder = try TemporaryFolder("signs")
    try Data(output).write(to: folder.url("output"))
    try await folder.writeProgram("#!/bin/sh\nexec cat '\(folder.path("output"))'\n", to: "chafa")
    let maker = try #require(
      ChafaRenderer(
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

  @Test(
    .requires(.chafa),
    arguments: [ColorDepth.mono, .eight, .indexed],
    [Size(rows: 13, columns: 40), Size(rows: 12, columns: 38)])
  func `a picture fills the cells that it is given, and from black to white there are steps`(
    depth: ColorDepth, size: Size
  ) async throws {
    let folder = try TemporaryFolder("signs")
    // 320 x 200 pixels, black at the left and white at the right.
    let png =
      "iVBORw0KGgoAAAANSUhEUgAAAUAAAADICAAAAAC8b2d3AAAC00lEQVR42u3Q62IWAgAA0K+mhkUxGlamVk1SqyZLS5NitDQp"
      + "XQwrS8OqqdGwNBTRYghhGFaNSlMrK8WqlcVUGFatGhYro2EYze01/DjnEU4gEGjVOijohDZtg4NPPOnkkJB2p5zavn2H004P"
      + "DT3jzI5hYWedfU54eKfO50ZEnNela2Rkt+49oqLO73lBr14X9u4THd23X/+YmIsGXBwbO/CSQXFxgy8dEh9/2dDLhw0bfsWV"
      + "CQlXXT0iMXHkNaOSkq4dfd2YMWOvHzd+/ISJNyQn33jTzSkpkybfkpo65dapaWm33X5Hevq06TMyMu6cOSsz8667Z2dl3XPv"
      + "fdnZc+6fm5PzwIMPzZs3/+FHFix49LGFubmLHn8iL+/Jp55evPiZZ59bsuT5F17Mz3/p5VcKCl597fXCwqXLlhcVvfHmipUr"
      + "V721urj47TVrS0rWrX+ntHTDxnc3bdr83vtlZVu2bisv377jg4qKnR9+VFn58a7de/Z88ulnVVWff/FldfXefftrag4cPFRb"
      + "+9XX39TVHf72u/r6I0e/b2j44cdjjY0//fxLU9Ovv/3e3PzHn8dbWv76+59/AwIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBA"
      + "gQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBA"
      + "gQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBA"
      + "gQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBA"
      + "gQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKBAgQIFChQoUKDA/2vgf7KeDg230f/pAAAAAElFTkSuQmCC"
    try #require(Data(base64Encoded: png)).write(to: folder.url("x.png"))
    let maker = try #require(
      ChafaRenderer(depth: depth, environment: ProcessInfo.processInfo.environment))
    let found = await maker.cells(
      of: PictureFile(
        path: folder.path("x.png"), mediaType: "image/png", width: 320, height: 200, byteCount: 1),
      size, .blocks)
    let cells = try #require(found)
    #expect(cells.size == size)
    var surface = Surface(size: size)
    surface.draw(cells, rows: 0..<size.rows, row: 0, column: 0)
    let row = (0..<size.columns).map { surface[size.rows / 2, $0] }
    // More than black, white and the one cell between them.
    #expect(Set(row.map { "\($0.glyph)\(String(describing: $0.paint))" }).count > 3)
  }

  @Test func `more than any picture takes is none`() async throws {
    let output = [UInt8](repeating: UInt8(ascii: "x"), count: 9 << 20)
    #expect(try await cells(printing: output, Size(rows: 5, columns: 5)) == nil)
  }
}
