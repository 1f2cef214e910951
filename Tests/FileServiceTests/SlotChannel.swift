import NatterCore
import TestSupport
import XML
import XMPP

/// A connection to a server with one upload service, which may be dead, silent, or as slow as a
/// test wants.
actor SlotChannel: StanzaChannel {
  /// The answers to a request for a slot.
  enum Answer: Sendable {
    case slot(XEP0363Slot)
    /// There is no connection.
    case dead
    /// The time limit is over without an answer.
    case silence
    /// Nothing comes before the question is given up.
    case nothing
  }

  private let answer: @Sendable (_ name: String) -> Answer
  /// The parts of the server, in its order, and which of them never say what they are.
  private let parts: [String]
  private let mute: Set<String>
  /// The names of the files that slots were asked for, in order.
  let asked = Observed<[String]>([])

  init(
    parts: [String] = ["upload.natter.test"], mute: Set<String> = [],
    _ answer: @escaping @Sendable (_ name: String) -> Answer
  ) {
    self.parts = parts
    self.mute = mute
    self.answer = answer
  }

  func send(_ stanza: Element) {}

  func request(_ iq: Element, timeout: Duration) async throws -> Element {
    var result = Element("iq", Namespace.client, ["type": "result"])
    guard let payload = iq.elements.first else { return result }
    switch (payload.name, payload.namespace, iq["to"] ?? "") {
    case ("query", Namespace.discoInfo, let part) where mute.contains(part):
      throw ChannelError.timedOut
    case ("query", Namespace.discoInfo, "upload.natter.test"):
      result.append(XEP0030Discovery(features: [XEP0363Slot.namespace]).element())
    case ("query", Namespace.discoInfo, _): result.append(XEP0030Discovery().element())
    case ("query", Namespace.discoItems, _):
      result.append(
        Element(
          "query", Namespace.discoItems, [:],
          parts.map { Element("item", Namespace.discoItems, ["jid": $0]) }))
    case ("request", _, _):
      let name = payload["filename"] ?? ""
      asked.update { $0.append(name) }
      switch answer(name) {
      case .slot(let slot): result.append(slot.element)
      case .dead: throw ChannelError.notConnected
      case .silence: throw ChannelError.timedOut
      case .nothing:
        let (never, end) = AsyncStream<Void>.makeStream()
        // Ends with the task alone.
        for await _ in never {}
        withExtendedLifetime(end) {}
        throw CancellationError()
      }
    default: break
    }
    return result
  }
}
