import FoundationEssentials
import NatterCore

/// One entry of the message list, its text final.
nonisolated package struct TimelineItem: Identifiable, Hashable, Sendable {
  package enum ID: Hashable, Sendable {
    case message(Message.ID)
    /// The line above a day's first message.
    case day(Int)
    /// The line above the first unseen message.
    case new
    /// The line where messages are missing, by the time of the last known one before it.
    case hole(Date)
    /// A sentence of Natter's own at the top of the list.
    case notice
    /// Something that happened in a room, by its number.
    case incident(Int)
    /// A file on its way, after the messages.
    case transfer(FileTransfer.ID)
    /// How the person stands with a room that he is not in, at the end of the list.
    case standing
    /// That the answer to an encrypted message is not encrypted, at the end of the list.
    case unencrypted
  }
  package enum Kind: Hashable, Sendable { case message, action, day, new, hole, notice }
  package enum Tick: Hashable, Sendable { case none, queued, sent, delivered, read, failed }

  package let id: ID
  package let kind: Kind
  /// Empty where the item above is the same person's within five minutes.
  package var time = ""
  /// Who wrote it, short; empty where the item above is the same person's within five minutes.
  package var sender = ""
  /// The same where the item above is the same person's, too: for whoever has no column to look up in.
  package var author = ""
  package var isOwn = false
  /// The hue of the sender's name, in degrees (XEP-0392).
  package var hue = 0.0
  package var body = ""
  /// The body in parts that look the same throughout; empty where all of it is plain.
  package var spans: [MarkupSpan] = []
  /// What it answers, in a line: who said it and what; empty: nothing.
  package var quote = ""
  /// That something else was said before; empty: it was not.
  package var edited = ""
  /// What people feel about it, in a line; empty: nothing is known of that.
  package var reactions = ""
  /// The same with who feels so, for when it is chosen.
  package var reactors = ""
  /// Whether it was taken back, and the body tells that.
  package var isDeleted = false
  /// Whether it speaks to the person by name.
  package var isMention = false
  package var tick = Tick.none
  package var tickText = ""
  /// Whether it is what was looked for.
  package var isMarked = false
  /// Whether it is chosen, to do something with it.
  package var isSelected = false
  /// How many columns of its preformatted lines are scrolled away to the left.
  package var codeOffset = 0
  /// That the body is the beginning of a longer text, and what shows all of it: a line below the text; empty: it is all.
  package var more = ""
  /// Why it was not sent: a line below the text.
  package var failure: String?
  /// The picture that the message offers, where it is on this disk.
  package var picture: PictureFile?
}
