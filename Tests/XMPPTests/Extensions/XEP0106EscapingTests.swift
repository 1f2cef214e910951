import Testing
import XMPP

/// The samples of XEP-0106 §5, and what is no escape.
@Suite struct XEP0106EscapingTests {
  @Test(arguments: [
    ("space\\20cadet", "space cadet"), ("call\\20me\\20\\22ishmael\\22", "call me \"ishmael\""),
    ("at\\26t\\20guy", "at&t guy"), ("d\\27artagnan", "d'artagnan"), ("\\2f.fanboy", "/.fanboy"),
    ("\\3a\\3afoo\\3a\\3a", "::foo::"), ("\\3cfoo\\3e", "<foo>"), ("user\\40host", "user@host"),
    ("c\\3a\\5ccool\\20stuff", "c:\\cool stuff"), ("c\\5c5commas", "c\\5commas"),
    ("\\20lead", "\\20lead"), ("trail\\20", "trail\\20"), ("a\\", "a\\"), ("a\\2", "a\\2"),
    ("a\\41b", "a\\41b"), ("a\\5c20b", "a\\20b"), ("", ""), ("plain", "plain"),
  ])
  func `an escaped local part is shown unescaped`(local: String, shown: String) {
    #expect(XEP0106.unescaped(local) == shown)
  }

  @Test func `it is sent as it is`() throws {
    let jid = try JID.parse("space\\20cadet@example.com/a\\20b")
    #expect(jid.shown == "space cadet@example.com/a\\20b")
    #expect(jid.description == "space\\20cadet@example.com/a\\20b")
  }

  @Test(arguments: [
    "space\\20cadet@example.com", "at\\26t\\20guy@example.com/a\\20b",
    "d\\27artagnan@example.com", "user\\40host@example.com", "\\22ishmael\\22@example.com",
    "a\\41b\\27c@example.com",
  ])
  func `it is read as it is shown`(address: String) throws {
    let jid = try JID.parse(address)
    #expect(JID(userInput: jid.shown) == nil)
    #expect(JID(userInputAsShown: jid.shown) == jid)
    #expect(JID(userInputAsShown: " \(jid.shown)\n") == jid)
    #expect(JID(typed: jid.shown) == jid && JID(typed: address) == jid)
  }

  @Test(arguments: [
    "", "@", "host", "'@", "@host", "no address at all", "mailto:o'neil@host", "<bob@host>",
    "a\\27b'c@host", "o'neil@host..", "o'neil@host/", String(repeating: "'", count: 400) + "@host",
  ])
  func `what no address is shown as is not read`(text: String) {
    #expect(JID(userInputAsShown: text) == nil)
  }

  @Test(arguments: [
    "@alice@host", "alice@@host", "alice@host, bob@host", "alice@host,bob@host",
    "alice@host;bob@host", "alice@host bob@host", "alice@a@b@host", "alice＠＠host",
  ])
  func `a mistake with at signs is not read as another address`(text: String) {
    #expect(JID(userInputAsShown: text) == nil)
    #expect(JID(typed: text) == nil)
  }
}
