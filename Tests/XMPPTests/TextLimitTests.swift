import TestSupport
import Testing
import XML

@testable import XMPP

/// Texts beside messages, which are kept by the thousand: of each, the beginning is kept.
@Suite struct TextLimitTests {
  private static let long = String(repeating: "é", count: 100_000)
  private static let kept = String(repeating: "é", count: String.longestText)
  private static let user = XEP0045.user

  private func presence(_ content: String) throws -> PresenceStanza {
    PresenceStanza(
      try Element(xml: "<presence from='den@rooms.example.org/eve'>\(content)</presence>"))
  }

  private func message(_ content: String) throws -> MessageStanza {
    MessageStanza(
      try Element(xml: "<message from='den@rooms.example.org'>\(content)</message>"))
  }

  @Test func `of a status the beginning is read, and a short one stays as it is`() throws {
    #expect(try presence("<status>\(Self.long)</status>").status == Self.kept)
    #expect(try presence("<status>at tea 🍵</status>").status == "at tea 🍵")
    #expect(try presence("<status/>").status == "")
    #expect(try presence("").status == nil)
  }

  @Test func `so is it of reasons that a room passes on`() throws {
    let said = try #require(
      XEP0045Presence(
        try presence(
          """
          <x xmlns='\(Self.user)'><item><reason>\(Self.long)</reason></item>\
          <destroy><reason>\(Self.long)</reason></destroy></x>
          """)))
    #expect(said.item?.reason == Self.kept && said.destruction?.reason == Self.kept)
    let decline = try message(
      """
      <x xmlns='\(Self.user)'><decline from='eve@evil.test'><reason>\(Self.long)</reason>\
      </decline></x>
      """)
    #expect(XEP0045Decline(decline)?.reason == Self.kept)
  }

  @Test(arguments: [
    ("", 4, ""), ("tea", 4, "tea"), ("teas", 4, "teas"), ("teapot", 4, "teap"), ("éé", 3, "é"),
    ("a🍵", 4, "a"), ("🍵🍵", 7, "🍵"), ("e\u{301}", 2, "e"), ("é", 1, ""), ("é", 0, ""),
  ])
  func `a text is cut to bytes between two scalars`(text: String, limit: Int, cut: String) {
    #expect(text.beginning(bytes: limit).utf8.elementsEqual(cut.utf8))
  }

  @Test func `so is it of invitations, and no password is so long`() throws {
    let mediated = try message(
      """
      <x xmlns='\(Self.user)'><invite from='eve@evil.test'><reason>\(Self.long)</reason></invite>\
      <password>\(Self.long)</password></x>
      """)
    let direct = try message(
      """
      <x xmlns='jabber:x:conference' jid='tea@rooms.example.org' reason='\(Self.long)' \
      password='\(Self.long)'/>
      """)
    for invitation in [mediated, direct].map({ XEP0045Invitation($0) }) {
      #expect(invitation?.reason == Self.kept)
      #expect(invitation?.password == nil)
    }
    let short = try message(
      "<x xmlns='jabber:x:conference' jid='tea@rooms.example.org' reason='tea' password='pot'/>")
    #expect(XEP0045Invitation(short)?.reason == "tea")
    #expect(XEP0045Invitation(short)?.password == "pot")
    for (reason, body, text) in [
      ("", "come", "come"), ("reason=' '", "come", "come"), ("reason='tea'", "come", "tea"),
      ("", " ", nil),
    ] as [(String, String, String?)] {
      let written = try message(
        "<x xmlns='jabber:x:conference' jid='t@r.example' \(reason)/><body>\(body)</body>")
      #expect(XEP0045Invitation(written)?.reason == text)
    }
    // The text beside an encrypted one, or keys, is for clients that cannot read that.
    for (payload, more) in [
      ("<payload>x</payload>", ""),
      ("", "<encryption xmlns='urn:xmpp:eme:0' namespace='eu.siacs.conversations.axolotl'/>"),
    ] {
      let encrypted = try message(
        """
        <x xmlns='jabber:x:conference' jid='t@r.example'/><body>This message is encrypted.</body>\
        <encrypted xmlns='eu.siacs.conversations.axolotl'>\(payload)</encrypted>\(more)
        """)
      #expect(XEP0045Invitation(encrypted) != nil)
      #expect(XEP0045Invitation(encrypted)?.reason == nil)
    }
  }
}
