import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Messages of other clients that are not plain text, from slixmpp over each server.
  @Suite struct UnreadableMessageTests {
    private static let store = "<store xmlns='urn:xmpp:hints'/>"
    private static let omemo = """
      <encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'><key rid='2'>a2V5</key>\
      <iv>aXY=</iv></header><payload>c2VjcmV0</payload></encrypted><encryption \
      xmlns='urn:xmpp:eme:0' namespace='eu.siacs.conversations.axolotl' name='OMEMO'/>
      """

    private func send(_ id: String, _ content: String, to jid: String, by peer: SlixmppPeer)
      async throws
    {
      try await peer.send(
        xml: "<message to='\(jid)' type='chat' id='\(id)'>\(content)\(Self.store)</message>")
    }

    @Test(arguments: ServerKind.allCases)
    func `messages that cannot be read are shown, live and from the archive`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter(rows: 40)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await send("m1", "<subject>News</subject><body>All well</body>", to: alice.jid, by: peer)
      try await send("m2", "<body/><body>After an empty one</body>", to: alice.jid, by: peer)
      try await send(
        "m3",
        """
        <html xmlns='http://jabber.org/protocol/xhtml-im'><body \
        xmlns='http://www.w3.org/1999/xhtml'><p>In <b>bold</b> only</p></body></html>
        """, to: alice.jid, by: peer)
      try await send(
        "m4", "<body xml:lang='de'>Guten Tag</body><body xml:lang='en'>Good day</body>",
        to: alice.jid, by: peer)
      try await send("m5", "<poll xmlns='urn:example:poll'/>", to: alice.jid, by: peer)
      // Keys alone, and what is silent on purpose.
      try await send(
        "m6", Self.omemo.replacing("<payload>c2VjcmV0</payload>", with: ""), to: alice.jid, by: peer
      )
      try await send(
        "m7", "<composing xmlns='http://jabber.org/protocol/chatstates'/>", to: alice.jid, by: peer)
      try await send(
        "m8", Self.omemo + "<body>I sent you an OMEMO encrypted message</body>", to: alice.jid,
        by: peer)
      let seen = [
        "News", "All well", "After an empty one", "In bold only", "Good day", "urn:example:poll",
        "Encrypted message (OMEMO)", "is not encrypted",
      ]
      for text in seen { try await natter.shows(text) }
      for text in seen { #expect(natter.count(of: text) == 1, "\(text)") }
      for text in ["Guten Tag", "I sent you"] { #expect(natter.count(of: text) == 0, "\(text)") }
      #expect(await natter.quit() == .exited(0))

      // Who has nothing yet reads the same in the archive.
      let later = try alice.natter(rows: 40)
      try await later.waitsOnline()
      try await later.open(chat: bob.jid)
      for text in seen where text != "News" { try await later.shows(text) }
      for text in seen { #expect(later.count(of: text) == 1, "\(text)") }
      #expect(await later.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a call is shown once, and that it was missed or taken by another client`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let other = try await alice.slixmpp()
      let natter = try alice.natter(rows: 40)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      func step(_ name: String, _ call: String, to jid: String, by peer: SlixmppPeer) async throws {
        try await send(
          "\(name)-\(call)", "<\(name) xmlns='urn:xmpp:jingle-message:0' id='\(call)'/>", to: jid,
          by: peer)
      }
      try await step("propose", "c1", to: alice.jid, by: peer)
      try await natter.shows("is calling")
      try await step("retract", "c1", to: alice.jid, by: peer)
      try await natter.shows("Missed call")
      try await natter.hides("is calling")
      try await step("propose", "c2", to: alice.jid, by: peer)
      try await natter.shows("is calling")
      try await step("proceed", "c2", to: bob.jid, by: other)
      try await natter.shows("answered on another device")
      try await step("retract", "c2", to: alice.jid, by: peer)
      try await step("finish", "c2", to: alice.jid, by: peer)
      try await send("m1", "<body>Well then</body>", to: alice.jid, by: peer)
      try await natter.shows("Well then")
      #expect(natter.count(of: "Missed call") == 1 && natter.count(of: "is calling") == 0)
      #expect(natter.count(of: "answered on another device") == 1)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
      await other.signOut()
    }
  }
}
