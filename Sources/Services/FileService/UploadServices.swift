import XML
import XMPP

/// Finds the upload service of an account's server (XEP-0363 §3).
struct UploadServices: Sendable {
  let domain: JID

  /// The timeout of a query to one component.
  private static let limit = Duration.seconds(10)

  /// The answer of a component to service discovery.
  fileprivate enum Answer: Sendable {
    case service(XEP0363Service)
    /// The component does not accept uploads.
    case other
    case silence
  }

  /// Queries all components at once, so that a silent one delays the result by the timeout at most.
  /// - Returns: the first that accepts uploads; `nil` where the server has none.
  /// - Throws: `ChannelError` when there is no connection, or a possible service does not answer.
  func find(over channel: any StanzaChannel) async throws -> XEP0363Service? {
    let own = try await answer(domain, channel)
    if case .service(let service) = own { return service }
    let items: [XEP0030Item]
    do {
      let answer = try await channel.request(
        XEP0030Item.question(to: domain), timeout: Self.limit)
      items = XEP0030Item.items(answer: answer)
    } catch is StanzaError {
      items = []  // A server that lists nothing offers nothing.
    }
    let parts = items.prefix(30).filter { $0.node == nil && $0.jid.local == nil }.map(\.jid)
    return try await first(of: parts, over: channel, isSilent: own.isSilence)
  }

  private func first(
    of parts: [JID], over channel: any StanzaChannel, isSilent: Bool
  ) async throws -> XEP0363Service? {
    try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
      for (address, part) in parts.enumerated() {
        group.addTask { (address, try await answer(part, channel)) }
      }
      defer { group.cancelAll() }
      var answers = [Answer?](repeating: nil, count: parts.count)
      while let (address, answer) = try await group.next() {
        answers[address] = answer
        // The first in the list, not the fastest: the next session then uses the same service.
        let known = answers.prefix { $0 != nil }
        for case .service(let service)? in known { return service }
      }
      for case .service(let service)? in answers { return service }
      if isSilent || answers.contains(where: { $0?.isSilence ?? true }) {
        throw ChannelError.timedOut
      }
      return nil
    }
  }

  private func answer(_ jid: JID, _ channel: any StanzaChannel) async throws -> Answer {
    do {
      let answer = try await channel.request(
        XEP0030Discovery.question(to: jid), timeout: Self.limit)
      let service = XEP0030Discovery(answer: answer).flatMap { XEP0363Service(jid: jid, $0) }
      return service.map { .service($0) } ?? .other
    } catch is StanzaError {
      return .other  // A component that refuses service discovery is not an upload service.
    } catch ChannelError.timedOut {
      return .silence
    }
  }
}

extension UploadServices.Answer {
  fileprivate var isSilence: Bool {
    if case .silence = self { true } else { false }
  }
}
