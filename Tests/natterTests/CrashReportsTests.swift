import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import ViewModels

@testable import natter

@Suite struct CrashReportsTests {
  private static let text =
    "natter 0.9.1\nbuild 0a1b\nsignal 11, address 0x10\nnatter+0x1f2\nlibrary 0x7f00\nnatter+0x3c\n"

  private func reports(_ times: [Int], in folder: TemporaryFolder) throws -> CrashReports {
    for time in times { try folder.write(Self.text, to: "crash-\(time).txt") }
    return CrashReports(directory: folder.root)
  }

  @Test func `only reports are listed, the newest first`() throws {
    let folder = try TemporaryFolder("crashes")
    for name in ["crash-.txt", "crash-1x.txt", "crash-3.txt.part", "natter.log", "crash-seen"] {
      try folder.write("x", to: name)
    }
    let reports = try reports([100, 300, 200], in: folder)
    #expect(try reports.all().map(\.name) == ["crash-300.txt", "crash-200.txt", "crash-100.txt"])
    #expect(try reports.text(of: "crash-300.txt") == Self.text)
    #expect(throws: NatterError.self) { try reports.text(of: "crash-1.txt") }
    #expect(try CrashReports(directory: folder.root.appending(path: "none")).all().isEmpty)
  }

  @Test func `more than ten, and older than 90 days, go`() throws {
    let folder = try TemporaryFolder("crashes")
    let day = 86_400
    let now = 200 * day
    let times = (1...12).map { now - $0 * day }
    let reports = try reports(times + [now - 91 * day], in: folder)
    try reports.prune(now: Date(timeIntervalSince1970: TimeInterval(now)))
    #expect(try reports.all().map(\.name) == times.prefix(10).map { "crash-\($0).txt" })
    try reports.prune(now: Date(timeIntervalSince1970: TimeInterval(now + 86 * day)))
    #expect(try reports.all().count == 4)
    try reports.delete("crash-\(now - day).txt")
    try reports.delete("crash-\(now - day).txt")
    #expect(try reports.all().count == 3)
  }

  @Test func `each crash is news once`() throws {
    let folder = try TemporaryFolder("crashes")
    let reports = try reports([], in: folder)
    #expect(try !reports.takeNews())
    _ = try self.reports([100], in: folder)
    #expect(try reports.takeNews())
    #expect(try !reports.takeNews())
    _ = try self.reports([200], in: folder)
    #expect(try reports.takeNews())
    #expect(try !reports.takeNews())
  }

  @Test func `version, signal and offsets are read, whatever the file has`() {
    let report = CrashReportText(Self.text)
    #expect(report.version == "0.9.1" && report.signal == "SIGSEGV")
    #expect(report.command(for: "/opt/it's") == "addr2line -Cfipe '/opt/it'\\''s' 0x1f2 0x3c")
    let other = CrashReportText("rubbish\nsignal 77\nnatter+0xz\n")
    #expect(other.version.isEmpty && other.signal == "77" && other.command(for: "/x") == nil)
    #expect(CrashReportText("").signal.isEmpty)
  }

  @Test func `a report that cannot be read hides no other on the page`() async throws {
    let folder = try TemporaryFolder("crashes")
    let reports = try reports([100, 300], in: folder)
    try folder.write(String(repeating: "x", count: 100_000), to: "crash-200.txt")
    let listed = try await CrashPage.list(reports)
    #expect(listed.map(\.id) == ["crash-300.txt", "crash-200.txt", "crash-100.txt"])
    #expect(listed.map(\.signal) == ["SIGSEGV", "", "SIGSEGV"])
  }

  @Test func `there is a page only where there are reports`() async throws {
    let folder = try TemporaryFolder("crashes")
    let page = CrashPage(directory: folder.root)
    try folder.write("x", to: "crash-seen")
    #expect(await page.withReports == nil)
    _ = try reports([100], in: folder)
    #expect(await page.withReports != nil)
    let none = CrashPage(directory: folder.root.appending(path: "none"))
    #expect(await none.withReports == nil)
  }

  @Test func `the command prints a report by its number`() throws {
    let folder = try TemporaryFolder("crashes")
    let command = CrashCommand(
      localizer: Localizer(tag: "en", texts: try englishTexts()),
      reports: try reports([100, 200], in: folder), executable: "/bin/natter")
    let lines = try command.lines(of: 2)
    #expect(lines.prefix(2) == ["natter 0.9.1", "build 0a1b"])
    #expect(lines.last == "  addr2line -Cfipe '/bin/natter' 0x1f2 0x3c")
    #expect { try command.lines(of: 3) } throws: {
      ($0 as? CommandFailure)?.text.contains("there are 2") == true
    }
  }
}
