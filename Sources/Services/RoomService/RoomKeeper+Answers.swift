import NatterCore
import XML
import XMPP

/// What a room was asked for with a message: that has no answer of its own, as an IQ has.
struct PendingRoomRequest {
  enum Kind {
    /// An invitation. Only its refusal is ever reported.
    case guest(JID)
    /// What the room is to be about, and who waits for its word.
    case subject(String, AsyncThrowingStream<Void, any Error>.Continuation)
    /// A request to speak, or the grant of one. Only a refusal is reported.
    case voice
  }

  let kind: Kind
  let room: JID
  /// The visit in which it was asked.
  let attempt: Int

  /// Whether `sender` may refuse it. A message of another occupant ends nothing.
  func isRefused(by sender: JID) -> Bool {
    if case .guest(let jid) = kind, sender.bare == jid { return true }
    return sender == room
  }
}

// What becomes of what a room was asked for with a message (RFC 6120 §8.3.1).
extension RoomKeeper {
  /// How long a room may take to answer.
  private static let answerLimit = Duration.seconds(30)

  /// Sends a message and remembers what it is for, so that a refusal of it is understood.
  func send(_ message: Element, asking kind: PendingRoomRequest.Kind, of state: RoomState)
    async throws
  {
    let room = state.room.jid
    // Requests of an earlier visit are obsolete.
    requests = requests.filter { $1.room != room || $1.attempt == state.attempt }
    var message = message
    let id = identifiers.next()
    message["id"] = id
    requests[id] = PendingRoomRequest(kind: kind, room: room, attempt: state.attempt)
    try await send(message)
  }

  /// Sends a subject, and returns once the room has taken it.
  /// - Throws: `NatterError` when it has not, or does not answer.
  func send(_ subject: String, to state: RoomState) async throws {
    let (answers, answer) = AsyncThrowingStream<Void, any Error>.makeStream()
    let limit = Task { [sleep] in
      do { try await sleep(Self.answerLimit) } catch { return }
      answer.finish(throwing: ChannelError.timedOut)
    }
    defer { limit.cancel() }
    try await send(
      Element(
        "message", Namespace.client,
        ["type": "groupchat", "to": state.room.jid.description],
        [Element("subject", Namespace.client, text: subject)]),
      asking: .subject(subject, answer), of: state)
    do { for try await _ in answers {} } catch { throw NatterError(answering: error) }
  }

  /// The connection is gone, and the answers with it.
  func endRequests() {
    for case .subject(_, let answer) in requests.values.map(\.kind) {
      answer.finish(throwing: ChannelError.notConnected)
    }
    requests = [:]
  }

  /// Takes the answer to a request from a message.
  func answered(_ message: MessageStanza, from: JID) {
    if message.kind == .error {
      refused(message, from: from)
    } else if message.isSubjectChange, message.delay == nil {
      let text = message.subject ?? ""
      // Prosody's has an id of its own, or none.
      let isOwn = from.resource == rooms[from.bare]?.room.nick
      for (id, request) in requests where request.room == from.bare {
        guard case .subject(let wanted, let answer) = request.kind,
          id == message.id || isOwn && wanted == text
        else { continue }
        requests[id] = nil
        answer.finish()
      }
    }
  }

  private func refused(_ message: MessageStanza, from: JID) {
    guard let id = message.id, let request = requests[id], request.isRefused(by: from),
      let room = rooms[request.room], room.attempt == request.attempt
    else { return }
    requests[id] = nil
    let error = message.error ?? StanzaError(.cancel, .undefinedCondition)
    switch request.kind {
    case .subject(_, let answer): answer.finish(throwing: error)
    case .guest(let jid):
      let arguments = ["name": jid.description, "reason": error.condition.rawValue]
      hub.publish(
        .roomIncident(
          RoomIncident(room: request.room, .notInvited, arguments.merging(error.arguments) { $1 })))
    case .voice:
      let key =
        room.room.role == .visitor
        ? "error.room.noVoiceRequest" : "stanza.\(error.condition.rawValue)"
      hub.publish(.notice(StatusNotice(.error, key, error.arguments)))
    }
  }
}
