import Foundation
import NatterCore
import Panes
import Terminal
import TestSupport
import Testing

@testable import natter

/// The output of `chafa` for terminals that draw sixels.
@Suite struct SixelMakingTests {
  private static let sixel = PictureMeans.Sixel(
    cell: Size(rows: 20, columns: 10), byteLimit: 10_000)

  private static func picture(_ path: String) -> PictureFile {
    PictureFile(
      path: path, mediaType: "image/png", width: 64, height: 48, byteCount: 1, changedAt: 0)
  }

  /// Has a program of that name do what `script` says.
  private func sixels(
    _ script: String, _ sixel: PictureMeans.Sixel = sixel
  ) async throws -> (made: Sixels?, calls: [String]) {
    let folder = try TemporaryFolder("sixels")
    try await folder.writeProgram(
      "#!/bin/sh\necho \"$*\" >> '\(folder.path("calls"))'\n\(script)\n", to: "chafa")
    let maker = try #require(
      ChafaRenderer(depth: .indexed, environment: ["PATH": folder.root.path + ":/usr/bin:/bin"]))
    let made = await maker.sixels(of: Self.picture("/tmp/x.png"), Size(rows: 6, columns: 16), sixel)
    return (made, (folder.text("calls") ?? "").split(separator: "\n").map(String.init))
  }

  @Test func `it is asked for the pixels of the cells`() async throws {
    let (made, calls) = try await sixels(#"printf '\033Pq"1;1;160;120#0;2;1;1;1~\033\\'"#)
    #expect(made?.size == Size(rows: 120, columns: 160))
    #expect(
      calls == [
        "--format sixels --colors full --font-ratio 8/8 --animate off --threads 1 --size 20x15 -- "
          + "/tmp/x.png"
      ])
  }

  @Test func `where its cells are others, it is asked again`() async throws {
    let (made, calls) = try await sixels(
      #"""
      case "$*" in
      *8/8*) printf '\033Pq"1;1;200;300~\033\\' ;;
      *) printf '\033Pq"1;1;160;120~\033\\' ;;
      esac
      """#)
    #expect(made?.size == Size(rows: 120, columns: 160))
    #expect(calls.count == 2 && calls.last?.contains("--font-ratio 10/20") == true)
    #expect(calls.last?.contains("--size 16x6 ") == true)
  }

  @Test func `what breaks out, fails, or is too much for the line is none`() async throws {
    #expect(try await sixels(#"printf '\033Pq"1;1;160;120~\033\\\033]0;x\007'"#).made == nil)
    #expect(try await sixels(#"printf '\033Pq"1;1;160;120~\033\\'; exit 1"#).made == nil)
    #expect(try await sixels(#"printf '\033[c'"#).made == nil)
    let far = PictureMeans.Sixel(cell: Size(rows: 20, columns: 10), byteLimit: 20)
    let (made, calls) = try await sixels(#"printf '\033Pq"1;1;160;120~\033\\'"#, far)
    #expect(made == nil && calls.count == 1)
  }

  @Test(.requires(.chafa)) func `it makes a picture that fits`() async throws {
    let folder = try TemporaryFolder("sixels")
    // 64 x 48 pixels, all of one colour.
    let png =
      "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAIAAAAuKetIAAAARElEQVR42u3PQQkAAAgEsItiFPu/jGQFv8JgBZbp"
      + "ei0CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAlcLgRNA00nGP6oAAAAASUVORK5CYII="
    try #require(Data(base64Encoded: png)).write(to: folder.url("x.png"))
    let maker = try #require(
      ChafaRenderer(depth: .mono, environment: ProcessInfo.processInfo.environment))
    let made = await maker.sixels(
      of: Self.picture(folder.path("x.png")), Size(rows: 6, columns: 16), Self.sixel)
    let size = try #require(made?.size)
    #expect((152...160).contains(size.columns) && (108...120).contains(size.rows))
  }
}
