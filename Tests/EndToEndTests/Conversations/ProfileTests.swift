import Foundation
import TestSupport
import Testing

extension Conversations {
  /// One's own profile, as somebody else's client reads it.
  @Suite struct ProfileTests {
    private static let query =
      "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:vcard4'/></pubsub>"

    /// Opens the page and goes to a field, from the top.
    private func go(to index: Int, in natter: NatterRun) async throws {
      natter.terminal.press(.f(6))
      try await natter.shows("Your profile", "Nickname")
      natter.terminal.press(.enter)
      for _ in 0..<index { natter.terminal.press(.down) }
    }

    @Test(arguments: ServerKind.allCases)
    func `a field is changed, and a contact's client reads it`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.befriend(bob, at: peer, as: alice)

      try await go(to: 1, in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("e.g. Alice Dubois")
      natter.terminal.type("Alice Dübois")
      natter.terminal.press(.enter)
      try await natter.shows("Alice Dübois", "Saved.")
      try await expects("Alice Dübois", in: Self.query, of: alice, by: peer)

      // The country and then its city, each from its list.
      for _ in 0..<10 { natter.terminal.press(.down) }
      natter.terminal.press(.enter)
      try await natter.shows("Enter picks", "Andorra")
      natter.terminal.type("法国")
      try await natter.shows("France")
      natter.terminal.press(.enter)
      try await natter.shows("Saved.", "France")
      natter.terminal.press(.down, .enter)
      try await natter.shows("City in France", "Aix-en-Provence")
      natter.terminal.type("lyo")
      try await natter.shows("Lyon  里昂")
      natter.terminal.press(.enter)
      try await natter.expects("the city on its row") { screen in
        screen.lines.contains { $0.contains("City") && $0.contains("Lyon") }
      }
      try await expects("<locality>Lyon</locality>", in: Self.query, of: alice, by: peer)
      try await expects("<country>France</country>", in: Self.query, of: alice, by: peer)
      // What was there before is still there.
      try await expects("Alice Dübois", in: Self.query, of: alice, by: peer)

      // A stranger gets it when everybody may, from the older vCard too.
      let carol = try await TestAccount("carol", on: kind)
      let stranger = try await carol.slixmpp()
      let older = "<vCard xmlns='vcard-temp'/>"
      #expect(
        try await !stranger.ask("get", older, of: alice.jid).contains("Alice Dübois"))
      natter.terminal.press(.down, .enter)
      try await natter.shows("everybody", "only me")
      natter.terminal.press(.up, .enter)
      try await natter.expects("the choice on its row") { screen in
        screen.lines.contains { $0.contains("Who can read it") && $0.contains("everybody") }
      }
      try await expects("Alice Dübois", in: older, of: alice, by: stranger)
      try await expects("Lyon", in: Self.query, of: alice, by: stranger)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
      await stranger.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `the whole profile is changed in a form, and nothing of it is sent before Save`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.befriend(bob, at: peer, as: alice)
      try await go(to: 0, in: natter)
      natter.terminal.press(.text("e"))
      try await natter.shows("Edit profile", "[ Save ]")
      natter.terminal.type("Alice Dubois")
      natter.terminal.press(.tab)
      natter.terminal.type("ali")
      try await natter.shows("Alice Dubois", "ali", "* changed")
      for _ in 0..<2 { natter.terminal.press(.tab) }
      natter.terminal.press(.enter)
      try await natter.shows("Enter picks", "Andorra")
      natter.terminal.type("france")
      try await natter.shows("France  法国")
      natter.terminal.press(.enter)
      try await natter.hides("Enter picks")
      #expect(
        try await !peer.ask("get", Self.query, of: alice.jid).contains("Alice Dubois"))
      natter.terminal.press(.tab)
      natter.terminal.press(.tab)
      natter.terminal.press(.enter)
      try await natter.shows("Saved.")
      for text in ["Alice Dubois", ">ali<", "<country>France</country>"] {
        try await expects(text, in: Self.query, of: alice, by: peer)
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a nickname reaches a contact who is online`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.befriend(bob, at: peer, as: alice)
      try await go(to: 0, in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("e.g. Alice")
      natter.terminal.type("Ali")
      natter.terminal.press(.enter)
      try await natter.shows("Saved.")
      try await expects(
        ">Ali</nick>",
        in: "<pubsub xmlns='http://jabber.org/protocol/pubsub'>"
          + "<items node='http://jabber.org/protocol/nick'/></pubsub>", of: alice, by: peer)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a change made offline is kept, over a restart too, and sent when there is a connection`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await go(to: 7, in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("e.g. terminals, tea, trains")
      natter.terminal.type("written in a tunnel")
      natter.terminal.press(.enter)
      try await natter.shows("written in a tunnel", "waits for the conn")
      #expect(await natter.quit() == .exited(0))

      let again = try natter.startsAgain()
      try await again.waitsOnline()
      let peer = try await alice.slixmpp()
      try await expects("written in a tunnel", in: Self.query, of: alice, by: peer)
      try await go(to: 7, in: again)
      try await again.shows("written in a tunnel")
      try await again.hides("waits for the conn")
      #expect(await again.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a picture from a file is published, or refused with the reason`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
      let data = try #require(Data(base64Encoded: picture))
      let file = natter.home.home.appending(path: "me.png")
      try data.write(to: file)
      try Data("<svg/>".utf8).write(to: natter.home.home.appending(path: "me.svg"))
      try await go(to: 14, in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("a PNG file")
      natter.terminal.type("~/me.svg")
      natter.terminal.press(.enter)
      try await natter.shows("not a PNG picture")
      natter.terminal.press(.end, .control("u"))
      natter.terminal.type("~/me.png")
      natter.terminal.press(.enter)
      try await natter.shows("PNG, 70 ", "Saved.")
      let peer = try await alice.slixmpp()
      try await expects(
        "7c61e84ce8f8e2e32d8ff61b1bf938b16d6212ca",
        in: "<pubsub xmlns='http://jabber.org/protocol/pubsub'>"
          + "<items node='urn:xmpp:avatar:metadata'/></pubsub>", of: alice, by: peer)
      try await expects(
        picture,
        in: "<pubsub xmlns='http://jabber.org/protocol/pubsub'>"
          + "<items node='urn:xmpp:avatar:data'/></pubsub>", of: alice, by: peer)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: [ServerKind.prosody, .ejabberd])
    func `a published picture is also in the older vCard, where older clients look`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.befriend(bob, at: peer, as: alice)
      let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
      let data = try #require(Data(base64Encoded: picture))
      try data.write(to: natter.home.home.appending(path: "me.png"))
      try await go(to: 14, in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("a PNG file")
      natter.terminal.type("~/me.png")
      natter.terminal.press(.enter)
      try await natter.shows("PNG, 70 ", "Saved.")
      // An older client's question.
      try await expects(
        "<BINVAL>\(picture)", in: "<vCard xmlns='vcard-temp'/>", of: alice, by: peer)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    // MARK: Steps

    /// Asks until the answer has `text`: a server may notify others a moment later.
    private func expects(
      _ text: String, in question: String, of account: TestAccount, by peer: SlixmppPeer
    ) async throws {
      var answer = ""
      let limit = ContinuousClock.now + Duration.seconds(60).withPatience
      while ContinuousClock.now < limit {
        answer = try await peer.ask("get", question, of: account.jid)
        if answer.contains(text) { return }
      }
      Issue.record("no “\(text)” in \(answer)")
    }
  }
}
