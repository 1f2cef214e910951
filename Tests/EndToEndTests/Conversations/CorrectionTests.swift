import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Corrections (XEP-0308) and answers (XEP-0461) between Natter and slixmpp, over each server.
  @Suite struct CorrectionTests {
    private func say(
      _ text: String, id: String, to jid: String, type: String = "chat", by peer: SlixmppPeer,
      more: String = ""
    ) async throws {
      try await peer.send(
        xml: "<message to='\(jid)' type='\(type)' id='\(id)'><body>\(text)</body>\(more)</message>")
    }

    private func replacing(_ id: String) -> String {
      "<replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>"
    }

    @Test(arguments: ServerKind.allCases)
    func `each side corrects its message twice, live and for a client that reads it later`(
      kind: ServerKind
    )
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("Helo")
      let first = try await peer.message { $0.body == "Helo" }
      try await natter.say("/edit Hallo")
      let second = try await peer.message { $0.body == "Hallo" }
      let id = try #require(first.id)
      #expect(second.xml?.contains("message-correct:0") == true && second.id != id)
      #expect(second.xml?.contains("id=\"\(id)\"") == true)
      try await natter.shows("Hallo (edited)")
      natter.terminal.press(.alt("e"))
      try await natter.shows("Editing. Enter saves", "> Hallo")
      for _ in 0..<4 { natter.terminal.press(.backspace) }
      natter.terminal.type("ello")
      try await natter.shows("> Hello")
      natter.terminal.press(.enter)
      let third = try await peer.message { $0.body == "Hello" }
      #expect(third.xml?.contains("id=\"\(id)\"") == true)
      try await natter.shows("Hello (edited)")
      try await natter.hides("Hallo")

      try await say("wrng", id: "c1", to: alice.jid, by: peer)
      try await natter.shows("wrng")
      try await say("wrong", id: "c2", to: alice.jid, by: peer, more: replacing("c1"))
      try await natter.shows("wrong (edited)")
      try await natter.hides("wrng")
      #expect(natter.count(of: "wrong") == 1 && natter.count(of: "Hello") == 1)
      // The other clients of the account see it, and it is theirs, too.
      let other = try await alice.slixmpp()
      try await say("from the othr", id: "c3", to: bob.jid, by: other)
      try await natter.shows("from the othr")
      try await say("from the other", id: "c4", to: bob.jid, by: other, more: replacing("c3"))
      try await natter.shows("from the other (edited)")
      try await natter.hides("from the othr ")
      #expect(await natter.quit() == .exited(0))

      // Who has nothing yet reads it in the archive.
      let later = try alice.natter()
      try await later.waitsOnline()
      try await later.open(chat: bob.jid)
      try await later.shows("Hello (edited)", "wrong (edited)", "from the other (edited)")
      for text in ["Helo", "Hallo", "wrng", "othr"] { #expect(later.count(of: text) == 0) }
      for text in ["Hello", "wrong", "from the other"] { #expect(later.count(of: text) == 1) }
      #expect(await later.quit() == .exited(0))
      await peer.signOut()
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `what is corrected without a connection goes out once there is one, once`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.say("typd offline")
      try await natter.shows("typd offline", tick: ".")
      try await natter.say("/edit typed offline")
      try await natter.shows("typed offline (edited)")
      await natter.kill()
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.open(chat: bob.jid)
      let first = try await peer.message { $0.body == "typd offline" }
      let second = try await peer.message { $0.body == "typed offline" }
      #expect(second.xml?.contains("id=\"\(first.id ?? "?")\"") == true)
      try await again.say("the last")
      _ = try await peer.message { $0.body == "the last" }
      let bodies = peer.events.filter { $0.event == "message" }.compactMap(\.body)
      #expect(bodies == ["typd offline", "typed offline", "the last"])
      #expect(again.count(of: "typed offline (edited)") == 1)
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `each side replies to the other`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await say("Which way?", id: "q1", to: alice.jid, by: peer)
      try await natter.shows("Which way?")
      natter.terminal.press(.alt("r"))
      try await natter.shows("Replying to", "Which way?")
      try await natter.say("To the left")
      let answer = try await peer.message { $0.body?.hasSuffix("To the left") == true }
      #expect(answer.body == "> Which way?\nTo the left")
      for part in ["urn:xmpp:reply:0", "id=\"q1\"", "urn:xmpp:fallback:0", "end=\"13\""] {
        #expect(answer.xml?.contains(part) == true, "\(part)")
      }
      try await natter.expects("the question above the answer") { screen in
        screen.lines.contains { $0.contains("> bob") && $0.contains(": Which way?") }
          && screen.lines.count { $0.contains("To the left") } == 1
      }
      let quotation = "&gt; To the left\n"
      try await say(
        quotation + "Thank you", id: "a2", to: alice.jid, by: peer,
        more: """
          <reply xmlns='urn:xmpp:reply:0' to='\(alice.jid)' id='\(answer.id ?? "")'/>\
          <fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='14'/></fallback>
          """)
      try await natter.expects("the answer with what it answers") { screen in
        screen.lines.contains { $0.contains("> you: To the left") }
          && screen.lines.count { $0.contains("Thank you") } == 1
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `in a room it is the same`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let room = "\(UniqueName.next("den"))@rooms.\(alice.server.domain)"
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/join \(room)")
      try await natter.shows("The room is new", "1 person")
      try await peer.send(
        xml:
          "<presence to='\(room)/bob'><x xmlns='http://jabber.org/protocol/muc'/></presence>")
      try await natter.shows("2 people")
      try await natter.say("in the rom")
      let first = try await peer.message { $0.body == "in the rom" }
      try await natter.shows("in the rom", tick: "✓")
      try await natter.say("/edit in the room")
      let second = try await peer.message { $0.body == "in the room" }
      #expect(second.xml?.contains("id=\"\(first.id ?? "?")\"") == true)
      try await natter.shows("in the room (edited)", tick: "✓")
      #expect(natter.count(of: "in the ro") == 1)
      try await say("me, to", id: "r1", to: room, type: "groupchat", by: peer)
      try await natter.shows("me, to")
      try await say(
        "me, too", id: "r2", to: room, type: "groupchat", by: peer, more: replacing("r1"))
      try await natter.shows("me, too (edited)")
      // Nobody corrects what somebody else has said.
      try await say(
        "forged", id: "r3", to: room, type: "groupchat", by: peer,
        more: replacing(first.id ?? "?"))
      try await natter.shows("forged", "in the room (edited)")
      try await natter.say("/reply so be it")
      let answer = try await peer.message { $0.body?.hasSuffix("so be it") == true }
      #expect(answer.xml?.contains("urn:xmpp:reply:0") == true)
      #expect(answer.xml?.contains("to=\"\(room)/bob\"") == true)
      #expect(answer.xml?.contains(alice.jid) == false)
      try await natter.shows("> bob: forged")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
