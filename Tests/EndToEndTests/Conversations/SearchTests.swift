import TestSupport
import Testing

extension Conversations {
  /// Rooms of many servers are found by a search (XEP-0433) that others wrote, at home on a server
  /// that others wrote.
  @Suite struct SearchTests {
    /// A server with a search as one of its parts.
    private func server(_ kind: ServerKind) async throws -> (any XMPPServer, SlixmppPeer) {
      var options = XMPPServerOptions()
      options.hasSearchPart = true
      let server = try await kind.start(options, users: [:])
      return (server, try await SlixmppPeer(searchOf: server))
    }

    private func add(_ service: String, to natter: NatterRun) async throws {
      natter.terminal.press(.f4)
      try await natter.shows("[Rooms]")
      natter.terminal.type("a")
      try await natter.shows("Join or create a room", "Add a room service")
      natter.terminal.press(.down)
      natter.terminal.press(.enter)
      try await natter.hides("Join or create a room")
      try await natter.shows("Add a room service")
      natter.terminal.type(service)
      try await natter.shows(service)
      natter.terminal.press(.enter)
      try await natter.hides("Add a room service")
    }

    /// Waits until the rows that have one of these texts are in this order.
    private func lists(_ texts: [String], in natter: NatterRun) async throws {
      try await natter.expects("the order \(texts)") { screen in
        let rows = texts.map { text in
          screen.lines.firstIndex { $0.contains(text) && !$0.contains("@") } ?? -1
        }
        return rows.allSatisfy { $0 >= 0 } && rows == rows.sorted()
      }
    }

    /// On those that take parts of other programs (XEP-0114), as a search is one: the built-in
    /// server takes none.
    @Test(arguments: ServerKind.with(.foreignWays))
    func `a search added offline is queried once there is a connection, also after a kill`(
      kind: ServerKind
    ) async throws {
      let (server, part) = try await server(kind)
      let alice = try await TestAccount("alice", on: server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await natter.say("/disconnect")
      try await natter.waitsOffline()
      try await add("search.\(server.domain)", to: natter)
      try await natter.shows("pending: search.")
      await natter.kill()

      let again = try natter.startsAgain()
      try await again.waitsOnline()
      again.terminal.press(.f4)
      // All of it, of several pages: those with the most people first, and those of unknown size
      // last.
      try await lists(
        ["Garden", "XMPP Service Op", "commteam", "Orchids", "Quiet corner"], in: again)
      try await again.shows("91", "members", "open")
      try await again.hides("pending: search.")
      again.terminal.type("/")
      again.terminal.type("roses")
      // It is sent to the search when the typing pauses.
      let question =
        try await part.event("search") { $0.xml?.contains(">roses<") == true }.xml ?? ""
      #expect(question.contains("urn:xmpp:channel-search:0:search-params"), "\(question)")
      #expect(!question.contains("var=\"all\""), "\(question)")
      try await again.shows("garden@chat.example.net", "1 room")
      #expect(await again.quit() == .exited(0))

      // What was found is there without a server, and can be left without one.
      let offline = try await natter.startsWithoutServer()
      offline.terminal.press(.f4)
      try await offline.shows("Garden", "as of")
      offline.terminal.press(.delete)
      try await offline.shows("Remove a service")
      offline.terminal.press(.enter)
      try await offline.hides("Garden")
      await offline.kill()
      let last = try natter.startsAgain()
      try await last.waitsOnline()
      last.terminal.press(.f4)
      try await last.shows("[Rooms]", "as of")
      #expect(!last.screen.contains("Garden"))
      #expect(await last.quit() == .exited(0))
      await part.signOut()
      await server.stop()
    }

    @Test
    func `a search that lists too little, sorts otherwise or limits requests is still useful`()
      async throws
    {
      let (server, part) = try await server(.prosody)
      let alice = try await TestAccount("alice", on: server)
      let natter = try alice.natter()
      try await natter.waitsOnline()
      try await part.behaves("closed")
      try await add("search.\(server.domain)", to: natter)
      try await natter.shows("are listed now")
      #expect(!natter.screen.contains("Garden"))
      natter.terminal.type("/")
      natter.terminal.type("orchid")
      try await natter.shows("Garden", "Orchids", "2 rooms")
      natter.terminal.press(.escape)
      // Esc and what follows at once would be one key.
      try await natter.shows("/ filters")
      // Its own text about the queries that it refuses.
      natter.terminal.type("/")
      natter.terminal.type("rs")
      try await natter.shows("says: \"Search terms", "least three characters.\"")
      natter.terminal.press(.escape)
      try await natter.shows("/ filters")
      try await part.behaves("unsorted")
      natter.terminal.type("/")
      natter.terminal.type("venue")
      try await natter.shows("XMPP Service Operators", "1 room")
      natter.terminal.press(.escape)
      try await natter.shows("/ filters")
      try await part.behaves("busy")
      natter.terminal.type("/")
      natter.terminal.type("commteam")
      try await natter.shows("accepts no more searches for the next 2 s")
      // Then it is asked again, when something else is typed.
      for turn in 0..<20 where !natter.screen.contains("commteam@muc") {
        if turn.isMultiple(of: 2) {
          natter.terminal.press(.backspace)
        } else {
          natter.terminal.type("m")
        }
        _ = await natter.terminal.waits(upTo: .seconds(5)) { $0.contains("commteam@muc") }
      }
      try await natter.shows("commteam@muc.xmpp.example")
      #expect(await natter.quit() == .exited(0))
      await part.signOut()
      await server.stop()
    }
  }
}
