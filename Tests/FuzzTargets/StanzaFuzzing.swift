import FoundationEssentials
import MessagingService
import NatterCore
import XML
import XMPP

/// Stanzas as a server sends them after the stream's header, each given to every decoder.
enum StanzaFuzzing {
  static let account = JID(local: "alice", domain: "example.org", resource: "test")
  /// The opening tag around the stanzas.
  static let header = XMLWriter().streamHeader(["from": "example.org", "id": "1"])

  @Sendable static func run(_ bytes: [UInt8]) throws {
    do { try read(bytes) } catch is XMLError {
      return
    }
  }

  /// - Throws: `XMLError` where the bytes are no stanzas.
  static func read(_ bytes: [UInt8]) throws {
    let parser = XMLStreamParser()
    _ = try parser.feed(header)
    for case .element(let element) in try parser.feed(bytes) { try decode(element) }
  }

  private static func decode(_ element: Element) throws {
    try KeptTexts.check(element)
    if let stanza = Stanza(element) { try StanzaDecoders.stanza(stanza) }
    try KeptTexts.check(StreamError(element) as Any)
    try KeptTexts.check(StreamFeatures(element) as Any)
    try KeptTexts.check(SASLFailure(element) as Any)
    // Each payload may be anywhere: it is looked for where it belongs, and is read wherever it is
    // here.
    try ElementDecoders.all(element, depth: 0)
  }
}

/// The decoders of whole stanzas.
enum StanzaDecoders {
  static func stanza(_ stanza: Stanza) throws {
    switch stanza {
    case .message(let message):
      try common(message)
      try self.message(message)
    case .presence(let presence):
      try common(presence)
      try self.presence(presence)
    case .iq(let iq):
      try common(iq)
      try self.iq(iq)
    }
  }

  private static func common(_ stanza: some StanzaElement) throws {
    try KeptTexts.check((stanza.id, stanza.from, stanza.to))
    if let error = stanza.error {
      try KeptTexts.check((error.isPassing, error.mayPass, error.explanation, error.fileSizeLimit))
      try KeptTexts.check((error.uploadsAgainAt, XEP0433.objection(in: error)))
      _ = NatterError(answering: error)
      // What it was sent with may name another entity, which is not written again.
      let again = StanzaError(error.element)
      try require(
        again.condition == error.condition && again.kind == error.kind,
        "an error is another one once it was written")
    }
  }

  private static func message(_ message: MessageStanza) throws {
    let account = StanzaFuzzing.account
    try own(message)
    if let carbon = XEP0280Carbon(message, of: account.bare) { try own(carbon.message) }
    if let (_, result) = XEP0313Result.read(message) { try own(result.message) }
    try KeptTexts.check(XEP0045Invitation(message) as Any)
    try KeptTexts.check(XEP0045Decline(message) as Any)
    if let request = XEP0045VoiceRequest(message) {
      try KeptTexts.check((request.answer(isAllowed: true), request.answer(isAllowed: false)))
    }
    if let event = XEP0060Event(message) {
      for item in event.items { try ElementDecoders.item(item) }
    }
    for position in XEP0490Displayed.positions(in: message, of: account.bare) {
      _ = position.publication
    }
  }

  /// Checks the content of a message, also of a copy or one from an archive.
  private static func own(_ message: MessageStanza) throws {
    let account = StanzaFuzzing.account.bare
    try KeptTexts.check(
      (message.body, message.subject, message.delay, message.heldBack(by: account)))
    try KeptTexts.check(
      (message.isSentAgain, message.waited(atServerOf: account), message.isOfRoomsPast))
    try KeptTexts.check(
      (message.refusal, message.requestsReceipt, message.receiptID, message.correctedID))
    try KeptTexts.check((message.receivedMarkerID, message.isMarkable, message.displayedID))
    try KeptTexts.check((message.originID, message.stanzaID(by: account), message.occupantID))
    try KeptTexts.check(
      (message.retraction, message.tombstone, message.isFromRoom, message.roomCodes))
    try KeptTexts.check(
      (message.isSubjectChange, MessageDecoder.text(of: message), MessageEffect(message)))
    try KeptTexts.check(
      (message.encryption?.title, message.isKeyTransport, message.callStep?.element))
    try KeptTexts.check(
      (
        message.formattedText, message.unknownPayload, ContentPayload.decode(message),
        message.isStored
      ))
    try KeptTexts.check((message.hasText, message.inLanguages(["fr-CA", "de"]).body))
    if let reactions = message.reactions { _ = reactions.elements }
    if let reply = message.reply {
      _ = reply.element
      if let (kept, dropped) = message.body(withoutFallbackFor: XEP0461Reply.namespace) {
        let text = XEP0461Reply.text(ofQuotation: dropped)
        try KeptTexts.check((kept, XEP0461Reply.quotation(of: text), Message.Reply.shortened(text)))
      }
    }
    if let file = FilePayload.decode(message) {
      try KeptTexts.check((FilePayload.encode(file), file.isPicture, file.size, file.addresses))
      let name = file.safeName
      try require(
        !name.contains("/") && !name.contains("\0") && name != ".." && name != ".",
        "a file's name leads elsewhere: \(name)")
      if let thumbnail = file.thumbnail { _ = PictureHeader(thumbnail) }
    }
    if let room = message.from?.bare {
      let (decoder, view) = (MessageDecoder(account: account), RoomMembership(nick: "alice"))
      let time = message.delay ?? .init(timeIntervalSince1970: 0)
      _ = decoder.decode(message, in: [room: view], receivedAt: time)
      let result = XEP0313Result(id: "1", stamp: time, message: message)
      for archive in [account, room] { _ = decoder.decode(result, of: archive, in: view) }
    }
    if let body = message.body, let nick = message.from?.resource {
      for range in Mention.ranges(of: nick, in: body) { _ = body[range] }
    }
  }

  private static func presence(_ presence: PresenceStanza) throws {
    try KeptTexts.check((presence.kind, presence.show, presence.status, presence.priority))
    try KeptTexts.check(
      (XEP0153.word(in: presence), XEP0319Idle.since(in: presence), presence.occupantID))
    try KeptTexts.check(XEP0045Presence(presence) as Any)
  }

  private static func iq(_ iq: IQ) throws {
    try KeptTexts.check(
      (iq.kind, iq.payload, iq.resultReply(iq.payload), XEP0199Ping.isQuestion(iq)))
    _ = iq.errorReply(StanzaError(.cancel, .serviceUnavailable))
  }
}
