import XMPP

/// The node in the own account where its clients keep how far they have read (XEP-0490), as servers treat it.
actor ReadPositionNode {
  /// Whether this session's server keeps such things.
  private(set) var isUsable = true
  private var isThere = false

  /// All that is kept there.
  /// - Throws: `ChannelError`, and `StanzaError` where nothing can be kept.
  func fetch(over channel: any StanzaChannel) async throws -> [XEP0490Displayed] {
    do {
      let answer = try await channel.request(XEP0490Displayed.query)
      isThere = true
      return XEP0490Displayed.positions(inAnswer: answer)
    } catch let error as StanzaError where error.condition == .itemNotFound {
      // Nobody has published anything yet.
      return []
    } catch let error as StanzaError {
      isUsable = false
      throw error
    }
  }

  /// Publishes one position; makes the node, or closes it to others, where that is needed first.
  /// - Throws: `ChannelError`, and `StanzaError` when the server refuses.
  func publish(_ position: XEP0490Displayed, over channel: any StanzaChannel) async throws {
    if !isThere {
      do {
        _ = try await channel.request(XEP0490Displayed.creation)
      } catch let error as StanzaError where error.condition == .conflict {
        // Another client was faster.
      }
      isThere = true
    }
    do {
      _ = try await channel.request(position.publication)
    } catch let error as StanzaError where error.condition == .conflict {
      // It is there and others may read it.
      _ = try await channel.request(XEP0490Displayed.reconfiguration)
      _ = try await channel.request(position.publication)
    }
  }
}
