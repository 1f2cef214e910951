import FoundationEssentials
import NatterCore
import Text

/// One entry of the message list, its text final.
nonisolated package struct TimelineItem: Identifiable, Hashable, Sendable {
  /// The subject of an entry, stable while the list changes around it.
  package enum ID: Hashable, Sendable {
    case message(Message.ID)
    /// The separator above a day's first message.
    case day(Int)
    /// The separator above the first unseen message.
    case new
    /// The line where messages are missing, by the time of the last known message before it.
    case hole(Date)
    /// A notice of Natter's own at the top of the list.
    case notice
    /// An incident in a room, by its number.
    case incident(Int)
    /// A file transfer in progress, after the messages.
    case transfer(FileTransfer.ID)
    /// The state of a room that the user is not in, at the end of the list.
    case absence
    /// The warning that a reply to an encrypted message is not encrypted, at the end of the list.
    case unencrypted
  }
  /// The kind of an entry, which decides its layout.
  package enum ItemKind: Hashable, Sendable { case message, action, day, new, hole, notice }
  /// The delivery state of the user's own message.
  package enum Tick: Hashable, Sendable { case none, queued, sent, delivered, read, failed }
  /// Lines below the text of a message.
  package struct Below: Hashable, Sendable {
    /// The note that the body is shortened, and which key shows all of it; empty if the body is
    /// complete.
    package var more = ""
    /// The notes of scripts.
    package var notes: [String] = []
  }

  package let id: ID
  package let kind: ItemKind
  /// Empty if the item above has the same sender, within five minutes.
  package var time = ""
  /// The sender's short name; empty if the item above has the same sender, within five minutes.
  package var sender = ""
  /// The sender's short name on every item, for output without columns.
  package var author = ""
  package var isOwn = false
  /// The hue of the sender's name, in degrees (XEP-0392).
  package var hue = 0.0
  package var body = ""
  /// The body in parts of one style each; empty if all of it is plain.
  package var spans: [MarkupSpan] = []
  /// The message that it replies to, in a line: sender and text; empty if it is not a reply.
  package var quote = ""
  /// The notes after the text: that it was corrected, and its thread; empty if there are none.
  package var note = ""
  /// The reactions in a line; empty if there are none.
  package var reactions = ""
  /// The reactions with their senders, for when the message is selected.
  package var reactors = ""
  /// True if it was retracted; the body says so.
  package var isDeleted = false
  /// True if it mentions the user.
  package var isMention = false
  package var tick = Tick.none
  package var tickText = ""
  /// True if it is the search hit.
  package var isMarked = false
  /// True if it is selected for an action.
  package var isSelected = false
  /// The number of columns that its preformatted lines are scrolled to the left.
  package var codeOffset = 0
  /// The lines below the text.
  package var below = Below()
  /// The reason why it was not sent: a line below the text.
  package var failure: String?
  /// The picture that the message offers, if it is stored on this machine.
  package var picture: PictureFile?
}
