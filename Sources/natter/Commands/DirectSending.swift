import ConnectionService
import FoundationEssentials
import NatterCore
import Storage
import ViewModels
import XMPP

/// Sends messages over a session of its own, while another Natter has the account's database.
actor DirectSending {
  private nonisolated let stream: any LiveStream
  private nonisolated let account: JID
  /// The rooms that this session is in.
  private var rooms: Set<JID> = []
  /// What came back of what was sent to people, by id.
  private var refusals: [String: StanzaError] = [:]
  private var reader: Task<Void, Never>?
  /// Says why a message was refused.
  private nonisolated let explain: @Sendable (StanzaError) -> String
  /// Says that the server ends the connection over it.
  private nonisolated let rejection: @Sendable (StreamError) -> String
  /// Says that it has more bytes than the server takes.
  private nonisolated let oversize: @Sendable (StanzaLimit) -> String

  /// Leaves what was refused to the program that has the account.
  private nonisolated let leave: @Sendable (MessageSpool.Entry) -> Void

  /// - Parameters:
  ///   - localizer: says why a message is refused.
  ///   - leave: called with each message to a person that the server took and then refused: elsewhere it came as sent.
  init(
    stream: any LiveStream, account: JID, localizer: Localizer,
    leave: @escaping @Sendable (MessageSpool.Entry) -> Void
  ) {
    self.stream = stream
    self.leave = leave
    self.account = account.bare
    explain = AccountServices.explain(localizer)
    rejection = AccountServices.rejection(localizer)
    oversize = AccountServices.oversize(localizer)
  }

  /// Sends `body` to a person, a room, or somebody in one, while somebody runs the stream.
  /// - Returns: `.accepted` when the server has it and has not refused it, or the room has told it to everybody.
  /// - Parameter id: the message's own (XEP-0359 origin-id).
  func send(_ body: String, id: String, to address: JID) async -> SendOutcome {
    var outcome: SendOutcome?
    let limit = stream.session.features.stanzaLimit
    guard limit.takes(message(body, id, to: address, "groupchat")) else {
      return .oversized(oversize(limit))
    }
    do {
      // Where nobody says whether it is a room, nothing is cut off, nor sent: it is left to whoever has the account.
      let answer = await isRoom(address.bare)
      if answer == nil, !address.isBare { throw ChannelError.timedOut }
      let isInRoom = answer ?? false
      if isInRoom, address.isBare {
        outcome = try await tell(
          message(body, id, to: address, "groupchat"), to: address)
      } else {
        // Of somebody in a room nothing is cut off: what is for him alone everybody would read.
        let recipient = isInRoom ? address : address.bare
        var words = message(body, id, to: recipient, "chat")
        let typedAt = Date()
        if isInRoom {
          words.append(Element("x", XEP0045.user))
          if let refusal = try await enter(address.bare) { return refusal }
        }
        outcome = try await sendToPerson(words, id, in: isInRoom ? address.bare : nil)
        if case .failed(let reason)? = outcome {
          leave(
            .init(
              originID: id, recipient: address, body: body, typedAt: typedAt,
              attemptedAt: typedAt, refusal: reason))
        }
      }
    } catch {
      // Nobody confirmed the message: the connection has ended, or will be given up for its silence.
      outcome = nil
    }
    if let outcome { return outcome }
    switch await stream.endReason {
    case .stream(let error)? where error.mayBlameStanza: return .failed(rejection(error))
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

  /// - Parameter room: the one that the person is in.
  private func sendToPerson(
    _ message: Element, _ id: String, in room: JID?
  ) async throws -> SendOutcome? {
    if reader == nil { reader = Task { await self.readRefusals() } }
    try await stream.send(message)
    for await ids in stream.acknowledged where ids.contains(id) {
      // A room is apart from the server that has acknowledged it: what it refuses it has refused once it answers again.
      if let room {
        _ = try? await stream.request(
          SendOutcome.question(to: room), timeout: SendOutcome.refusalLimit)
      }
      // Without an answer the acknowledgement is all that there is.
      try? await stream.settle(timeout: SendOutcome.refusalLimit)
      return refusals[id].map { .failed(explain($0)) } ?? .accepted
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

  /// Whether what answers there calls itself a room (XEP-0045 §6.4). People's servers say something else, or refuse.
  /// - Returns: `nil` where that is not known.
  private func isRoom(_ jid: JID) async -> Bool? {
    if rooms.contains(jid) { return true }
    guard
      let answer = try? await stream.request(
        SendOutcome.question(to: jid), timeout: .seconds(10)),
      let found = answer.first("query", Namespace.discoInfo).flatMap({ XEP0030Discovery($0) })
    else { return nil }
    return found.identities.contains { $0.category == "conference" }
  }

  /// Goes into a room under the name that the person has there; the session is gone from it with the stream.
  /// - Returns: why it could not be entered; `nil` when it was.
  /// - Throws: `ChannelError` when the stream has ended before.
  private func enter(_ room: JID) async throws -> SendOutcome? {
    if rooms.contains(room) { return nil }
    let bookmark = try await bookmark(of: room)
    let nick = bookmark?.nick ?? account.local ?? account.domain
    guard let seat = room.with(resource: nick) else {
      return .failed(explain(StanzaError(.modify, .jidMalformed)))
    }
    try await stream.send(
      Element(
        "presence", Namespace.client, ["to": seat.description],
        [XEP0045.entrance(password: bookmark?.password, history: .none)]))
    for await stanzas in stream.incoming {
      for case .presence(let presence) in stanzas where presence.from?.bare == room {
        if presence.kind == .error {
          return .failed(explain(presence.error ?? StanzaError(.cancel, .undefinedCondition)))
        }
        if XEP0045Presence(presence)?.codes.contains(110) == true { rooms.insert(room) }
      }
      await stream.markHandled(stanzas.count)
      if rooms.contains(room) { return nil }
    }
    throw ChannelError.notConnected
  }

  /// Goes in, says it, and waits until the room has told it to everybody.
  private func tell(_ message: Element, to room: JID) async throws -> SendOutcome? {
    if let refusal = try await enter(room) { return refusal }
    try await stream.send(message)
    for await stanzas in stream.incoming {
      var outcome: SendOutcome?
      for case .message(let heard) in stanzas
      where heard.from?.bare == room && heard.id == message["id"] {
        outcome =
          heard.kind == .groupchat
          ? .accepted
          : .failed(explain(heard.error ?? StanzaError(.cancel, .undefinedCondition)))
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
      return nil  // None are kept there.
    }
  }
}
