import XMPP

/// Finds the service of an account's server that takes files (XEP-0363 §3).
struct UploadServices: Sendable {
  let domain: JID

  /// - Returns: `nil` where the server has none.
  /// - Throws: `ChannelError` when there is no connection, or no answer.
  func find(over channel: any StanzaChannel) async throws -> XEP0363Service? {
    if let own = try await service(domain, channel) { return own }
    let answer: Element
    do {
      answer = try await channel.request(query(Namespace.discoItems, to: domain))
    } catch is StanzaError {
      return nil  // A server that lists nothing offers nothing.
    }
    let items = answer.first("query", Namespace.discoItems).map { XEP0030Item.items(in: $0) } ?? []
    for item in items.prefix(30) where item.node == nil && item.jid.local == nil {
      if let service = try await service(item.jid, channel) { return service }
    }
    return nil
  }

  private func service(_ jid: JID, _ channel: any StanzaChannel) async throws -> XEP0363Service? {
    do {
      let answer = try await channel.request(query(Namespace.discoInfo, to: jid))
      return answer.first("query", Namespace.discoInfo)
        .flatMap { XEP0030Discovery($0) }.flatMap { XEP0363Service(jid: jid, $0) }
    } catch is StanzaError {
      return nil  // It says nothing of itself: it is not what is looked for.
    }
  }

  private func query(_ namespace: String, to jid: JID) -> Element {
    Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", namespace)])
  }
}
