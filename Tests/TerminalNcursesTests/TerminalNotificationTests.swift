import Testing

@testable import TerminalNcurses

/// The sequences of desktop notifications.
@Suite struct TerminalNotificationTests {
  @Test(arguments: ["a;b", "\u{D4E};b", ";\u{301}b"])
  func `no text of others ends a field`(text: String) {
    let bytes = TerminalNotification.osc777.bytes(title: text, text: text, inTmux: false)
    #expect(bytes.utf8.count { $0 == UInt8(ascii: ";") } == 3)
  }
}
