import XML
import XMPP

/// A connection that keeps what is sent and answers requests as the test says.
package actor RecordingChannel: StanzaChannel {
  package private(set) var sent: [Element] = []
  package private(set) var requests: [Element] = []
  private let answer: @Sendable (Element) throws -> Element
  private var isBroken = false
  /// The number of stanzas that are sent before it breaks; `nil`: it does not break by itself.
  private var sendsLeft: Int?

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
  /// The same once `count` more stanzas were sent.
  package func breakDown(after count: Int) { sendsLeft = count }

  /// The connection is established again.
  package func recover() { (isBroken, sendsLeft) = (false, nil) }

  package func send(_ stanza: Element) throws {
    if sendsLeft == 0 { isBroken = true }
    if isBroken { throw ChannelError.notConnected }
    sendsLeft = sendsLeft.map { $0 - 1 }
    sent.append(stanza)
  }

  package func request(_ iq: Element, timeout: Duration) throws -> Element {
    if isBroken { throw ChannelError.notConnected }
    requests.append(iq)
    return try answer(iq)
  }
}
