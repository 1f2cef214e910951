import NatterCore
import XMPP

/// What was typed in all conversations: shared by the inputs of a split screen, so that a draft follows its conversation.
package final class ComposerState {
  var drafts: [JID: String] = [:]
  /// Conversations whose draft could not be saved: it is in memory only.
  var unsaved: Set<JID> = []
  var history: [JID?: [String]] = [:]
  /// What is being typed is for, where it is no message of its own.
  var aims: [JID: ComposeMode] = [:]
  /// What was typed where a command that was chosen elsewhere stands now: it comes back after that.
  var setAside: [JID?: String] = [:]
  /// Large pastes that wait for an answer.
  var pastes: [JID?: PendingPaste] = [:]
  /// Conversations whose waiting paste is another one than was saved with their draft.
  var changedPastes: Set<JID> = []
  /// What stands in inputs that give way to others: the next one that shows the conversation (`nil`: none) goes on with it.
  var held: [JID?: Held] = [:]

  /// The numbers of the conversations, for a shell that takes the place of another: the same key has to lead to the same one.
  var numbers: [JID: Int] = [:]
  /// The same of the feeds.
  var feedNumbers: [Feed.ID: Int] = [:]

  /// What stands in an input, and where somebody is in it.
  struct Held {
    let text: String
    let cursor: Int
  }

  package init() {}
}
