import FoundationEssentials
import NatterCore
import XMPP

/// A moment as text, in the user's zone and language.
package struct ExportMoment: Hashable, Sendable {
  /// The calendar day, as a number that differs between days.
  package let day: Int
  /// The day as a heading: `Saturday 28 November 2026`.
  package let title: String
  /// The time of day: `21:04`.
  package let time: String

  package init(day: Int, title: String, time: String) {
    self.day = day
    self.title = title
    self.time = time
  }
}

/// The fixed texts of a page.
package enum ExportLabel: Hashable, Sendable {
  /// The heading of the page, with the account.
  case title(String)
  /// When the page was made.
  case exported(ExportMoment)
  /// The heading of the list of conversations.
  case conversations
  /// Messages are missing here.
  case gap
  /// The message has another text than at first.
  case edited
  /// The message was not accepted by the server yet.
  case queued
  /// The message failed, with the reason; untrusted.
  case failed(String)
}

/// Makes the lines of an export to read.
package protocol ExportLines: Sendable {
  /// Returns time, name and text in lines that are safe for a terminal, the second and later ones
  /// indented.
  func lines(of message: Message) -> String
  /// Returns the line above the messages of a conversation, safe for a terminal.
  func heading(of conversation: ExportedConversation) -> String
  /// Returns the line for messages that are missing.
  var gap: String { get }
}

/// Makes the texts of a page. All of them are untrusted, and escaped by the page.
package protocol ExportWording: Sendable {
  /// The language tag of the texts (BCP 47).
  var language: String { get }
  /// Returns a fixed text.
  func label(_ label: ExportLabel) -> String
  /// Returns a moment as text.
  func moment(_ date: Date) -> ExportMoment
  /// Returns the name of a message's sender.
  func speaker(of message: Message) -> String
  /// Returns the name of another address in a conversation, such as that of a reaction's sender.
  func name(of sender: JID, in conversation: JID) -> String
  /// Returns the text of a message, or a description of one without text.
  func text(of message: Message) -> String
  /// Returns kind, size and dimensions of a file; empty if none is known.
  func facts(of file: SharedFile) -> String
  /// Returns the ranges of the addresses in a text.
  func links(in text: Substring) -> [Range<String.Index>]
}
