import Foundation
import JSONLines
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ExportService

/// Lines for programs and for people.
@Suite struct HistoryExportTests {
  private static let hostile = "a\u{1B}[31m \"q\" \\ \u{202E}x\nline"

  @Test func `objects follow a line that describes the export, and gaps have none`() async throws {
    let source = FakeSource([
      .message(Sample.message("one", id: 1), first: nil), .gap(Sample.hole),
      .message(Sample.message("three", id: 2, at: 61, isEdited: true), first: "two"),
    ])
    let printed = Printed()
    try await HistoryExport(of: source).writeJSONLines(at: Sample.start) { printed.print($0) }
    #expect(
      printed.lines == [
        #"{"natter-export":1,"account":"me@example.org","at":"2026-11-28T10:00:00.000000Z"}"#,
        #"{"id":"1","account":"me@example.org","conversation":"bob@example.org","kind":"direct","#
          + #""from":"bob@example.org","direction":"in","at":"2026-11-28T10:00:00.000000Z","#
          + #""body":"one","delayed":false,"origin_id":"o1"}"#,
        #"{"id":"2","account":"me@example.org","conversation":"bob@example.org","kind":"direct","#
          + #""from":"bob@example.org","direction":"in","at":"2026-11-28T10:01:01.000000Z","#
          + #""body":"three","delayed":false,"origin_id":"o2","edited":{"first":"two"}}"#,
      ])
  }

  @Test func `the thread of a message is exported with its parent`() async throws {
    let message = Sample.message("one").inThread(.init(id: "t\"1", parent: "t0"))
    let printed = Printed()
    try await HistoryExport(of: FakeSource(message)).writeJSONLines(at: Sample.start) {
      printed.print($0)
    }
    let line = try #require(printed.lines.last)
    #expect(line.contains(#""thread":"t\"1","thread_parent":"t0""#))
  }

  @Test func `a hostile body is one line of ASCII escapes, and the same text when it is read`()
    async throws
  {
    let printed = Printed()
    try await HistoryExport(of: FakeSource(Sample.message(Self.hostile))).writeJSONLines(
      at: Sample.start
    ) { printed.print($0) }
    let line = try #require(printed.lines.last)
    #expect(printed.lines.count == 2)
    #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["body"] as? String == Self.hostile)
  }

  @Test func `lines have headings where there are several conversations`() async throws {
    var source = FakeSource([.message(Sample.message("hi"), first: nil), .gap(Sample.hole)])
    let one = Printed()
    try await HistoryExport(of: source).writeText(FakeTexts()) { one.print($0) }
    #expect(one.text == "bob@example.org: hi\n---\n")
    source.conversations.append(Sample.tea)
    source.items[Sample.room] = [
      .message(Sample.message("tea", id: 2, in: Sample.room, from: Sample.carol), first: nil)
    ]
    let both = Printed()
    try await HistoryExport(of: source).writeText(FakeTexts()) { both.print($0) }
    #expect(
      both.text == """
        = Bob
        bob@example.org: hi
        ---

        = Tea <room>
        tea@rooms.example.org/carol: tea

        """)
  }

  @Test func `progress counts the messages of all pages`() async throws {
    let messages = (1...5).map { ExportItem.message(Sample.message("x", id: $0), first: nil) }
    var reports: [ExportProgress] = []
    try await HistoryExport(of: FakeSource(messages)) { reports.append($0) }
      .writeText(FakeTexts()) { _ in }
    #expect(reports.map(\.messages) == [2, 4, 5])
    #expect(reports.allSatisfy { $0.conversation == Sample.chat })
  }

  @Test func `a cancelled export ends before the next page`() async throws {
    let messages = (1...5).map { ExportItem.message(Sample.message("x", id: $0), first: nil) }
    let count = await Task { () -> Int in
      let printed = Printed()
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) {
        try await HistoryExport(of: FakeSource(messages)).writeText(FakeTexts()) {
          printed.print($0)
        }
      }
      return printed.lines.count
    }.value
    #expect(count == 0)
  }

  @Test(arguments: [
    ("a.jsonl", ExportFormat.jsonl), ("x/b.JSON", .jsonl), ("c.txt", .text), ("d.htm", .html),
    ("a.tar.html", .html), ("./e.tar", .archive),
  ])
  func `the ending of a name is its format`(name: String, format: ExportFormat) {
    #expect(ExportFormat(ofFile: name) == format)
  }

  @Test(arguments: ["", "tar", "a.html/b", "a.", "a.tgz", "/"])
  func `other names have no format`(name: String) {
    #expect(ExportFormat(ofFile: name) == nil)
  }
}
