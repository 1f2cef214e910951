import NatterCore
import TerminalNcurses
import Testing

@testable import natter

/// The notices for a terminal without an entry of its own.
@Suite struct SubstituteEntryTests {
  @Test func `an entry that replaces another is reported once, with both names`() throws {
    var substitute = SubstituteEntry(TerminalEntry(environment: ["TERM": "no-such-terminal"]))
    let reported = substitute.takeNotice()
    let notice = try #require(reported)
    #expect(notice.level == .warning && notice.key == "status.terminalUnknown")
    #expect(notice.arguments == ["term": "no-such-terminal", "entry": "xterm-256color"])
    let again = substitute.takeNotice()
    #expect(again == nil)
  }

  /// The second has more colours than its name says, and is no substitute.
  @Test(arguments: [["TERM": "xterm-256color"], ["TERM": "xterm", "COLORTERM": "truecolor"]])
  func `an entry of the terminal's own is not reported`(environment: [String: String]) {
    var substitute = SubstituteEntry(TerminalEntry(environment: environment))
    let reported = substitute.takeNotice()
    #expect(reported == nil)
  }
}
