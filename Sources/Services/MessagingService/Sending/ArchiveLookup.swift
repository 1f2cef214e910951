import FoundationEssentials
import NatterCore
import XMPP

/// The search for a message in an archive before it is written again.
struct ArchiveLookup: Hashable {
  let peer: JID
  /// The time since when the archive may have it.
  let since: Date

  /// Returns the look-ups that `waiting` need, by origin-id: of messages that an earlier session
  /// may have sent, and of those that were refused, whose copies in an archive prove nothing.
  /// - Parameters:
  ///   - attempts: when messages were first written, by origin-id.
  ///   - missed: the messages that were looked for in this session, by origin-id.
  static func needed(
    for waiting: [Message], attempts: [String: Date], refusals: [String: RefusedCopies],
    missed: Set<String>
  ) -> [String: ArchiveLookup] {
    var lookups: [String: ArchiveLookup] = [:]
    for message in waiting {
      guard let id = message.originID, !missed.contains(id) else { continue }
      if refusals[id]?.isOpen == true {
        lookups[id] = ArchiveLookup(peer: message.conversation, since: message.sentAt)
      } else if let attempt = attempts[id] {
        lookups[id] = ArchiveLookup(peer: message.conversation, since: attempt)
      }
    }
    return lookups
  }
}
