import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Natter and clients that others wrote, both directions.
  @Suite struct PeerConversationTests {
    static let texts = [
      "hello", "你好，世界 日本語 한국어", "emoji 👍🏽 👨‍👩‍👧 ok", "<b>bold</b> &amp; \"quotes\" ]]> 'x'",
      "e\u{301}te\u{301} und Straße", "50% *stars* _under_ `code` \\n {name}",
    ]

    @Test(arguments: Road.all)
    func `Natter and slixmpp talk over each server, encrypted both ways`(road: Road) async throws {
      let alice = try await TestAccount("alice", on: road.server)
      let bob = try await TestAccount("bob", on: road.server)
      let peer = try await bob.slixmpp(security: road.security == .direct ? .direct : .starttls)
      let natter = try alice.natter(security: road.security)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      for text in Self.texts {
        try await natter.say(text)
        let received = try await peer.message { $0.body == text }
        #expect(received.type == "chat")
        #expect(received.from?.hasPrefix(alice.jid + "/") == true)
      }
      try await natter.showsDelivered("50% *stars*")
      try await natter.shows("hello", "你好，世界 日本語 한국어", "<b>bold</b> &amp; \"quotes\" ]]> 'x'")

      for text in Self.texts {
        try await peer.send("re: " + text, to: alice.jid)
        try await natter.shows("re: " + String(text.prefix(6)))
      }
      try await natter.shows(
        "re: 你好，世界 日本語 한국어", "re: <b>bold</b> &amp; \"quotes\" ]]> 'x'",
        "re: 50% *stars* _under_ `code` \\n {name}")
      #expect(natter.count(of: "re: hello") == 1)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(.requires(.profanity), arguments: Road.all)
    func `Natter and profanity talk on each server`(road: Road) async throws {
      let alice = try await TestAccount("alice", on: road.server)
      let bob = try await TestAccount("bob", on: road.server)
      let peer = try await ProfanityClient(
        bob.jid, password: bob.password, server: bob.server, direct: road.security == .direct)
      let natter = try alice.natter(security: road.security)
      try await natter.waitsOnline()
      peer.send("from profanity 你好", to: alice.jid)
      try await natter.receives(from: bob.name, unread: 1)
      try await natter.open(chat: bob.jid)
      try await natter.shows("from profanity 你好")
      try await natter.lists(bob.name, unread: 0)
      try await natter.say("from Natter 日本語 <b>&</b>")
      try await peer.shows("from Natter 日本語 <b>&</b>")
      try await natter.showsDelivered("from Natter")
      #expect(await natter.quit() == .exited(0))
      await peer.quit()
    }

    @Test(arguments: ServerKind.allCases)
    func `a contact request is accepted, and both see the other's presence change`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/add \(bob.jid)")
      try await peer.event("subscription") { $0.type == "subscribe" && $0.from == alice.jid }
      // A request without an answer: it does not reveal whether the contact is online.
      try await natter.lists(bob.name, presence: "·")
      try await peer.subscription("subscribed", to: alice.jid)
      try await peer.subscription("subscribe", to: alice.jid)
      try await natter.lists(bob.name, presence: "●")
      // Who was asked may ask back without a question.
      try await peer.event("subscription") { $0.type == "subscribed" && $0.from == alice.jid }
      try await peer.event("presence") {
        $0.type == "available" && $0.from?.hasPrefix(alice.jid) == true
      }
      #expect(try await peer.roster() == [alice.jid: "both"])
      #expect(!natter.screen.contains("REQUESTS"))

      try await natter.open(chat: bob.jid)
      try await peer.presence("away", status: "out for 茶")
      try await natter.lists(bob.name, presence: "◐")
      try await natter.expects("the status in the header") {
        $0.text(row: 1).contains("out for") || $0.text(row: 1).contains("away")
      }
      try await peer.presence("dnd")
      try await natter.lists(bob.name, presence: "⊘")
      try await natter.say("/status away back at five")
      try await peer.event("presence") { $0.type == "away" && $0.text == "back at five" }
      try await natter.say("/status online")
      await peer.signOut()
      try await natter.lists(bob.name, presence: "○")
      let again = try await bob.slixmpp()
      try await natter.lists(bob.name, presence: "●")
      #expect(await natter.quit() == .exited(0))
      try await again.event("presence") {
        $0.type == "unavailable" && $0.from?.hasPrefix(alice.jid) == true
      }
      await again.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `another user asks to be a contact and is answered`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      // Asked while away: the server keeps the question.
      try await peer.addContact(alice.jid)
      try await peer.subscription("subscribe", to: alice.jid)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await answerRequest(of: bob, in: natter)
      try await peer.event("subscription") { $0.type == "subscribed" && $0.from == alice.jid }
      try await peer.event("presence") {
        $0.type == "available" && $0.from?.hasPrefix(alice.jid) == true
      }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    /// Accepts the contact request in the list.
    private func answerRequest(of account: TestAccount, in natter: NatterRun) async throws {
      let marker = "? " + account.name
      try await natter.shows("REQUESTS", String(marker.prefix(12)))
      natter.terminal.press(.backTab)
      natter.terminal.press(.home)
      try await natter.expects("the mark at the request") { screen in
        screen.lines.contains { $0.hasPrefix(">") && $0.contains(marker.prefix(12)) }
      }
      natter.terminal.press(.enter)
      try await natter.hides("REQUESTS")
      natter.terminal.press(.control("g"))
    }

    @Test(arguments: ServerKind.allCases)
    func `queries for name, version, time and a ping are answered`(
      kind: ServerKind
    ) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try NatterRun.account(
        alice.jid, alice.password, on: alice.server, environment: ["TZ": "<+0545>-05:45"])
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("ask me")
      let own = try #require(try await peer.message { $0.body == "ask me" }.from)

      let version = try await peer.ask("get", "<query xmlns='jabber:iq:version'/>", of: own)
      let printed = try await CommandRun.check(Programs.natter, ["--version"]).text
      let number = try #require(printed.firstMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/)).output
      #expect(version.contains("<name>Natter</name>"), "\(version)")
      #expect(version.contains("<version>\(number)</version>"), "\(version)")

      // With the zone that this one lives in.
      let time = try await peer.ask("get", "<time xmlns='urn:xmpp:time'/>", of: own)
      #expect(time.contains("<tzo>+05:45</tzo>"), "\(time)")
      let utc = try #require(
        time.firstMatch(of: /<utc>(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)[.\d]*Z<\/utc>/), "\(time)")
      let reported = try Date(String(utc.output.1) + "Z", strategy: .iso8601)
      #expect(abs(reported.timeIntervalSinceNow) < 600, "\(time)")

      let info = try await peer.ask(
        "get", "<query xmlns='http://jabber.org/protocol/disco#info'/>", of: own)
      for part in [
        "category=\"client\"", "name=\"Natter\"", "jabber:iq:version", "urn:xmpp:time",
        "urn:xmpp:ping",
      ] { #expect(info.contains(part), "\(part) in \(info)") }
      let ping = try await peer.ask("get", "<ping xmlns='urn:xmpp:ping'/>", of: own)
      #expect(ping.contains("type=\"result\""), "\(ping)")
      let unknown = try await peer.ask("get", "<query xmlns='urn:example:unknown'/>", of: own)
      #expect(unknown.contains("service-unavailable"), "\(unknown)")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `what came while Natter was away is there, and once`(kind: ServerKind) async throws {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      try await peer.send("while you were away 日本", to: alice.jid)
      try await peer.send("and one more", to: alice.jid)
      // The answer to this comes after the server has dealt with both.
      _ = try await peer.roster()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.shows("while you were away 日本", "and one more")
      // From the offline store and from the archive: the same messages.
      #expect(natter.count(of: "while you were away") == 1)
      #expect(natter.count(of: "and one more") == 1)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
