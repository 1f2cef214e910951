import XMPP

/// A connection that keeps what is sent and answers requests as the test says.
package actor RecordingChannel: StanzaChannel {
  package private(set) var sent: [Element] = []
  package private(set) var requests: [Element] = []
  private let answer: @Sendable (Element) throws -> Element
  private var isBroken = false

  /// - Parameter answer: the answer to each request; by default an empty result.
  package init(
    answer: @escaping @Sendable (Element) throws -> Element = { _ in
      Element("iq", Namespace.client, ["type": "result"])
    }
  ) {
    self.answer = answer
  }

  /// From now on every call fails, as on a dead connection.
  package func breakDown() { isBroken = true }

  package func send(_ stanza: Element) throws {
    if isBroken { throw ChannelError.notConnected }
    sent.append(stanza)
  }

  package func request(_ iq: Element, timeout: Duration) throws -> Element {
    if isBroken { throw ChannelError.notConnected }
    requests.append(iq)
    return try answer(iq)
  }
}
