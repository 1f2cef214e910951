import Testing

@testable import XMPP

@Suite struct OmemoURITests {
  private static let key = "4701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01"
  private static let other = String(repeating: "a0", count: 32)

  @Test func `a code names an account and the keys of its devices`() throws {
    let text = "xmpp:bob@example.org?omemo-sid-9=\(Self.key);omemo-sid-123=\(Self.other)"
    let code = try #require(OmemoURI(text))
    #expect(code.jid == JID(local: "bob", domain: "example.org"))
    #expect(Set(code.keys.keys) == [9, 123] && code.keys[9]?.prefix(2) == [0x47, 0x01])
    #expect(code.text == text)
    #expect(OmemoURI("XMPP:bob@example.org?omemo-sid-9=\(Self.key.uppercased())")?.keys[9] != nil)
    // Other clients add what they want to be done, and what follows may be anything.
    let action = "xmpp:bob@example.org?message;body=a=b;omemo-sid-9=\(Self.key)#x;omemo-sid-1=2"
    #expect(OmemoURI(action)?.keys.count == 1)
  }

  @Test func `an address with unusual characters is read again`() throws {
    let jid = try #require(JID(parsing: "dartagnan?#;=%é@bücher.example"))
    let code = try #require(OmemoURI(jid: jid, keys: [1: [UInt8](repeating: 3, count: 32)]))
    #expect(OmemoURI(code.text) == code)
    #expect(code.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
  }

  @Test(arguments: [
    "", "xmpp:", "xmpp:bob@example.org", "xmpp:bob@example.org?", "xmpp:bob@example.org?message",
    "bob@example.org?omemo-sid-9=\(key)", "https://x?omemo-sid-9=\(key)",
    "xmpp:example.org?omemo-sid-9=\(key)", "xmpp:bob@example.org/phone?omemo-sid-9=\(key)",
    "xmpp:bob@example.org?omemo-sid-9=", "xmpp:bob@example.org?omemo-sid-9",
    "xmpp:bob@example.org?omemo-sid-=\(key)", "xmpp:bob@example.org?omemo-sid-0=\(key)",
    "xmpp:bob@example.org?omemo-sid-2147483648=\(key)", "xmpp:bob@example.org?omemo-sid-9=05\(key)",
    "xmpp:bob@example.org?omemo-sid-9=\(key.dropLast())",
    "xmpp:bob@example.org?omemo-sid-9=\(key)=",
    "xmpp:bob@example.org?omemo-sid-9=\(key);omemo-sid-9=\(other)",
    "xmpp:bob@example.org?omemo-sid-9=\(key);omemo-sid-8=no",
    "xmpp:bob@example.org#?omemo-sid-9=\(key)",
  ])
  func `anything else is none: no part of a broken code is trusted`(text: String) {
    #expect(OmemoURI(text) == nil, "\(text)")
  }

  @Test func `a code has at most 100 devices`() {
    func text(_ count: Int) -> String {
      "xmpp:bob@example.org?"
        + (1...count).map { "omemo-sid-\($0)=\(Self.key)" }.joined(separator: ";")
    }
    #expect(OmemoURI(text(100))?.keys.count == 100)
    #expect(OmemoURI(text(101)) == nil)
    #expect(OmemoURI(text(100_000)) == nil)
  }
}
