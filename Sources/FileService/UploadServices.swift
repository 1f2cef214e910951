import XMPP

/// Finds the service of an account's server that takes files (XEP-0363 §3).
struct UploadServices: Sendable {
  let domain: JID

  /// How long a part of the server may take to say what it is.
  private static let limit = Duration.seconds(10)

  /// What a part of the server says of itself.
  fileprivate enum Answer: Sendable {
    case service(XEP0363Service)
    /// It takes no files.
    case other
    case silence
  }

  /// All parts are asked at once: one that keeps silent holds nobody up for longer than the limit.
  /// - Returns: the first that takes files; `nil` where the server has none.
  /// - Throws: `ChannelError` when there is no connection, or no answer from where the service may be.
  func find(over channel: any StanzaChannel) async throws -> XEP0363Service? {
    let own = try await answer(domain, channel)
    if case .service(let service) = own { return service }
    let items: [XEP0030Item]
    do {
      let answer = try await channel.request(
        query(Namespace.discoItems, to: domain), timeout: Self.limit)
      items = answer.first("query", Namespace.discoItems).map { XEP0030Item.items(in: $0) } ?? []
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
      for (place, part) in parts.enumerated() {
        group.addTask { (place, try await answer(part, channel)) }
      }
      defer { group.cancelAll() }
      var answers = [Answer?](repeating: nil, count: parts.count)
      while let (place, answer) = try await group.next() {
        answers[place] = answer
        // Whichever is first in the list, whoever is quicker: the next session uses the same one.
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
        query(Namespace.discoInfo, to: jid), timeout: Self.limit)
      let service = answer.first("query", Namespace.discoInfo)
        .flatMap { XEP0030Discovery($0) }.flatMap { XEP0363Service(jid: jid, $0) }
      return service.map { .service($0) } ?? .other
    } catch is StanzaError {
      return .other  // It says nothing of itself: it is not what is looked for.
    } catch ChannelError.timedOut {
      return .silence
    }
  }

  private func query(_ namespace: String, to jid: JID) -> Element {
    Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", namespace)])
  }
}

extension UploadServices.Answer {
  fileprivate var isSilence: Bool {
    if case .silence = self { true } else { false }
  }
}
