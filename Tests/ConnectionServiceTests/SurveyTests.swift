import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import ConnectionService

@Suite(.timeLimit(.minutes(6))) struct SurveyTests {
  /// The parts of a server that answer once all of them have been asked.
  private actor Parts {
    private let names: Set<String>
    private var asked: Set<String> = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ names: Set<String>) { self.names = names }

    func ask(_ name: String) async {
      guard names.contains(name) else { return }
      asked.insert(name)
      if asked == names {
        for waiter in waiting { waiter.resume() }
      } else {
        await withCheckedContinuation { waiting.append($0) }
      }
    }
  }

  private static let features = [
    "rooms.example.org": XEP0045.namespace, "upload.example.org": XEP0363Slot.namespace,
    "push.example.org": "urn:xmpp:push:0",
  ]

  private static func answer(to iq: Element) -> Element {
    let entity = iq["to"] ?? ""
    var query = Element("query", Namespace.discoInfo)
    if iq.first("query", Namespace.discoItems) != nil {
      query = Element("query", Namespace.discoItems)
      for name in features.keys {
        query.append(Element("item", Namespace.discoItems, ["jid": name]))
      }
    } else if let feature = features[entity] {
      query.append(Element("feature", Namespace.discoInfo, ["var": feature]))
    }
    return Element("iq", Namespace.client, ["type": "result"], [query])
  }

  @Test func `the parts of a server are asked all at once`() async {
    let parts = Parts(Set(Self.features.keys))
    let stream = FakeStream(batches: []) { iq in
      await parts.ask(iq["to"] ?? "")
      return Self.answer(to: iq)
    }
    let found = await StreamConnector.features(
      of: JID(local: "alice", domain: "example.org"), over: stream)
    #expect(found == [.streamManagement, .rooms, .uploads, .push])
  }
}
