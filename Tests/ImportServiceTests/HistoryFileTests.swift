import Foundation
import TestSupport
import Testing

@testable import ImportService

@Suite struct HistoryFileTests {
  private func lines(_ text: String, limit: Int = 8) throws -> [HistoryFile.Line] {
    let fixture = try HistoryFixture()
    var lines: [HistoryFile.Line] = []
    try HistoryFile(try fixture.write(text, "file")).lines(limit: limit) { number, line in
      lines.append(line)
      #expect(number == lines.count)
    }
    return lines
  }

  private func text(_ text: String) -> HistoryFile.Line { .text(Array(text.utf8)) }

  @Test func `lines end with a line feed, or with both characters`() throws {
    #expect(try lines("a\nb\r\n\n") == [text("a"), text("b"), text("")])
    #expect(try lines("") == [])
  }

  @Test func `a line without its end is reported, and one over the limit skipped`() throws {
    #expect(
      try lines("12345678\n123456789\nab") == [
        text("12345678"), .tooLong, .cutOff(Array("ab".utf8)),
      ])
    #expect(try lines("1234567890") == [.tooLong])
    let long = String(repeating: "x", count: 200_000)
    #expect(try lines("a\n\(long)\nb\n") == [text("a"), .tooLong, text("b")])
    #expect(try lines("a\n\(long)\n", limit: 200_000) == [text("a"), text(long)])
  }

  @Test func `a folder, a pipe and a missing file are refused`() throws {
    let fixture = try HistoryFixture()
    mkfifo(fixture.path("pipe"), 0o600)
    for path in [fixture.folder.root.path, fixture.path("pipe"), fixture.path("none")] {
      #expect(throws: ImportFailure.self) { _ = try HistoryFile(path) }
    }
  }

  @Test func `of a folder, what cannot be read is reported, and the rest is read`() throws {
    let fixture = try HistoryFixture()
    for name in ["a", "b", "c"] { try fixture.write(name, name) }
    let root = fixture.folder.root.path
    func items(_ path: String) throws -> [ImportItem] {
      var items: [ImportItem] = []
      try HistoryTree(ofFiles: path).read({ items.append($0) }) { file in
        guard HistoryFolder.name(of: file) != "b" else {
          throw ImportFailure.unreadable(path: file, errno: EACCES)
        }
        items.append(.skipped)
      }
      return items
    }
    #expect(try items(root) == [.skipped, .refused(place: root + "/b"), .skipped])
    #expect(throws: ImportFailure.self) { try items(root + "/b") }
  }
}

@Suite struct LocalTimeTests {
  @Test(arguments: [
    (1970, 1, 1, 0), (2000, 2, 29, 951_782_400), (2026, 11, 28, 1_795_824_000),
    (2100, 3, 1, 4_107_542_400),
  ])
  func `a date has its seconds`(year: Int, month: Int, day: Int, seconds: Int) throws {
    #expect(try #require(LocalTime(year: year, month: month, day: day)).seconds == seconds)
  }

  @Test func `a date that does not exist is none`() {
    #expect(LocalTime(year: 2026, month: 2, day: 29) == nil)
    #expect(LocalTime(year: 2026, month: 13, day: 1) == nil)
    #expect(LocalTime(year: 1969, month: 1, day: 1) == nil)
    #expect(LocalTime(year: 2026, month: 4, day: 31) == nil)
  }

  @Test(arguments: [
    ("Z", 0), ("+0100", 3600), ("-05:30", -19_800), ("+01", nil), ("+2500", nil), ("", nil),
  ])
  func `an offset is read in both forms`(text: String, seconds: Int?) {
    var fields = FieldReader(text.utf8)
    #expect(fields.offset() == seconds)
  }
}
