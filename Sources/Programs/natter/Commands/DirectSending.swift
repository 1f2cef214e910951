import ConnectionService
import FoundationEssentials
import MessagingService
import NatterCore
import RoomService
import Storage
import Text
import ViewModels
import XML
import XMPP

/// Sends messages over its own session, while another instance has the account's database open.
actor DirectSending {
  private nonisolated let stream: any LiveStream
  private nonisolated let account: JID
  /// The number of other nicks that are tried where one is taken.
  private static let otherNicks = 3
  /// The rooms that this session has joined.
  private var rooms: Set<JID> = []
  /// The addresses that have identified themselves as rooms. Such an answer is not asked for again:
  /// if the second one did not arrive, the message would go to the room as to a contact.
  private var identified: Set<JID> = []
  /// The errors that came back for messages to contacts and occupants, by id.
  private var refusals: [String: StanzaError] = [:]
  private var reader: Task<Void, Never>?
  private nonisolated let localizer: Localizer
  /// The descriptions of failures: those that the outbox stores.
  private nonisolated let texts: OutboxTexts
  /// Leaves a refused message to the instance that has the account.
  private nonisolated let leave: @Sendable (MessageSpool.Entry) -> Void

  /// - Parameters:
  ///   - localizer: the language of the reasons for refusal.
  ///   - leave: called with each private message that the server took and later refused: other
  ///   clients of the account show it as sent.
  init(
    stream: any LiveStream, account: JID, localizer: Localizer,
    leave: @escaping @Sendable (MessageSpool.Entry) -> Void
  ) {
    self.stream = stream
    self.leave = leave
    self.account = account.bare
    self.localizer = localizer
    texts = AccountServices.outboxTexts(localizer)
  }

  /// Sends `body` to a contact, a room, or an occupant, while another task runs the stream.
  /// - Returns: `.accepted` when the server has taken it and not refused it, or the room has sent
  ///   it to all occupants.
  /// - Parameter id: the message's own (XEP-0359 origin-id).
  func send(_ body: String, id: String, to address: JID) async -> SendOutcome {
    var outcome: SendOutcome?
    let limit = stream.session.features.stanzaLimit
    guard limit.takes(message(body, id, to: address, "groupchat")) else {
      return .oversized(texts.oversize(limit))
    }
    do {
      // If it is unknown whether the address is a room, its resource is not cut, and nothing is
      // sent: the instance that has the account sends the message.
      let answer = await isRoom(address.bare)
      if answer == nil, !address.isBare { throw ChannelError.timedOut }
      let isInRoom = answer ?? false
      if isInRoom, address.isBare {
        outcome = try await sendOut(
          message(body, id, to: address, "groupchat"), to: address)
      } else {
        // An occupant's JID is never reduced to the room's: a private message would go to everyone.
        let recipient = isInRoom ? address : address.bare
        var stanza = message(body, id, to: recipient, "chat")
        let typedAt = Date()
        if isInRoom {
          stanza.append(Element("x", XEP0045.user))
          if let refusal = try await enter(address.bare) { return refusal }
        }
        outcome = try await sendToPerson(stanza, id, in: isInRoom ? address.bare : nil)
        if case .failed(let reason)? = outcome {
          leave(
            .init(
              originID: id, recipient: address, body: body, typedAt: typedAt,
              attemptedAt: typedAt, refusal: reason))
        }
      }
    } catch {
      // The message is unconfirmed: the connection has ended, or is about to be given up.
      outcome = nil
    }
    if let outcome { return outcome }
    switch await stream.endReason {
    case .stream(let error)? where error.mayBlameStanza: return .failed(texts.rejection(error))
    case let reason?: return .notConnected(ConnectionProblem(reason, host: account.domain))
    case nil: return .timedOut
    }
  }

  private func message(
    _ body: String, _ id: String, to recipient: JID, _ type: String
  ) -> Element {
    Element(
      "message", Namespace.client,
      ["type": type, "id": id, "to": recipient.description],
      [
        Element("body", Namespace.client, text: body),
        Element("origin-id", Namespace.stanzaIDs, ["id": id]),
      ])
  }

  /// - Parameter room: the room of the recipient, if they are an occupant.
  private func sendToPerson(
    _ message: Element, _ id: String, in room: JID?
  ) async throws -> SendOutcome? {
    if reader == nil { reader = Task { await self.readRefusals() } }
    try await stream.send(message)
    for await ids in stream.acknowledged where ids.contains(id) {
      // A room is separate from the server that sent the acknowledgement: when it answers a query,
      // it has processed the message before.
      if let room {
        _ = try? await stream.request(
          XEP0030Discovery.question(to: room), timeout: SendOutcome.refusalLimit)
      }
      // Without an answer, the acknowledgement has to do.
      try? await stream.settle(timeout: SendOutcome.refusalLimit)
      return refusals[id].map { .failed(texts.refusal($0)) } ?? .accepted
    }
    return nil
  }

  /// Reads until the stream ends.
  private func readRefusals() async {
    for await stanzas in stream.incoming {
      for case .message(let message) in stanzas {
        if let id = message.id, let error = message.refusal { refusals[id] = error }
      }
      await stream.markHandled(stanzas.count)
    }
  }

  /// Queries if the entity at `jid` identifies itself as a room (XEP-0045 §6.4). The servers of
  /// contacts answer something else, or refuse.
  /// - Returns: `nil` where that is unknown.
  func isRoom(_ jid: JID) async -> Bool? {
    if identified.contains(jid) { return true }
    guard let information = await information(of: jid) else { return nil }
    guard information.identities.contains(where: { $0.category == "conference" }) else {
      return false
    }
    identified.insert(jid)
    return true
  }

  /// Returns `true` if the entity at `domain` identifies itself as a service of rooms.
  func hasRooms(_ domain: String) async -> Bool {
    await information(of: JID(local: nil, domain: domain))?.hasRooms == true
  }

  /// - Returns: `nil` without an answer.
  private func information(of jid: JID) async -> XEP0030Discovery? {
    // A refusal says no more than silence.
    let answer = try? await stream.request(
      XEP0030Discovery.question(to: jid), timeout: .seconds(10))
    return answer.flatMap { XEP0030Discovery(answer: $0) }
  }

  /// Joins a room with the user's nick there; the session leaves it when the stream ends.
  /// - Returns: why it could not be joined; `nil` on success.
  /// - Throws: `ChannelError` when the stream ended before.
  private func enter(_ room: JID) async throws -> SendOutcome? {
    if rooms.contains(room) { return nil }
    let bookmark = try await bookmark(of: room)
    var nick = bookmark?.nick ?? account.local ?? account.domain
    var otherNicks = Self.otherNicks
    guard try await requestEntry(to: room, as: nick, bookmark?.password) else {
      return .failed(texts.refusal(StanzaError(.modify, .jidMalformed)))
    }
    for await stanzas in stream.incoming {
      for case .presence(let presence) in stanzas where presence.from?.bare == room {
        if presence.kind == .error {
          let error = presence.error ?? StanzaError(.cancel, .undefinedCondition)
          // Another client of the account may have the nick.
          if error.condition == .conflict, otherNicks > 0 {
            otherNicks -= 1
            nick += "_"
            if try await requestEntry(to: room, as: nick, bookmark?.password) { continue }
          }
          return .failed(refusal(error, of: room, hadPassword: bookmark?.password != nil))
        }
        guard let codes = XEP0045Presence(presence)?.codes, codes.contains(110) else { continue }
        // The room was created by the request (XEP-0045 §10.1.1): it has no other occupant.
        if codes.contains(201) {
          return .failed(localizer("cli.send-no-room", ["room": room.description]))
        }
        rooms.insert(room)
      }
      await stream.markHandled(stanzas.count)
      if rooms.contains(room) { return nil }
    }
    throw ChannelError.notConnected
  }

  /// Requests to enter a room.
  /// - Returns: `false` where `nick` cannot be one.
  private func requestEntry(to room: JID, as nick: String, _ password: String?) async throws -> Bool
  {
    guard let occupant = room.with(resource: nick) else { return false }
    try await stream.send(
      Element(
        "presence", Namespace.client, ["to": occupant.description],
        [XEP0045.entrance(password: password, history: .none)]))
    return true
  }

  /// Describes why the room could not be entered, and what the user can do.
  private func refusal(_ error: StanzaError, of room: JID, hadPassword: Bool) -> String {
    let name = ["room": room.description]
    return switch RoomExit(error, hadPassword: hadPassword).cause {
    case .notMember: localizer("exit.notMember")
    case .isBanned: localizer("exit.isBanned", ["cause": ""])
    case .passwordNeeded, .passwordWrong: localizer("cli.send-password", name)
    case .nickTaken, .nickRefused: localizer("cli.send-outside", name)
    default: texts.refusal(error)
    }
  }

  /// Joins the room, sends the message, and waits until the room has reflected it.
  private func sendOut(_ message: Element, to room: JID) async throws -> SendOutcome? {
    if let refusal = try await enter(room) { return refusal }
    try await stream.send(message)
    for await stanzas in stream.incoming {
      var outcome: SendOutcome?
      for case .message(let heard) in stanzas
      where heard.from?.bare == room && heard.id == message["id"] {
        outcome =
          heard.kind == .groupchat
          ? .accepted
          : .failed(texts.refusal(heard.error ?? StanzaError(.cancel, .undefinedCondition)))
      }
      await stream.markHandled(stanzas.count)
      if let outcome { return outcome }
    }
    return nil
  }

  private func bookmark(of room: JID) async throws -> XEP0402Bookmark? {
    do {
      let answer = try await stream.request(
        XEP0060.items(of: XEP0402Bookmark.namespace), timeout: .seconds(10))
      return XEP0060.items(in: answer).compactMap { XEP0402Bookmark(item: $0) }
        .first { $0.room == room }
    } catch is StanzaError {
      return nil  // There are no bookmarks on the server.
    }
  }
}
