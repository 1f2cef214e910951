import XML
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
      guard let id = isRoom ? message.stanzaID ?? message.originID : message.originID else {
        return nil
      }
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

    /// Returns the elements of a reply, and its body: the quotation followed by `body`.
    /// - Parameter room: the room that it is sent to; an address outside of the room is not
    ///   disclosed.
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

  /// The correction that replaced the original text of a message (XEP-0308).
  package struct Edit: Hashable, Sendable {
    /// The sender's id of the last correction.
    package let originID: String?

    package init(originID: String?) { self.originID = originID }
  }

  /// Indicates whether it had another text before.
  package var isEdited: Bool { edit != nil || replaces != nil }
}

extension MessageStanza {
  /// The text: the subject, then the body without the quotation that is in it for clients without
  /// replies; `nil` if there is no text.
  package var fallbackText: String? {
    guard let heading else { return said }
    guard let said, said.withoutBlanksAround != heading else { return heading }
    // The file is shown by its name.
    if said == SharedFile(self)?.address { return heading }
    return heading + "\n" + said
  }

  /// Indicates whether `fallbackText` is a text, which takes less than making it.
  package var hasText: Bool {
    bodyBeginning?.saysNothing == false || body?.saysNothing == false || fallbackText != nil
  }

  /// The body, or the description or the address of a file that is sent without a text.
  private var said: String? {
    if let reply, let parts = body(withoutFallbackFor: XEP0461Reply.namespace), !reply.id.isEmpty,
      !parts.kept.saysNothing
    {
      return parts.kept
    }
    // A text of blanks alone would be an empty row: like an empty one it is none.
    let text = body.flatMap { $0.saysNothing ? nil : $0 } ?? formattedText
    let description = outOfBandDescription
    if text != nil, description == nil { return text }
    guard let address = SharedFile(self)?.address else { return text ?? unfetchable }
    // A body that repeats the address is there for clients without files.
    if let text, text.withoutBlanksAround != address { return text }
    return description ?? address
  }

  /// The description and the URL of a file that is not over HTTP: no file is offered for it, so the
  /// user gets the URL itself.
  private var unfetchable: String? {
    let parts = [outOfBandDescription, sharedFile?.url].compactMap { $0 }.filter { !$0.saysNothing }
    return parts.isEmpty ? nil : parts.joined(separator: "\n")
  }

  /// The subject to show above the text (RFC 6121 §5.2.4). Excludes a change of a room's subject,
  /// and a subject that the sentence of an old client about such a change contains anyway.
  private var heading: String? {
    guard let subject, !subject.saysNothing else { return nil }
    let heading = subject.withoutBlanksAround
    if kind == .groupchat, isSubjectChange || body.map({ Self.mentions($0, of: heading) }) == true {
      return nil
    }
    return heading
  }

  /// Returns whether `text` ends with `subject`, apart from quotation marks or a full stop, as a
  /// sentence about its change does.
  private static func mentions(_ text: String, of subject: String) -> Bool {
    let length = subject.utf8.count
    return (0...4).contains { text.utf8.dropLast($0).suffix(length).elementsEqual(subject.utf8) }
  }
}

extension IncomingMessage {
  /// Returns the same message with its relations to other messages from `stanza`.
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
    // All stanzas about a call refer to its id.
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
