import Diagnostics
import Foundation
import Synchronization
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import DiscoverService

/// Parts and invitations in memory.
actor MemoryPartStore: ServerComponentStoring {
  private var stored = ServerParts()
  private var made: [AccountInvitation] = []
  func parts() -> ServerParts { stored }
  func replace(_ parts: ServerParts) { stored = parts }
  func invitations() -> [AccountInvitation] { made }
  func save(_ invitation: AccountInvitation) { made.append(invitation) }
  func removeInvitation(_ id: AccountInvitation.ID) { made.removeAll { $0.id == id } }
}

@Suite struct ComponentDirectoryTests {
  private let hub = EventHub()
  private let store = MemoryPartStore()
  private let moment = Date(timeIntervalSince1970: 1_795_183_200)

  private func guide(_ answer: @escaping @Sendable (Element) throws -> Element) async
    -> ComponentDirectory
  {
    let moment = moment
    let guide = ComponentDirectory(
      account: JID(local: "alice", domain: "example.org"), store: store, hub: hub, log: .none,
      now: { moment })
    await guide.sessionStarted(.fixture, over: RecordingChannel(answer: answer))
    return guide
  }

  private static func command(_ form: XEP0004DataForm?, error: String? = nil) -> Element {
    var command = Element("command", XEP0050.namespace, ["status": "completed"])
    if let form { command.append(form.element) }
    if let error {
      command.append(Element("note", XEP0050.namespace, ["type": "error"], text: error))
    }
    return Element("iq", Namespace.client, ["type": "result"], [command])
  }

  @Test func `the server and its parts say what they are, and one that is silent is listed too`()
    async throws
  {
    let guide = await guide { iq in
      if iq.first("query", Namespace.discoItems) != nil {
        let items = ["rooms.example.org", "silent.example.org", "rooms.example.org"].map {
          Element("item", Namespace.discoItems, ["jid": $0, "name": "listed"])
        }
        let node = Element(
          "item", Namespace.discoItems, ["jid": "example.org", "node": "announce"])
        return Element(
          "iq", Namespace.client, ["type": "result"],
          [Element("query", Namespace.discoItems, [:], items + [node])])
      }
      guard iq["to"] != "silent.example.org" else { throw ChannelError.timedOut }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          XEP0030Discovery(
            identities: [.init(category: "x", type: "y", name: "I am \(iq["to"] ?? "")")],
            features: ["f"]
          ).element()
        ])
    }
    try await guide.refreshParts()
    let parts = try await guide.parts()
    #expect(parts.readAt == moment)
    #expect(
      parts.parts.map(\.name) == ["I am example.org", "I am rooms.example.org", "listed"])
    #expect(parts.parts[2].discovery == nil && parts.parts[1].discovery?.features == ["f"])
  }

  @Test func `a long list is read page by page, and up to a limit`() async throws {
    let requested = Mutex<[String?]>([])
    let guide = await guide { iq in
      let set = iq.first("query", Namespace.discoItems)?.first("set", Namespace.resultSets)
      #expect(set?.first("max", Namespace.resultSets)?.text == "100")
      let after = set?.first("after", Namespace.resultSets)?.text
      requested.withLock { $0.append(after) }
      let start = after.flatMap { Int($0) }.map { $0 + 1 } ?? 0
      let items = (start..<start + 100).map {
        Element("item", Namespace.discoItems, ["jid": "pubsub.example.net", "node": "\($0)"])
      }
      let position = Element(
        "set", Namespace.resultSets, [:],
        [Element("last", Namespace.resultSets, text: "\(start + 99)")])
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [Element("query", Namespace.discoItems, [:], items + [position])])
    }
    let service = JID(local: nil, domain: "pubsub.example.net")
    let items = try await guide.items(of: service, node: "news")
    #expect(items.map(\.node) == (0..<1000).map { "\($0)" })
    #expect(requested.withLock { $0 } == [nil] + (0..<9).map { "\($0 * 100 + 99)" })
  }

  @Test func `a list that begins again with its first page ends`() async throws {
    let guide = await guide { _ in
      let item = Element(
        "item", Namespace.discoItems, ["jid": "pubsub.example.net", "node": "only"])
      let set = Element(
        "set", Namespace.resultSets, [:], [Element("last", Namespace.resultSets, text: "x")])
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [Element("query", Namespace.discoItems, [:], [item, set])])
    }
    let service = JID(local: nil, domain: "pubsub.example.net")
    #expect(try await guide.items(of: service, node: "news").map(\.node) == ["only"])
  }

  private static func page(_ items: Range<Int>, last: String?) -> Element {
    let items = items.map {
      Element("item", Namespace.discoItems, ["jid": "pubsub.example.net", "node": "\($0)"])
    }
    let set = last.map {
      Element("set", Namespace.resultSets, [:], [Element("last", Namespace.resultSets, text: $0)])
    }
    return Element(
      "iq", Namespace.client, ["type": "result"],
      [Element("query", Namespace.discoItems, [:], items + (set.map { [$0] } ?? []))])
  }

  private static let service = JID(local: nil, domain: "pubsub.example.net")

  @Test func `what was read of a list stays when a later page fails`() async throws {
    let errors: [any Error] = [ChannelError.timedOut, StanzaError(.cancel, .itemNotFound)]
    for error in errors {
      let guide = await guide { iq in
        let set = iq.first("query", Namespace.discoItems)?.first("set", Namespace.resultSets)
        guard set?.first("after", Namespace.resultSets) == nil else { throw error }
        return Self.page(0..<2, last: "1")
      }
      let items = try await guide.items(of: Self.service, node: "news")
      #expect(items.map(\.node) == ["0", "1"], "\(error)")
    }
  }

  @Test func `an entity that rejects pages is asked for all, any other error is none`() async throws
  {
    for condition in [StanzaError.Condition.badRequest, .forbidden] {
      let requested = Mutex(0)
      let guide = await guide { iq in
        requested.withLock { $0 += 1 }
        let query = iq.first("query", Namespace.discoItems)
        guard query?.first("set", Namespace.resultSets) == nil else {
          throw StanzaError(.cancel, condition)
        }
        return Self.page(0..<3, last: nil)
      }
      let items = try? await guide.items(of: Self.service, node: "news")
      let isAsked = condition == .badRequest
      #expect(items?.map(\.node) == (isAsked ? ["0", "1", "2"] : nil))
      #expect(requested.withLock { $0 } == (isAsked ? 2 : 1))
    }
  }

  @Test func `an entity with one item a page is not asked for a thousand`() async throws {
    let requested = Mutex(0)
    let guide = await guide { _ in
      let number = requested.withLock {
        $0 += 1
        return $0
      }
      return Self.page(number..<number + 1, last: "\(number)")
    }
    let items = try await guide.items(of: Self.service, node: "news")
    #expect(items.count == 20 && requested.withLock { $0 } == 20)
  }

  @Test func `any service says what it is and lists under a node, or why not`() async throws {
    let guide = await guide { iq in
      let isItems = iq.first("query", Namespace.discoItems) != nil
      let query = iq.first("query", isItems ? Namespace.discoItems : Namespace.discoInfo)
      guard iq["to"] == "pubsub.example.net", query?["node"] == "news" else {
        throw StanzaError(.cancel, .itemNotFound)
      }
      let item = Element(
        "item", Namespace.discoItems, ["jid": "pubsub.example.net", "node": "news/today"])
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          isItems
            ? Element("query", Namespace.discoItems, [:], [item])
            : XEP0030Discovery(
              identities: [.init(category: "pubsub", type: "leaf", name: "News")]
            ).element(node: "news")
        ])
    }
    let service = JID(local: nil, domain: "pubsub.example.net")
    let part = try await guide.part(service, node: "news")
    #expect(part.name == "News" && part.discovery?.identities.first?.type == "leaf")
    #expect(try await guide.items(of: service, node: "news").map(\.node) == ["news/today"])
    await #expect(throws: NatterError.self) { try await guide.part(service, node: "other") }
    await #expect(throws: NatterError.self) { try await guide.items(of: service, node: "other") }
  }

  @Test func `an invitation is made, kept while it is good, and forgotten`() async throws {
    let guide = await guide { iq in
      if iq.first("query", Namespace.discoItems) != nil {
        let item = Element(
          "item", Namespace.discoItems,
          ["jid": "example.org", "node": XEP0401Invitation.contactNode])
        return Element(
          "iq", Namespace.client, ["type": "result"],
          [Element("query", Namespace.discoItems, [:], [item])])
      }
      #expect(iq.first("command", XEP0050.namespace)?["node"] == XEP0401Invitation.contactNode)
      return Self.command(
        XEP0004DataForm(
          .result,
          fields: [
            .init("uri", values: ["xmpp:alice@example.org?roster;preauth=x"]),
            .init("landing-url", values: [""]),
            .init("expire", values: ["2026-11-21T00:00:00Z"]),
          ]))
    }
    #expect(try await guide.invitationKinds() == [.contact])
    let made = try await guide.makeInvitation(.contact)
    #expect(made.address == "xmpp:alice@example.org?roster;preauth=x" && made.page == nil)
    #expect(try await guide.invitations() == [made])
    await store.save(
      AccountInvitation(kind: .account, address: "xmpp:old", expires: .distantPast))
    #expect(try await guide.invitations() == [made])
    try await guide.forget(made)
    #expect(try await guide.invitations() == [])
  }

  @Test(arguments: ["", "http://evil.example/", "javascript:xmpp:"])
  func `an answer without an invitation is refused with the server's text`(uri: String) async throws
  {
    let guide = await guide { _ in
      Self.command(
        uri.isEmpty ? nil : XEP0004DataForm(.result, fields: [.init("uri", values: [uri])]),
        error: "not for you")
    }
    await #expect(
      throws: NatterError(.refused, "error.discover.noInvitation", ["text": "not for you"])
    ) { _ = try await guide.makeInvitation(.account) }
    #expect(try await guide.invitations() == [])
  }

  @Test func `a server without commands makes none, and offline nothing is asked`() async throws {
    let guide = await guide { _ in throw StanzaError(.cancel, .serviceUnavailable) }
    #expect(try await guide.invitationKinds() == [])
    await guide.sessionEnded()
    await #expect(throws: NatterError(.offline, "error.offline")) {
      try await guide.refreshParts()
    }
    #expect(try await guide.parts() == ServerParts())
  }
}
