import NatterCore
import Text
import XMPP

/// The attempt to mark several conversations as read: one that cannot be stored keeps back none of
/// the others.
package struct ReadAll {
  /// The conversations as they are now.
  package private(set) var read: [Conversation] = []
  /// Those that are still unread.
  private var failed: [JID] = []
  private var failure: NatterError?

  /// The most names of conversations in the notice.
  private static let most = 5

  package init(_ unread: [JID], _ reading: any ConversationReading) async {
    for jid in unread {
      do {
        if let conversation = try await reading.markRead(jid) { read.append(conversation) }
      } catch {
        failed.append(jid)
        failure = failure ?? NatterError(reporting: error, key: "error.unexpected")
      }
    }
  }

  /// Returns the result, with the names of conversations that are still unread.
  package func notice(_ localizer: Localizer, name: (JID) -> String) -> StatusNotice {
    guard let failure else { return StatusNotice(.info, "status.allRead") }
    let names = failed.prefix(Self.most).map(name)
    let rest = failed.count - names.count
    let list = localizer.list(names) + (rest > 0 ? " +\(rest)" : "")
    return StatusNotice(
      .error, "status.notAllRead", ["names": list, "reason": localizer(failure)])
  }
}
