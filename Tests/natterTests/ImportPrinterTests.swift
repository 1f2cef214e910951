import ImportService
import JSONLines
import NatterCore
import TestSupport
import Text
import Testing
import XMPP

@testable import natter

@Suite struct ImportPrinterTests {
  private func printer(isTrial: Bool = false) throws -> ImportPrinter {
    ImportPrinter(
      localizer: Localizer(tag: "en", texts: try englishTexts()), isJSON: false, isTrial: isTrial)
  }

  private var report: ImportReport {
    var report = ImportReport(path: "/h/chat\u{1B}log.db", format: "profanity")
    report.tally = ImportTally(added: 3, known: 2)
    return report
  }

  @Test func `a plain import is one line`() throws {
    let safe = "/h/chat^[log.db"
    #expect(
      try printer().lines(of: report)
        == "\(safe) (profanity): messages added: 3; already here: 2.")
    #expect(
      try printer(isTrial: true).lines(of: report)
        == "\(safe) (profanity): messages to add: 3; already here: 2. Nothing was stored.")
  }

  @Test func `everything that was not imported is counted, and how to undo it is said`() throws {
    var report = report
    (report.leftOut, report.foreign, report.skipped, report.refused) = (1, 2, 3, 4)
    report.locations = ["a:1", "b:2"]
    report.failure = .damaged(path: "/h")
    report.batch = 7
    #expect(
      try printer().lines(of: report).split(separator: "\n").dropFirst().map(String.init) == [
        "  left out, as the options say: 1", "  of other accounts, not imported: 2",
        "  entries that are not messages: 3",
        "  entries that could not be read: 4, the first in a:1, b:2",
        "  /h is damaged: it was read only as far as possible.",
        "  To undo this: natter import --undo 7",
      ])
  }

  @Test(arguments: [
    ImportFailure.unsupportedVersion("9"), .unreadable(path: "/h", reason: "13"),
    .unreadable(path: "/h", reason: "database is locked"), .password, .missingLibrary("libz"),
  ])
  func `each failure has a sentence`(failure: ImportFailure) throws {
    var report = report
    report.failure = failure
    let lines = try printer().lines(of: report).split(separator: "\n")
    #expect(lines.count == 2 && !lines[1].contains("cli.") && !lines[1].contains("{"))
  }

  @Test func `an object has all counts`() throws {
    var report = report
    report.path = "/h"
    report.batch = 7
    let account = JID(local: "me", domain: "natter.test")
    #expect(
      try printer().object(of: report, account).text == #"""
        {"path":"/h","format":"profanity","account":"me@natter.test","batch":7,"added":3,\#
        "known":2,"conversations":0,"left_out":0,"foreign":0,"skipped":0,"refused":0,\#
        "locations":[],"cancelled":false,"trial":false}
        """#)
  }

  @Test func `the exit code says whether anything could be used`() throws {
    func exitCode(_ reports: [ImportReport]) -> ExitCode {
      ExitCode(importing: reports, isComplete: true)
    }
    var (lacking, damaged, partial) = (report, report, report)
    (lacking.tally, lacking.failure) = (ImportTally(), .missingLibrary("libz.so.1"))
    (damaged.tally, damaged.failure) = (ImportTally(), .damaged(path: "/h"))
    partial.refused = 1
    #expect(exitCode([report]) == .done && exitCode([report, partial]) == .failed)
    #expect(exitCode([]) == .badData && exitCode([damaged]) == .badData)
    #expect(exitCode([damaged, lacking]) == .badConfiguration)
    #expect(exitCode([report, lacking]) == .failed)
    #expect(ExitCode(importing: [report], isComplete: false) == .failed)
  }

  @Test func `an archive says that it was restored, or why only its messages were added`()
    throws
  {
    var restored = report
    restored.archive = .restored(unsent: 2)
    let lines = try printer().lines(of: restored).split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasSuffix("the whole account is restored; messages: 3."))
    #expect(lines[1].hasSuffix("not sent now: 2") && lines[2].contains("--undo does not undo"))
    (restored.files, restored.lostFiles) = (5, 7)
    let files = try printer().lines(of: restored).split(separator: "\n")
    #expect(files.count == 5 && files[2].hasSuffix("downloads: 5"))
    #expect(files[3].contains("downloads: 7. They stay"))
    #expect(ExitCode(importing: [restored], isComplete: true) == .failed)
    let trial = try printer(isTrial: true).lines(of: restored)
    #expect(trial.contains("would be restored") && !trial.contains("--undo"))
    let account = JID(local: "me", domain: "natter.test")
    let object = try printer().object(of: restored, account).text
    #expect(object.contains(#""restored":true"#) && object.contains(#""files":5,"lost_files":7,"#))
    for reason in ImportReport.MergeReason.allCases {
      restored.archive = .merged(reason)
      let text = try printer().lines(of: restored)
      #expect(text.contains("Only its messages") && !text.contains("cli."))
      #expect(try printer().object(of: restored, account).text.contains(#""restored":false"#))
    }
  }
}
