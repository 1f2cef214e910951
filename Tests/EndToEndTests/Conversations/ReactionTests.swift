import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Reactions (XEP-0444) and retractions (XEP-0424) between Natter and slixmpp, over each server.
  @Suite struct ReactionTests {
    private func say(
      _ text: String, id: String, to jid: String, type: String = "chat", by peer: SlixmppPeer,
      more: String = ""
    ) async throws {
      let body = text.isEmpty ? "" : "<body>\(text)</body>"
      try await peer.send(
        xml: "<message to='\(jid)' type='\(type)' id='\(id)'>\(body)\(more)</message>")
    }

    private func reactions(_ emoji: [String], to id: String) -> String {
      "<reactions xmlns='urn:xmpp:reactions:0' id='\(id)'>"
        + emoji.map { "<reaction>\($0)</reaction>" }.joined()
        + "</reactions><store xmlns='urn:xmpp:hints'/>"
    }

    private func retraction(of id: String) -> String {
      "<retract xmlns='urn:xmpp:message-retract:1' id='\(id)'/>"
        + "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:message-retract:1'/>"
        + "<store xmlns='urn:xmpp:hints'/>"
    }

    private func askToDelete(_ natter: NatterRun) async throws {
      natter.terminal.type("/delete")
      try await natter.shows("> /delete")
      natter.terminal.press(.enter)
      try await natter.shows("for everybody?")
    }

    private func delete(_ natter: NatterRun) async throws {
      try await askToDelete(natter)
      natter.terminal.press(.tab)
      natter.terminal.press(.enter)
      try await natter.hides("for everybody?")
    }

    /// The stanza without a text that has all of `parts` in it.
    private func stanza(_ parts: String..., at peer: SlixmppPeer) async throws {
      try await peer.event("stanza", upTo: .seconds(60)) { event in
        parts.allSatisfy { event.xml?.contains($0) == true }
      }
    }

    @Test(arguments: ServerKind.allCases)
    func `each side reacts and deletes, live, from another client, and for a later reader`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await say("It works", id: "b1", to: alice.jid, by: peer)
      try await natter.shows("It works")
      try await natter.say("/react :+1:")
      try await stanza("urn:xmpp:reactions:0", "id=\"b1\"", "👍", "urn:xmpp:hints", at: peer)
      try await natter.shows("[👍]")
      try await natter.say("/react 🎉")
      try await stanza("id=\"b1\"", "👍", "🎉", at: peer)
      try await natter.say("/react 👍")
      try await natter.shows("[🎉]")
      try await natter.hides("[👍]")

      try await natter.say("Shall we")
      let mine = try await peer.message { $0.body == "Shall we" }
      let id = try #require(mine.id)
      try await say("", id: "b2", to: alice.jid, by: peer, more: reactions(["❤"], to: id))
      try await natter.shows("❤")
      try await say("", id: "b3", to: alice.jid, by: peer, more: reactions(["👀"], to: id))
      try await natter.shows("👀")
      try await natter.hides("❤")
      // Another client of the account's.
      let other = try await alice.slixmpp()
      try await say("", id: "a1", to: bob.jid, by: other, more: reactions(["🔥"], to: "b1"))
      try await natter.shows("[🔥]")
      try await natter.hides("[🎉]")

      // Nobody deletes what another has said.
      try await say("Forged", id: "b4", to: alice.jid, by: peer, more: retraction(of: id))
      try await say("Wrong window", id: "b5", to: alice.jid, by: peer)
      try await natter.shows("Wrong window", "Shall we")
      try await say(
        "Old clients see this", id: "b6", to: alice.jid, by: peer, more: retraction(of: "b5"))
      try await natter.shows("(message deleted)")
      try await natter.hides("Wrong window")
      // Enter leaves everything as it is.
      try await askToDelete(natter)
      natter.terminal.press(.enter)
      try await natter.hides("for everybody?")
      try await delete(natter)
      let taken = try await peer.message(upTo: .seconds(60)) {
        $0.xml?.contains("message-retract:1") == true
      }
      #expect(taken.xml?.contains("id=\"\(id)\"") == true)
      #expect(taken.xml?.contains("urn:xmpp:fallback:0") == true && taken.body?.isEmpty == false)
      try await natter.expects("two that were deleted") { screen in
        screen.lines.count { $0.contains("(message deleted)") } == 2 && !screen.contains("Shall we")
      }
      #expect(await natter.quit() == .exited(0))

      // Who has nothing yet reads it in the archive.
      let later = try alice.natter()
      try await later.waitsOnline()
      try await later.open(chat: bob.jid)
      try await later.expects("the same") { screen in
        screen.lines.count { $0.contains("(message deleted)") } == 2 && screen.contains("[🔥]")
          && screen.contains("It works")
      }
      for text in ["Wrong window", "Shall we", "Old clients", "Forged", "👀", "🎉"] {
        #expect(later.count(of: text) == 0, "\(text)")
      }
      #expect(await later.quit() == .exited(0))
      await peer.signOut()
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `what is done without a connection goes out once there is one, once`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("Too much")
      let mine = try await peer.message { $0.body == "Too much" }
      try await say("Well", id: "b1", to: alice.jid, by: peer)
      try await natter.shows("Well", "Too much")
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await natter.say("/react 👍")
      try await natter.shows("[👍]")
      try await delete(natter)
      try await natter.shows("(message deleted)")
      await natter.kill()
      let again = try natter.startsAgain()
      try await again.waitsOnline()
      try await again.open(chat: bob.jid)
      try await again.shows("[👍]", "(message deleted)")
      try await stanza("id=\"b1\"", "👍", at: peer)
      let taken = try await peer.message(upTo: .seconds(60)) {
        $0.xml?.contains("message-retract:1") == true
      }
      #expect(taken.xml?.contains("id=\"\(mine.id ?? "?")\"") == true)
      try await again.say("the last")
      try await peer.message { $0.body == "the last" }
      let events = peer.events.compactMap(\.xml)
      #expect(events.count { $0.contains("message-retract:1") } == 1)
      #expect(events.count { $0.contains("<reaction>") } == 1)
      #expect(again.count(of: "Too much") == 0)
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `reactions and deletions work in a room, by the room's ids`(kind: ServerKind) async throws
    {
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
      try await say("bob says so", id: "r1", to: room, type: "groupchat", by: peer)
      let own = try await peer.message { $0.body == "bob says so" }
      let named = try #require(Self.stanzaID(own.xml ?? ""))
      try await natter.shows("bob says so")
      try await natter.say("/react 👍")
      try await stanza("<reactions", named, "👍", at: peer)
      try await natter.shows("[👍]")
      try await natter.say("mine, alas")
      let mine = try await peer.message { $0.body == "mine, alas" }
      let mineNamed = try #require(Self.stanzaID(mine.xml ?? ""))
      try await natter.shows("mine, alas", tick: "✓")
      try await say(
        "", id: "r2", to: room, type: "groupchat", by: peer, more: reactions(["👀"], to: mineNamed))
      try await natter.shows("👀")
      // Users can delete only their own messages.
      try await say(
        "forged", id: "r3", to: room, type: "groupchat", by: peer, more: retraction(of: mineNamed))
      try await say(
        "gone", id: "r4", to: room, type: "groupchat", by: peer, more: retraction(of: named))
      try await natter.shows("(message deleted)", "mine, alas")
      try await natter.hides("bob says so")
      try await delete(natter)
      try await peer.message(upTo: .seconds(60)) { event in
        event.xml?.contains("message-retract:1") == true && event.xml?.contains(mineNamed) == true
      }
      try await natter.hides("mine, alas")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    /// Returns the room's id of a message.
    private static func stanzaID(_ xml: String) -> String? {
      guard let element = xml.firstMatch(of: /<stanza-id[^>]*>/),
        let id = element.output.firstMatch(of: /\sid="([^"]+)"/)
      else { return nil }
      return String(id.output.1)
    }
  }
}
