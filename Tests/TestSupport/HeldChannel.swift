import XML
import XMPP

/// A connection whose answers are held back until the test releases them: what happens meanwhile
/// comes between a request and its answer.
package actor HeldChannel: StanzaChannel {
  private let holds: @Sendable (Element) -> Bool
  private let answer: @Sendable (Element) throws -> Element
  private let (asked, ask) = AsyncStream<Void>.makeStream()
  private let (gate, open) = AsyncStream<Void>.makeStream()

  /// - Parameters:
  ///   - holds: whether the answer to a request is held back; by default each is.
  ///   - answer: the answer to a request.
  package init(
    holding holds: @escaping @Sendable (Element) -> Bool = { _ in true },
    answer: @escaping @Sendable (Element) throws -> Element
  ) {
    self.holds = holds
    self.answer = answer
  }

  package init(answer: Element) { self.init { _ in answer } }

  package func send(_ stanza: Element) {}

  package func request(_ iq: Element, timeout: Duration) async throws -> Element {
    if holds(iq) {
      ask.finish()
      for await _ in gate {}
    }
    return try answer(iq)
  }

  /// Returns once a request waits for its answer.
  package func waitsForRequest() async { for await _ in asked {} }

  /// Lets all requests have their answers.
  package func release() { open.finish() }
}
