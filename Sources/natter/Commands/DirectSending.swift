import ConnectionService
import FoundationEssentials
import NatterCore
import XMPP

/// Sends messages over a session of its own, while another Natter has the account's database.
actor DirectSending {
  private nonisolated let stream: any LiveStream
  private nonisolated let account: JID
  private let identifiers = IdentifierSource()
  /// The rooms that this session is in.
  private var rooms: Set<JID> = []

  init(stream: any LiveStream, account: JID) {
    self.stream = stream
    self.account = account.bare
  }

  /// Sends `body` to a person or a room, while somebody runs the stream.
  /// - Returns: whether the server has it, or the room has told it to everybody.
  func send(_ body: String, to recipient: JID) async -> Bool {
    await send(body, [], identifiers.next(), to: recipient)
  }

  private func send(
    _ body: String, _ parts: [Element], _ id: String, to recipient: JID
  ) async -> Bool {
    do {
      if await isRoom(recipient) {
        return try await tell(message(body, parts, id, to: recipient, "groupchat"), to: recipient)
      }
      return try await sendToPerson(message(body, parts, id, to: recipient, "chat"), id)
    } catch {
      // Whatever it was, nobody confirmed the message.
      return false
    }
  }

  private func message(
    _ body: String, _ parts: [Element], _ id: String, to recipient: JID, _ type: String
  ) -> Element {
    Element(
      "message", Namespace.client,
      ["type": type, "id": id, "to": recipient.description],
      [
        Element("body", Namespace.client, text: body),
        Element("origin-id", Namespace.stanzaIDs, ["id": id]),
      ] + parts)
  }

  private func sendToPerson(_ message: Element, _ id: String) async throws -> Bool {
    try await stream.send(message)
    for await ids in stream.acknowledged where ids.contains(id) { return true }
    return false
  }

  /// Whether what answers there calls itself a room (XEP-0045 §6.4). People's servers say something else, or nothing.
  private func isRoom(_ jid: JID) async -> Bool {
    if rooms.contains(jid) { return true }
    let question = Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", Namespace.discoInfo)])
    guard let answer = try? await stream.request(question, timeout: .seconds(10)),
      let found = answer.first("query", Namespace.discoInfo).flatMap({ XEP0030Discovery($0) })
    else { return false }
    return found.identities.contains { $0.category == "conference" }
  }

  /// Goes in under the name that the person has there, says it, and is gone with the stream.
  private func tell(_ message: Element, to room: JID) async throws -> Bool {
    if rooms.contains(room) {
      try await stream.send(message)
    } else {
      let bookmark = try await bookmark(of: room)
      let nick = bookmark?.nick ?? account.local ?? account.domain
      guard let seat = room.with(resource: nick) else { return false }
      try await stream.send(
        Element(
          "presence", Namespace.client, ["to": seat.description],
          [XEP0045.entrance(password: bookmark?.password, history: .none)]))
    }
    for await stanzas in stream.incoming {
      var isHeard: Bool?
      for stanza in stanzas where isHeard == nil {
        switch stanza {
        case .presence(let presence) where presence.from?.bare == room:
          if presence.kind == .error { return false }
          guard !rooms.contains(room), let said = XEP0045Presence(presence),
            said.codes.contains(110)
          else { continue }
          rooms.insert(room)
          try await stream.send(message)
        case .message(let heard) where heard.from?.bare == room && heard.id == message["id"]:
          isHeard = heard.kind == .groupchat
        default: break
        }
      }
      await stream.markHandled(stanzas.count)
      if let isHeard { return isHeard }
    }
    return false
  }

  private func bookmark(of room: JID) async throws -> XEP0402Bookmark? {
    do {
      let answer = try await stream.request(
        XEP0060.items(of: XEP0402Bookmark.namespace), timeout: .seconds(10))
      return XEP0060.items(in: answer).compactMap { XEP0402Bookmark(item: $0) }
        .first { $0.room == room }
    } catch is StanzaError {
      return nil  // None are kept there.
    }
  }
}

extension DirectSending: FileMessageSending {
  nonisolated static let unconfirmed = NatterError(.offline, "error.files.unconfirmed")

  @discardableResult
  func send(_ file: SharedFile, originID: String, to conversation: JID) async throws -> Message {
    try await insist(file.address, file, originID, to: conversation)
  }

  @discardableResult
  func send(_ words: String, originID: String, to conversation: JID) async throws -> Message {
    try await insist(words, nil, originID, to: conversation)
  }

  /// - Throws: `NatterError` when nobody confirmed the message.
  private func insist(
    _ body: String, _ file: SharedFile?, _ originID: String, to conversation: JID
  ) async throws -> Message {
    guard await send(body, file?.elements ?? [], originID, to: conversation) else {
      throw Self.unconfirmed
    }
    return Message(
      id: .init(0), conversation: conversation, sender: account, direction: .outgoing, body: body,
      sentAt: Date(), originID: originID, file: file)
  }
}
