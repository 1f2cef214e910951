import Testing
import XMPP

@Suite struct JIDTests {
  @Test(arguments: [
    ("juliet@example.com", "juliet", "example.com", nil as String?),
    ("juliet@example.com/foo", "juliet", "example.com", "foo"),
    ("juliet@example.com/foo bar", "juliet", "example.com", "foo bar"),
    ("juliet@example.com/foo@bar", "juliet", "example.com", "foo@bar"),
    ("foo\\20bar@example.com", "foo\\20bar", "example.com", nil),
    ("fussball@example.com", "fussball", "example.com", nil),
    ("fußball@example.com", "fußball", "example.com", nil),
    ("π@example.com", "π", "example.com", nil), ("Σ@example.com/foo", "σ", "example.com", "foo"),
    ("king@example.com/♚", "king", "example.com", "♚"), ("example.com", nil, "example.com", nil),
    ("example.com/foobar", nil, "example.com", "foobar"),
    ("a.example.com/b@example.net", nil, "a.example.com", "b@example.net"),
    ("Juliet@EXAMPLE.com/Balcony", "juliet", "example.com", "Balcony"),
    ("a@b/c/d", "a", "b", "c/d"), ("a@[::1]/x", "a", "[::1]", "x"),
    ("a@127.0.0.1", "a", "127.0.0.1", nil),
    ("a@example.com.", "a", "example.com", nil), ("ＡＢ@example.com", "ab", "example.com", nil),
    ("анна@ПРИМЕР.рф", "анна", "пример.рф", nil), ("e\u{301}@x", "é", "x", nil),
    ("a@ex。ample", "a", "ex.ample", nil),
  ])
  func `an address is parsed and prepared`(
    text: String, local: String?, domain: String, resource: String?
  ) throws {
    let jid = try JID.parse(text)
    #expect(jid == JID(local: local, domain: domain, resource: resource))
    // Prepared parts stay as they are.
    #expect(try JID.parse(jid.description) == jid)
  }

  @Test(arguments: [
    ("", JIDError.empty), ("@example.com", .emptyLocal), ("@example.com/x", .emptyLocal),
    ("juliet@", .emptyDomain), ("juliet@/foo", .emptyDomain), ("/foo", .emptyDomain),
    ("juliet@example.com/", .emptyResource), ("\"juliet\"@example.com", .forbiddenInLocal),
    ("foo bar@example.com", .forbiddenInLocal), ("a&b@x", .forbiddenInLocal),
    ("a'b@x", .forbiddenInLocal), ("a:b@x", .forbiddenInLocal), ("a<b@x", .forbiddenInLocal),
    ("a>b@x", .forbiddenInLocal), ("a\u{7}b@x", .forbiddenInLocal),
    ("bob\u{115F}@x", .forbiddenInLocal), ("bob\u{3164}@x", .forbiddenInLocal),
    ("bob\u{FFA0}@x", .forbiddenInLocal), ("bob\u{17B4}@x", .forbiddenInLocal),
    ("a\u{202E}b@x", .forbiddenInLocal), ("é b@x", .forbiddenInLocal), ("é＠b@x", .forbiddenInLocal),
    ("a@b@c", .forbiddenInDomain), ("a@b c", .forbiddenInDomain), ("a@b..c", .forbiddenInDomain),
    ("a@.b", .forbiddenInDomain), ("a@b:5222", .forbiddenInDomain), ("a@[::1", .forbiddenInDomain),
    ("a@b\u{202E}c", .forbiddenInDomain), ("a@.", .emptyDomain),
    ("a@x/\u{1}", .forbiddenInResource),
    ("a@x/\u{202E}é", .forbiddenInResource), ("http://example.com", .forbiddenInDomain),
  ])
  func `what is no address is refused, with the reason`(text: String, reason: JIDError) {
    #expect(throws: reason) { try JID.parse(text) }
    #expect(JID(parsing: text) == nil)
  }

  @Test func `parts may have 1023 bytes`() {
    let long = String(repeating: "a", count: 1023)
    #expect(JID(parsing: "\(long)@\(long)/\(long)") != nil)
    for text in [
      "\(long)a@x", "x@\(long)a", "x@x/\(long)a", "x@x/\(String(repeating: "é", count: 512))",
    ] {
      #expect(throws: JIDError.tooLong) { try JID.parse(text) }
    }
  }

  @Test(arguments: [
    "alice@example.com", "  alice@example.com \n", "alice＠example.com", "xmpp:alice@example.com",
    "XMPP:Alice@Example.com?message", "xmpp:alice%40example.com",
    "\u{200B}alice@example.com\u{FEFF}",
    "xmpp://me@here.example/alice@example.com",
  ])
  func `people's ways of writing an address are understood`(text: String) {
    #expect(JID(userInput: text) == JID(local: "alice", domain: "example.com"))
  }

  @Test func `a wrong address from a person has its reason too`() {
    #expect(throws: JIDError.empty) { try JID.parse(userInput: "  ") }
    #expect(throws: JIDError.forbiddenInLocal) { try JID.parse(userInput: "a b@c") }
  }

  @Test func `a resource can be put on and taken off`() {
    let jid = JID(local: "a", domain: "b")
    #expect(jid.with(resource: "c") == JID(local: "a", domain: "b", resource: "c"))
    #expect(jid.with(resource: "") == nil)
    #expect(jid.with(resource: "c")?.bare == jid)
  }

  @Test(arguments: [
    ("xmpp:new@rooms.example.org?join", "new@rooms.example.org"),
    ("XMPP:caf%C3%A9@rooms.example.org", "café@rooms.example.org"),
    ("xmpp:rooms.example.org#top", "rooms.example.org"), ("https://example.org/new", nil),
    ("new@rooms.example.org", nil), ("xmpp:", nil), ("xmpp:?join", nil),
    ("xmpp://alice@example.org/bob@example.org", nil),
  ])
  func `an xmpp: address is read without what is asked of it`(text: String, address: String?) {
    #expect(JID(uri: text)?.description == address)
  }
}
