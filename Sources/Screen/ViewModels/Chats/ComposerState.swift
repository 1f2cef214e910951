import NatterCore
import XMPP

/// The input of all conversations, shared by the inputs of a split screen: a draft follows its
/// conversation.
package final class ComposerState {
  var drafts: [JID: String] = [:]
  /// Conversations whose draft could not be saved: it is in memory only.
  var unsaved: Set<JID> = []
  var history: [JID?: [String]] = [:]
  /// The conversations whose input corrects a message or replies to one.
  var aims: [JID: ComposeMode] = [:]
  /// The input that a command chosen elsewhere has replaced; it is restored after the command.
  var setAside: [JID?: String] = [:]
  /// Large pastes that wait for confirmation.
  var pastes: [JID?: PendingPaste] = [:]
  /// Conversations whose waiting paste differs from the one saved with their draft.
  var changedPastes: Set<JID> = []
  /// The content of inputs that are being replaced: the next input that shows the conversation
  /// (`nil`: none) continues with it.
  var held: [JID?: Held] = [:]

  /// The numbers of the conversations, for a shell that replaces another: each key must keep its
  /// conversation.
  var numbers: [JID: Int] = [:]
  /// The numbers of the feeds, likewise.
  var feedNumbers: [Feed.ID: Int] = [:]

  /// Returns whether Up in an empty input edits the user's last message.
  package var editsOnUp: () -> Bool = { false }

  /// The text of an input, and its cursor.
  struct Held {
    let text: String
    let cursor: Int
  }

  package init() {}
}
