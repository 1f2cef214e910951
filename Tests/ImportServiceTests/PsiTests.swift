import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ImportService

@Suite struct PsiTests {
  static let bob = """
    |2026-11-28T21:04:10|1|from|N---|hello\\nthere \\p a\\\\b
    |2026-11-28T23:59:59|1|to|N---|late
    |2026-11-29T00:00:01|1|from|N---|early
    |2026-11-28T21:04:11|0|from|N1--|subject|text
    |2026-11-28T21:04:12|1|from|N2--|https://files.test/a.png|a picture|https://files.test/a.png
    |2026-11-28T21:04:13|1|from|N3--|subject|https://files.test/|page|look
    |2026-11-28T21:04:14|3|from|N---|subscribe
    |2026-11-28T21:04:15|4|from|N---|an error
    |2026-11-28T21:04:16Z|1|to|N---|in UTC
    |2026-11-28T21:04:17+05:30|1|to|N---|in India
    |2026-11-28T21:04:18|1|from|O---|caf\u{C3}\u{A9}
    |2026-11-28T21:04:19|1|from|N---|\u{1B}[31m|hostile
    |2026-02-30T21:04:20|1|from|N---|no such day
    no line
    |2026-11-28T21:04:21|1|from|N---|
    |2026-11-28T21:04:22|1|from|N---|cut
    """

  /// 2026-11-28T21:04:00 in UTC+1.
  static let minute = 1_795_896_240

  @Test func `a history is read, with the local time that the caller gives`() throws {
    let fixture = try HistoryFixture()
    try fixture.write(Self.bob, "profiles/default/history/bob_at_natter.test.history")
    let path = fixture.path("profiles/default/history/bob_at_natter.test.history")
    #expect(PsiHistory.recognizes(path))
    #expect(PsiHistory.recognizes(fixture.folder.root.path))
    func bob(
      _ body: String, _ direction: Message.Direction = .incoming, at second: Int,
      _ change: (inout ImportedMessage) -> Void = { _ in }
    ) -> ImportItem {
      message(
        body, in: "bob@natter.test", direction, at: Self.minute + second, account: nil, change)
    }
    #expect(
      try HistoryFixture.items(PsiHistory.self, path, HistoryFixture.context()) == [
        bob("hello\nthere | a\\b", at: 10),
        bob("late", .outgoing, at: 10_559),
        bob("early", at: 10_561),
        bob("subject\ntext", at: 11),
        bob("https://files.test/a.png", at: 12) { $0.fileAddress = $0.body },
        bob("subject\nlook\nhttps://files.test/", at: 13),
        .skipped, .skipped,
        bob("in UTC", .outgoing, at: 3616),
        bob("in India", .outgoing, at: 3617 - 19_800),
        bob("caf\u{E9}", at: 18),
        bob("\u{1B}[31m|hostile", at: 19),
        .refused(place: "\(path):13"), .refused(place: "\(path):14"),
        .skipped,
        .refused(place: "\(path):16"),
      ])
  }

  @Test func `chats and the account follow from the names`() throws {
    let fixture = try HistoryFixture()
    let line = "|2026-11-28T21:04:10|1|from|N---|hello\n"
    try fixture.write(line, "history/alice_at_natter.test/carol%2dc_at_natter.test.history")
    try fixture.write(line, "history/alice_at_natter.test/dora_at__at_natter.test.history")
    try fixture.write("ignored", "history/alice_at_natter.test/notes.txt")
    #expect(
      try HistoryFixture.items(
        PsiHistory.self, fixture.folder.root.path, HistoryFixture.context()) == [
          message("hello", in: "carol-c@natter.test", at: Self.minute + 10),
          message("hello", in: "dora_at_@natter.test", at: Self.minute + 10),
        ])
  }

  @Test func `something else is not recognized`() throws {
    let fixture = try HistoryFixture()
    #expect(!PsiHistory.recognizes(try fixture.write("words", "bob_at_natter.test.history")))
    #expect(!PsiHistory.recognizes(fixture.path("none")))
    #expect(throws: ImportFailure.self) {
      try HistoryFixture.items(PsiHistory.self, fixture.path("none"))
    }
  }

  @Test func `a damaged history is read or refused`() throws {
    let fixture = try HistoryFixture()
    try fixture.write(Self.bob, "whole")
    let name = "bob_at_natter.test.history"
    #expect(try fixture.readAll(PsiHistory.self, name, fixture.cuts("whole")) > 1000)
    #expect(try fixture.readAll(PsiHistory.self, name, fixture.flips("whole")) > 1000)
  }
}
