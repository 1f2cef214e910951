import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Threads (XEP-0201) between Natter and slixmpp, over each server.
  @Suite struct ThreadTests {
    private func say(
      _ text: String, in thread: String? = nil, to jid: String, by peer: SlixmppPeer
    ) async throws {
      let element = thread.map { "<thread parent='t0'>\($0)</thread>" } ?? ""
      try await peer.send(
        xml:
          "<message to='\(jid)' type='chat' id='\(text)'><body>\(text)</body>\(element)</message>"
      )
    }

    /// The part of a stanza that says that it is in a thread.
    private func end(_ thread: String) -> String { ">\(thread)</thread>" }

    @Test(arguments: ServerKind.allCases)
    func `a reply stays in the contact's thread, also as read from the archive`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await say("question", in: "t1", to: alice.jid, by: peer)
      try await natter.shows("question")
      try await natter.say("answer")
      let answer = try await peer.message { $0.body == "answer" }
      #expect(answer.xml?.contains(end("t1")) == true)
      // One thread is no news.
      #expect(natter.count(of: "(thread") == 0)

      try await say("aside", in: "t2", to: alice.jid, by: peer)
      try await natter.shows("question (thread 5e16)", "aside (thread 5c63)")
      natter.terminal.press(.alt("r"))
      try await natter.shows("Replying to")
      try await natter.say("indeed")
      let reply = try await peer.message { $0.body?.hasSuffix("indeed") == true }
      #expect(reply.xml?.contains(end("t2")) == true)
      // Its correction stays there, although the contact goes on without a thread.
      try await say("plain", to: alice.jid, by: peer)
      try await natter.shows("plain")
      try await natter.say("/edit yes, indeed")
      let corrected = try await peer.message { $0.body?.hasSuffix("yes, indeed") == true }
      #expect(corrected.xml?.contains(end("t2")) == true)
      try await natter.say("so be it")
      let last = try await peer.message { $0.body == "so be it" }
      #expect(last.xml?.contains("</thread>") == false)

      try await say("again", in: "t1", to: alice.jid, by: peer)
      try await natter.shows("again (thread 5e16)")
      try await natter.enter("/thread")
      try await natter.shows("Thread 5e16")
      natter.terminal.press(.escape)
      try await natter.hides("Thread 5e16")
      #expect(await natter.quit() == .exited(0))

      let later = try alice.natter()
      try await later.waitsOnline()
      try await later.open(chat: bob.jid)
      try await later.shows(
        "question (thread 5e16)", "aside (thread 5c63)", "again (thread 5e16)")
      #expect(await later.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
