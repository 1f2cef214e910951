import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The newest messages of each contact (flows.md, "Data sync"): the account's own newest page may
/// be all of one talkative contact, and what others said before would stay unseen.
extension ArchiveSynchronizer: ConversationDescribing {
  /// Enough to show the latest messages; the rest is loaded when it is opened.
  private static let newestSize = 20

  /// Reads the newest page of an unknown conversation with a contact; once for each.
  /// - Throws: `ChannelError.notConnected` when it could not be asked; what the database says.
  package func describe(_ conversation: ListedConversation, over channel: any StanzaChannel)
    async throws
  {
    let peer = conversation.jid.bare
    guard conversation.kind == .direct, peer != account else { return }
    // The rest of it is for another time, when what is missing has been read.
    if open[account]?.isBehind == true { throw ChannelError.notConnected }
    try await fetchNewest(of: peer)
  }

  /// Reads the newest page of what was said with `peer`, where nothing is known of it.
  /// - Throws: as `describe` does.
  func fetchNewest(of peer: JID) async throws {
    // One at a time: a conversation that the user opens does not wait behind hundreds.
    try await describing.serialized(account) {
      guard !Task.isCancelled, isReadToItsEnd, silentConnection != connections,
        try await isUnknown(peer), !fetching.contains(peer)
      else { return }
      let connection = connections
      if try await fetchOlder(in: peer, limit: Self.newestSize) == .offline {
        silentConnection = connection
        throw ChannelError.notConnected
      }
    }
  }

  /// Whether everything new was read: a page requested before that would be taken for old.
  var isReadToItsEnd: Bool {
    hasStarted && !unreadable.contains(account) && open[account]?.isBehind == false
  }

  /// Whether nothing is known of what was said with `peer`, though there may be something.
  private func isUnknown(_ peer: JID) async throws -> Bool {
    guard try await store.ranges(of: account, with: peer).isEmpty,
      try await store.newestReceived(
        in: peer, between: [(after: .distantPast, before: .distantFuture)]
      ).allSatisfy({ $0 == nil })
    else { return false }
    return try await past(of: account, with: peer) != nil
  }
}
