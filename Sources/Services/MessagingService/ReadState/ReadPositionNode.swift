import XMPP

/// The node of the account where its clients store their read positions (XEP-0490), with the
/// differences between servers.
actor ReadPositionNode {
  /// `true` if this session's server can store them.
  private(set) var isUsable = true
  private var isThere = false

  /// Returns all stored positions.
  /// - Throws: `ChannelError`, and `StanzaError` where nothing can be stored, or the list is too
  ///   large to be read.
  func fetch(over channel: any StanzaChannel) async throws -> [XEP0490Displayed] {
    do {
      let answer = try await channel.request(XEP0490Displayed.query)
      isThere = true
      return XEP0490Displayed.positions(inAnswer: answer)
    } catch let error as StanzaError where error.condition == .itemNotFound {
      // No client has published anything yet.
      return []
    } catch let error as StanzaError {
      // A list that is too large to be read is there, and takes positions.
      isThere = error == .answerTooLarge
      isUsable = isThere
      throw error
    }
  }

  /// Publishes one position; creates the node, or closes it to others, where that is needed first.
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
      // The node exists, and is readable by others.
      _ = try await channel.request(XEP0490Displayed.reconfiguration)
      _ = try await channel.request(position.publication)
    }
  }
}
