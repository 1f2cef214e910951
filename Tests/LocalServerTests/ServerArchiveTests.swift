import Foundation
import Testing
import XML
import XMPP

@testable import LocalServer

/// The archive of an account (XEP-0313).
@Suite struct ServerArchiveTests {
  private struct Page {
    let answer: Element
    let ids: [String]
    let bodies: [String]

    var fin: Element? { answer.first("fin", Namespace.archive) }
    var isComplete: Bool { fin?["complete"] == "true" }
    var count: String? {
      fin?.first("set", Namespace.resultSets)?.first("count", Namespace.resultSets)?.text
    }
    func edge(_ name: String) -> String? {
      fin?.first("set", Namespace.resultSets)?.first(name, Namespace.resultSets)?.text
    }
  }

  private func query(
    _ client: RawXMPPClient, to: String? = nil, fields: [(String, [String])] = [],
    set: String = "", flips: Bool = false
  ) async throws -> Page {
    var form = ""
    if !fields.isEmpty {
      form = "<x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE' type='hidden'>"
      form += "<value>urn:xmpp:mam:2</value></field>"
      for (name, values) in fields {
        form += "<field var='\(name)'>"
        form +=
          values.map { "<value>\($0.replacing("&", with: "&amp;"))</value>" }.joined()
          + "</field>"
      }
      form += "</x>"
    }
    let payload = try #require(
      XMLColumn.parse(
        "<query xmlns='urn:xmpp:mam:2' queryid='q'>\(form)"
          + "<set xmlns='http://jabber.org/protocol/rsm'>\(set)</set>"
          + (flips ? "<flip-page/>" : "") + "</query>"))
    let answer = try await client.ask("set", to: to, payload)
    let results = try await client.rest().compactMap { $0.first("result", Namespace.archive) }
    #expect(results.allSatisfy { $0["queryid"] == "q" })
    return Page(
      answer: answer, ids: results.compactMap { $0["id"] },
      bodies: results.compactMap {
        $0.first("forwarded", Names.forward)?.first("message", Namespace.client)?
          .childText("body")
      })
  }

  /// Alice says 1 to 5 to bob, who says "back" once.
  private func talk(_ server: TestServer) async throws -> (RawXMPPClient, RawXMPPClient) {
    let alice = try await server.client("alice")
    let bob = try await server.client("bob")
    for number in 1...5 { try await alice.say("\(number)", to: "bob@localhost") }
    try await alice.catchUp()
    try await bob.say("back", to: "alice@localhost/test")
    try await bob.catchUp()
    _ = try await alice.rest()
    _ = try await bob.rest()
    return (alice, bob)
  }

  @Test func `both sides' archives have what was said, in order, under the live messages' ids`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      for number in 1...3 { try await alice.say("\(number)", to: "bob@localhost") }
      var live: [String] = []
      for number in 1...3 {
        let message = try await bob.message(body: "\(number)")
        live.append(try #require(message.first("stanza-id", Namespace.stanzaIDs)?["id"]))
      }
      let page = try await query(bob, fields: [("with", ["alice@localhost"])])
      #expect(page.bodies == ["1", "2", "3"])
      #expect(page.ids == live)
      #expect(page.isComplete && page.count == "3")
      #expect(try await query(alice, fields: [("with", ["bob@localhost"])]).bodies == page.bodies)
      #expect(try await query(alice, fields: [("with", ["bob@localhost/x"])]).bodies.isEmpty)
    }
  }

  @Test func `pages go forwards, backwards and begin where requested`() async throws {
    try await withServer { server in
      let (_, bob) = try await talk(server)
      let with = [("with", ["alice@localhost"])]
      let all = try await query(bob, fields: with)
      #expect(all.bodies == ["1", "2", "3", "4", "5", "back"])
      let first = try await query(bob, fields: with, set: "<max>2</max>")
      #expect(first.bodies == ["1", "2"] && !first.isComplete && first.count == "6")
      let second = try await query(
        bob, fields: with, set: "<max>4</max><after>\(first.ids[1])</after>")
      #expect(second.bodies == ["3", "4", "5", "back"] && second.isComplete)
      let last = try await query(bob, fields: with, set: "<max>2</max><before/>")
      #expect(last.bodies == ["5", "back"] && !last.isComplete)
      let before = try await query(
        bob, fields: with, set: "<max>2</max><before>\(last.ids[0])</before>")
      #expect(before.bodies == ["3", "4"])
      let flipped = try await query(
        bob, fields: with, set: "<max>2</max><before>\(last.ids[0])</before>", flips: true)
      #expect(flipped.bodies == ["4", "3"])
      let set = flipped.fin?.first("set", Namespace.resultSets)
      #expect(set?.first("first", Namespace.resultSets)?.text == before.ids[0])
      let none = try await query(bob, fields: with, set: "<max>0</max>")
      #expect(none.bodies.isEmpty && !none.isComplete && none.count == "6")
      let between = try await query(
        bob, fields: [("after-id", [all.ids[0]]), ("before-id", [all.ids[3]])])
      #expect(between.bodies == ["2", "3"])
      #expect(
        try await query(bob, fields: [("ids", [all.ids[4], all.ids[1]])]).bodies == ["2", "5"])
    }
  }

  @Test func `a time selects with both ends`() async throws {
    try await withServer { server in
      let (_, bob) = try await talk(server)
      let all = try await query(bob, fields: [("with", ["alice@localhost"])])
      let stamp = ArchiveStamp.text(of: try #require(Int64(all.ids[2])))
      let exact = try await query(bob, fields: [("start", [stamp]), ("end", [stamp])])
      #expect(exact.ids.contains(all.ids[2]))
      let none = try await query(bob, fields: [("end", ["2001-01-01T00:00:00Z"])])
      #expect(none.ids.isEmpty && none.isComplete && none.count == "0")
    }
  }

  @Test func `what is not in the archive is said not to be there`() async throws {
    try await withServer { server in
      let (alice, bob) = try await talk(server)
      let foreign = try await query(alice, set: "<before/><max>1</max>").ids[0]
      for set in [
        "<after>nonsense</after>", "<before>17</before>", "<after>\(foreign)</after>",
        "<after>+\(foreign)</after>",
      ] {
        let page = try await query(bob, set: set)
        #expect(RawXMPPClient.condition(page.answer) == "item-not-found", "\(set)")
      }
      let cases: [(String, String, String)] = [
        ("ids", foreign, "item-not-found"), ("after-id", "x", "item-not-found"),
        ("with", "@", "bad-request"), ("start", "yesterday", "bad-request"),
        ("colour", "red", "feature-not-implemented"),
      ]
      for (field, value, condition) in cases {
        let page = try await query(bob, fields: [(field, [value])])
        #expect(RawXMPPClient.condition(page.answer) == condition, "\(field)")
      }
      let others = try await query(bob, to: "alice@localhost")
      #expect(RawXMPPClient.condition(others.answer) == "service-unavailable")
    }
  }

  @Test func `passing states, refused messages and what is marked so are not kept`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      for content in [
        "<active xmlns='http://jabber.org/protocol/chatstates'/>",
        "<body>x</body><no-store xmlns='urn:xmpp:hints'/>",
        "<body>x</body><no-permanent-store xmlns='urn:xmpp:hints'/>",
      ] {
        try await alice.send("<message to='bob@localhost' type='chat'>\(content)</message>")
      }
      try await alice.say("x", to: "nobody@localhost")
      try await alice.say("x", to: "bob@localhost", type: "headline")
      try await alice.send(
        "<message to='bob@localhost' type='chat'>"
          + "<received xmlns='urn:xmpp:receipts' id='m'/></message>")
      try await alice.say("kept", to: "bob@localhost")
      try await alice.say("note", to: "alice@localhost")
      _ = try await bob.message(body: "kept")
      let own = try await query(alice)
      #expect(own.bodies.filter { $0 == "kept" || $0 == "note" || $0 == "x" } == ["kept", "note"])
      #expect(try await query(bob, fields: [("with", ["alice@localhost"])]).ids.count == 2)
    }
  }

  @Test func `an account says what is archived`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let prefs = try #require(
        XMLColumn.parse(
          "<prefs xmlns='urn:xmpp:mam:2' default='always'><always/>"
            + "<never><jid>bob@localhost</jid></never></prefs>"))
      #expect(try await alice.ask("set", to: nil, prefs)["type"] == "result")
      let asked = try await alice.ask("get", to: nil, Element("prefs", Namespace.archive))
      #expect(asked.first("prefs", Namespace.archive)?["default"] == "always")
      try await alice.say("out", to: "bob@localhost")
      _ = try await bob.message(body: "out")
      try await bob.say("in", to: "alice@localhost")
      let live = try await alice.message(body: "in")
      #expect(live.first("stanza-id", Namespace.stanzaIDs) == nil)
      #expect(try await query(alice, fields: [("with", ["bob@localhost"])]).ids.isEmpty)
      #expect(
        try await query(bob, fields: [("with", ["alice@localhost"])]).bodies == ["out", "in"])
      let bad = Element("prefs", Namespace.archive, ["default": "sometimes"])
      #expect(RawXMPPClient.condition(try await alice.ask("set", to: nil, bad)) == "bad-request")
    }
  }

  @Test func `a text is searched for in bodies only, page by page`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      for text in ["Rhubarb cake", "message body", "a cake", "cake with rhubarb & 5% cream"] {
        try await alice.say(text, to: "bob@localhost")
      }
      try await alice.catchUp()
      _ = try await bob.rest()
      func found(_ text: String, set: String = "") async throws -> Page {
        try await query(
          bob, fields: [("with", ["alice@localhost"]), (XEP0431FullText.field, [text])], set: set)
      }
      let both = try await found("rhubarb CAKE")
      #expect(both.bodies == ["Rhubarb cake", "cake with rhubarb & 5% cream"])
      #expect(both.isComplete && both.count == nil)
      // Names of elements and addresses are no text; wildcards and escaped characters are.
      #expect(try await found("message").bodies == ["message body"])
      #expect(try await found("localhost").bodies == [])
      #expect(try await found("% &").bodies == ["cake with rhubarb & 5% cream"])
      #expect(try await found("__").bodies == [])
      // Without a word the field does not apply.
      #expect(try await found(" ").bodies.count == 4)
      let last = try await found("cake", set: "<max>1</max><before/>")
      #expect(last.bodies == ["cake with rhubarb & 5% cream"] && !last.isComplete)
      let next = try await found("cake", set: "<max>5</max><before>\(last.ids[0])</before>")
      #expect(next.bodies == ["Rhubarb cake", "a cake"] && next.isComplete)
    }
  }

  @Test func `a search that ends early says where it goes on, also without a result`()
    async throws
  {
    try await withServer({ $0.archivePages.searched = 3 }) { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      for text in ["rose", "1", "2", "3", "4"] { try await alice.say(text, to: "bob@localhost") }
      try await alice.catchUp()
      _ = try await bob.rest()
      func found(_ set: String) async throws -> Page {
        try await query(
          bob, fields: [("with", ["alice@localhost"]), (XEP0431FullText.field, ["rose"])], set: set)
      }
      let last = try await found("<before/>")
      #expect(last.bodies == [] && !last.isComplete)
      let older = try await found("<before>\(try #require(last.edge("first")))</before>")
      #expect(older.bodies == ["rose"] && older.isComplete)
      let first = try await found("")
      #expect(first.bodies == ["rose"] && !first.isComplete)
      #expect(first.edge("last") == first.ids.last)
      let newer = try await found("<after>\(try #require(first.edge("last")))</after>")
      #expect(newer.bodies == [] && !newer.isComplete)
      let end = try await found("<after>\(try #require(newer.edge("last")))</after>")
      #expect(end.bodies == [] && end.isComplete && end.edge("last") == nil)
    }
  }

  @Test func `the archive is announced, says what can be asked, and where it begins and ends`()
    async throws
  {
    try await withServer { server in
      let (_, bob) = try await talk(server)
      let disco = try await bob.ask(
        "get", to: "bob@localhost", Element("query", Namespace.discoInfo))
      let features = XEP0030Discovery(try #require(disco.elements.first))?.features ?? []
      #expect(
        features.isSuperset(of: [
          Namespace.archive, Names.archiveExtended, XEP0431FullText.feature,
        ]))
      let form = try await bob.ask("get", to: nil, Element("query", Namespace.archive))
      let fields = form.elements.first?.elements.first.flatMap { XEP0004DataForm($0) }?.fields
      #expect(fields?.compactMap(\.name).contains("before-id") == true)
      #expect(fields?.compactMap(\.name).contains(XEP0431FullText.field) == true)
      let all = try await query(bob)
      let metadata = try await bob.ask("get", to: nil, Element("metadata", Namespace.archive))
        .elements.first
      #expect(metadata?.first("start", Namespace.archive)?["id"] == all.ids.first)
      #expect(metadata?.first("end", Namespace.archive)?["id"] == all.ids.last)
    }
  }

  @Test func `an archive keeps its newest messages`() async throws {
    try await withServer({ $0.archiveLimit = 4 }) { server in
      let (_, bob) = try await talk(server)
      let page = try await query(bob)
      #expect(page.bodies.count <= 8 && page.bodies.last == "back")
      #expect(!page.bodies.contains("1"))
    }
  }
}
