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

extension HeldChannel {
  /// Returns a channel that holds the answers to reads back; other requests are accepted at once.
  /// - Parameters:
  ///   - first: the answer to the first read.
  ///   - later: the answer to those after it.
  package static func reads(first: Element, then later: Element) -> HeldChannel {
    let reads = Observed(0)
    return HeldChannel(holding: { $0["type"] == "get" }) { iq in
      guard iq["type"] == "get" else { return Element("iq", Namespace.client, ["type": "result"]) }
      reads.update { $0 += 1 }
      return reads.value == 1 ? first : later
    }
  }

  /// Does `meanwhile` while a request of `work` waits for its answer.
  /// - Returns: the result of `work`, which then has its answers.
  package nonisolated func holds<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result, meanwhile: () async throws -> Void
  ) async throws -> Result {
    let working = Task { try await work() }
    await waitsForRequest()
    try await meanwhile()
    await release()
    return try await working.value
  }
}
