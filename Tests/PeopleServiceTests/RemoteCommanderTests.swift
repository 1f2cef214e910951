import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService

/// Commands of others, step by step (XEP-0050).
@Suite struct RemoteCommanderTests {
  private struct Nobody: ResourceReading {
    var there: [String] = []
    func resources(of jid: JID) -> [ResourcePresence] {
      there.map { ResourcePresence(resource: $0) }
    }
  }

  private let server = JID(local: nil, domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")

  private func reply(_ attributes: Attributes, _ children: Element...) -> Element {
    Element(
      "iq", Namespace.client, ["type": "result"],
      [Element("command", XEP0050.namespace, attributes, children)])
  }

  private func commander(
    _ presence: Nobody = Nobody(), _ answer: @escaping @Sendable (Element) throws -> Element
  ) async -> (RemoteCommander, RecordingChannel) {
    let channel = RecordingChannel(answer: answer)
    let commander = RemoteCommander(presence: presence)
    await commander.channelOpened(channel)
    return (commander, channel)
  }

  private static let form = XEP0004DataForm(
    .form, instructions: ["Say."],
    fields: [
      .init("ticket", kind: .hidden, values: ["t1"]), .init(nil, kind: .fixed, values: ["hi"]),
      .init("name", label: "Name", isRequired: true),
      .init("kind", kind: .listSingle, values: ["a"], options: [.init(label: "A", value: "a")]),
    ])

  @Test func `a command goes through its steps, hidden fields and the run's name with it`()
    async throws
  {
    let steps = Mutex(0)
    let (commander, channel) = await commander { [self] _ in
      let step = steps.withLock {
        $0 += 1
        return $0
      }
      let space = XEP0050.namespace
      if step == 1 {
        return reply(
          ["sessionid": "s1", "status": "executing"],
          Element("actions", space, [:], [Element("next", space)]), Self.form.element)
      }
      if step == 2 {
        return reply(
          ["sessionid": "s1", "status": "executing"],
          Element(
            "actions", space, ["execute": "complete"],
            [Element("prev", space), Element("complete", space)]))
      }
      return reply(
        ["sessionid": "s1", "status": "completed"],
        Element("note", space, ["type": "info"], text: "Thanks"))
    }
    let command = RemoteCommand(jid: server, node: "survey", name: "Survey")
    let first = try await commander.begin(command)
    #expect(first.isOpen && first.steps == [.next] && first.preferred == .next)
    #expect(first.form?.fields.map(\.label) == ["hi", "Name", "kind"])
    let second = try await commander.go(.next, from: first, answers: ["name": ["Alice"]])
    #expect(second.steps == [.previous, .complete] && second.preferred == .complete)
    #expect(second.form == nil)
    let last = try await commander.go(.complete, from: second, answers: [:])
    #expect(!last.isOpen && last.notes == ["Thanks"])
    let sent = await channel.requests.compactMap { $0.first("command", XEP0050.namespace) }
    #expect(sent.map { $0["action"] } == ["execute", "next", "complete"])
    #expect(sent.map { $0["sessionid"] } == [nil, "s1", "s1"])
    let answered = try #require(
      sent[1].first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) })
    #expect(answered.kind == .submit)
    #expect(answered.fields.map(\.name) == ["ticket", "name", "kind"])
    #expect(answered["name"]?.values == ["Alice"] && answered["ticket"]?.values == ["t1"])
  }

  @Test func `each of a contact's programs is asked, and one that refuses keeps back none`()
    async throws
  {
    let (commander, _) = await commander(Nobody(there: ["phone", "bot"])) { iq in
      guard iq["to"] == "bob@example.org/bot" else { throw StanzaError(.cancel, .itemNotFound) }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "query", Namespace.discoItems, [:],
            [
              Element(
                "item", Namespace.discoItems,
                ["jid": "bob@example.org/bot", "node": "tea", "name": "Tea"]),
              Element("item", Namespace.discoItems, ["jid": "no address@"]),
            ])
        ])
    }
    #expect(
      try await commander.commands(of: bob).map(\.id) == ["bob@example.org/bot tea"])
  }

  @Test func `a table that was found is read with its heads`() {
    let space = Namespace.dataForms
    func field(_ name: String, _ value: String) -> Element {
      Element("field", space, ["var": name], [Element("value", space, text: value)])
    }
    let result = Element(
      "x", space, ["type": "result"],
      [
        Element(
          "reported", space, [:], [Element("field", space, ["var": "host", "label": "Host"])]),
        Element("item", space, [:], [field("host", "a.example")]),
        Element("item", space, [:], [field("host", "b.example")]),
      ])
    let form = XEP0004DataForm(result).map { DataForm($0) }
    #expect(form?.fields.map(\.label) == ["Host", "Host"])
    #expect(form?.fields.flatMap(\.values) == ["a.example", "b.example"])
  }

  @Test func `refusals, invalid answers and no connection are reported`() async throws {
    let command = RemoteCommand(jid: server, node: "x", name: "x")
    let (refused, _) = await commander { _ in throw StanzaError(.auth, .forbidden) }
    await #expect(throws: NatterError(.refused, "stanza.forbidden", ["text": ""])) {
      _ = try await refused.begin(command)
    }
    await #expect(throws: NatterError.self) { _ = try await refused.commands(of: server) }
    let (strange, _) = await commander { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
    await #expect(throws: NatterError(.unexpected, "error.noAnswer")) {
      _ = try await strange.begin(command)
    }
    await #expect(throws: NatterError(.offline, "error.offline")) {
      _ = try await RemoteCommander(presence: Nobody()).begin(command)
    }
  }
}
