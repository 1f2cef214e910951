import XMPP

extension Message {
  /// A reference to the message that another one replies to (XEP-0461).
  package struct Reply: Hashable, Sendable {
    /// The id that its sender or its room assigned.
    package let id: String
    /// The author; `nil` if not known.
    package let author: JID?
    /// The text, as far as it is known here; untrusted.
    package let text: String

    package init(id: String, author: JID?, text: String) {
      self.id = id
      self.author = author
      self.text = text
    }

    /// A reply to `message`; `nil` if no id would identify the message to others.
    ///
    /// In a room, the author's address is included only if it is an address of the room: other
    /// occupants may not know the real one.
    package init?(to message: Message, inRoom isRoom: Bool) {
      guard let id = message.replyID(inRoom: isRoom) else { return nil }
      let author = isRoom ? message.sender : message.sender.bare
      let isKnown = !isRoom || author.bare == message.conversation
      self.init(id: id, author: isKnown ? author : nil, text: Self.shortened(message.body))
    }

    /// Returns the part of a text that is quoted.
    package static func shortened(_ text: String) -> String {
      guard let end = text.index(text.startIndex, offsetBy: 400, limitedBy: text.endIndex),
        end < text.endIndex
      else { return text }
      return text[..<end] + "…"
    }
  }

  /// The thread that a message belongs to (XEP-0201). Its sender chose the ids: they are never
  /// shown as they are.
  package typealias Thread = XEP0201Thread

  /// The message and the thread that a message refers to, and the program that sent it.
  struct References: Hashable, Sendable {
    var reply: Reply?
    var thread: Thread?
    var sentBy: String?
  }

  /// The correction that replaced the original text of a message (XEP-0308).
  package struct Edit: Hashable, Sendable {
    /// The sender's id of the last correction.
    package let originID: String?

    package init(originID: String?) { self.originID = originID }
  }

  /// The id by which replies name it; `nil` if no id would identify it to others.
  package func replyID(inRoom isRoom: Bool) -> String? {
    isRoom ? stanzaID ?? originID : originID
  }

  /// Indicates whether it had another text before.
  package var isEdited: Bool { edit != nil || replaces != nil }
}

/// The thread that a new message of the user belongs to (XEP-0201).
package enum ThreadChoice: Hashable, Sendable {
  /// The thread of the newest message of the peer, in a one-to-one conversation; elsewhere none: a
  /// room has many threads at a time, and the next occupant of a nick would get that of the last.
  case ofConversation
  /// This thread; `nil`: none.
  case given(Message.Thread?)
}
