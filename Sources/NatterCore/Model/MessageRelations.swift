import XMPP

extension Message {
  /// The message that another one answers (XEP-0461).
  package struct Reply: Hashable, Sendable {
    /// What it is called: by its sender, or by the room that it was said in.
    package let id: String
    /// Who wrote it; `nil`: it is not known.
    package let author: JID?
    /// What it said, as far as it is known here; from outside.
    package let text: String

    package init(id: String, author: JID?, text: String) {
      self.id = id
      self.author = author
      self.text = text
    }

    /// An answer to `message`; `nil` where nobody could tell which message is meant.
    ///
    /// In a room its sender's address is told only where it is one of the room: nobody there may know the other one.
    package init?(to message: Message, inRoom isRoom: Bool) {
      guard let id = isRoom ? message.stanzaID ?? message.originID : message.originID else {
        return nil
      }
      let author = isRoom ? message.sender : message.sender.bare
      let isKnown = !isRoom || author.bare == message.conversation
      self.init(id: id, author: isKnown ? author : nil, text: Self.shortened(message.body))
    }

    /// As much of a text as is quoted.
    package static func shortened(_ text: String) -> String {
      guard let end = text.index(text.startIndex, offsetBy: 400, limitedBy: text.endIndex),
        end < text.endIndex
      else { return text }
      return text[..<end] + "…"
    }

    /// What a message that answers has in it, and what stands above its own text.
    /// - Parameter room: where it is said; nobody there is told an address that is none of the room.
    package func elements(above body: String, inRoom room: JID? = nil) -> (
      body: String, elements: [Element]
    ) {
      let quotation = text.isEmpty ? "" : XEP0461Reply.quotation(of: text)
      let author = room == nil || author?.bare == room ? author : nil
      let reply = XEP0461Reply(id: id, author: author).element
      guard !quotation.isEmpty else { return (body, [reply]) }
      let range = 0..<quotation.unicodeScalars.count
      return (
        quotation + body,
        [reply, XEP0428Fallback.element(for: XEP0461Reply.namespace, range)]
      )
    }
  }

  /// What has taken the place of what a message said first (XEP-0308).
  package struct Edit: Hashable, Sendable {
    /// What the sender calls the last correction.
    package let originID: String?

    package init(originID: String?) { self.originID = originID }
  }

  /// Whether something else was said before.
  package var isEdited: Bool { edit != nil || replaces != nil }
}

extension MessageStanza {
  /// What it says: its subject, then its text without what that quotes for clients that do not know replies; `nil`: it says
  /// nothing.
  package var words: String? {
    guard let heading else { return said }
    guard let said, said.withoutBlanksAround != heading else { return heading }
    // The file is shown by its name.
    if said == SharedFile(self)?.address { return heading }
    return heading + "\n" + said
  }

  /// The text, or the address of what it offers without a word.
  private var said: String? {
    if let reply, let parts = body(withoutFallbackFor: XEP0461Reply.namespace), !reply.id.isEmpty,
      !parts.kept.isEmpty
    {
      return parts.kept
    }
    let text = body.flatMap { $0.isEmpty ? nil : $0 }
    if let text, !text.saysNothing { return text }
    return formattedText ?? SharedFile(self)?.address ?? text
  }

  /// The subject that stands above the text (RFC 6121 §5.2.4). What changes that of a room is not one, and an old client's
  /// sentence about such a change says it itself.
  private var heading: String? {
    guard let subject = subject?.withoutBlanksAround, !subject.isEmpty else { return nil }
    if kind == .groupchat, isSubjectChange || body.map({ Self.tells($0, of: subject) }) == true {
      return nil
    }
    return subject
  }

  /// Whether `text` ends with `subject`, but for a quotation mark or a full stop, as a sentence about its change does.
  private static func tells(_ text: String, of subject: String) -> Bool {
    let length = subject.utf8.count
    return (0...4).contains { text.utf8.dropLast($0).suffix(length).elementsEqual(subject.utf8) }
  }
}

extension IncomingMessage {
  /// The same with what `stanza` tells of other messages.
  package func related(by stanza: MessageStanza) -> IncomingMessage {
    var message = self
    if let effect = stanza.effect {
      (message.effect, message.replaces) = (effect.kind, effect.target)
      (message.occupantID, message.file) = (stanza.occupantID, nil)
      return message
    }
    message.payload = stanza.payload
    message.contentPrint = stanza.contentPrint
    if message.payload == nil { message.replaces = stanza.correctedID }
    // All that is told of a call is told by its id.
    if case .content(.call, _) = message.payload { message.originID = stanza.callStep?.call }
    message.isSentAgain = stanza.isSentAgain
    message.occupantID = stanza.occupantID
    message.reply = stanza.reply.map { reply in
      let quoted = stanza.body(withoutFallbackFor: XEP0461Reply.namespace)?.dropped ?? ""
      return Message.Reply(
        id: reply.id, author: reply.author,
        text: Message.Reply.shortened(XEP0461Reply.text(ofQuotation: quoted)))
    }
    return message
  }
}
