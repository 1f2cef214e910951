import Foundation
import JSONLines
import Testing
import Text

@testable import natter

/// The standard output of commands that print many lines.
@Suite struct ReadingOutputTests {
  private let localizer = Localizer(tag: "en", texts: ["cli.output-failed": "no: {reason}"])

  @Test func `lines are written together, and all of them at the end`() throws {
    var pieces: [String] = []
    let output = ReadingOutput(localizer) {
      pieces.append($0)
      return true
    }
    try output.print("one")
    try output.print(JSONLine { $0.add("two", 2) })
    #expect(pieces == [])
    try output.finish()
    #expect(pieces == ["one\n{\"two\":2}\n"])
    try output.print(String(repeating: "x", count: 70_000))
    #expect(pieces.count == 2)
    try output.finish()
    #expect(pieces.count == 2)
  }

  @Test func `a reader that went away ends the output`() throws {
    let output = ReadingOutput(localizer) { _ in false }
    try output.print("one")
    #expect(throws: ReadingOutput.Closed.self) { try output.finish() }
  }

  @Test func `output that cannot be written is a failure`() throws {
    let output = ReadingOutput(localizer) { (_) throws(POSIXError) in throw POSIXError(.ENOSPC) }
    try output.print("one")
    let failure = try #require(throws: CommandFailure.self) { try output.finish() }
    #expect(failure.code == .outputFailed && failure.text.hasPrefix("no: 28"))
  }
}
