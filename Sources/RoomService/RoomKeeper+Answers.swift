import NatterCore
import XMPP

/// What rooms were asked for with messages, by the messages' ids: a message has no answer of its own, as an IQ has.
struct MessageWishes {
  /// Somebody who was invited. That he was is never told, only that he was not.
  struct Guest {
    let jid: JID
    let room: JID
    /// The visit in which it was done.
    let attempt: Int
  }

  /// What a room is to be about, and who waits for its word.
  struct Subject {
    let text: String
    let room: JID
    let answer: AsyncThrowingStream<Void, any Error>.Continuation
  }

  var guests: [String: Guest] = [:]
  var subjects: [String: Subject] = [:]

  /// The connection is gone, and the answers with it.
  mutating func end() {
    guests = [:]
    for subject in subjects.values { subject.answer.finish(throwing: ChannelError.notConnected) }
  }
}

// What becomes of what a room was asked for with a message (RFC 6120 §8.3.1).
extension RoomKeeper {
  /// How long a room may take to answer.
  private static let answerLimit = Duration.seconds(30)

  /// Sends an invitation and remembers it, so that a refusal of it is understood.
  func send(_ invitation: Element, for guest: JID, to state: RoomState) async throws {
    var message = invitation
    let id = identifiers.next()
    message["id"] = id
    let room = state.room.jid
    wishes.guests = wishes.guests.filter { $1.room != room || $1.attempt == state.attempt }
    wishes.guests[id] = MessageWishes.Guest(jid: guest.bare, room: room, attempt: state.attempt)
    try await send(message)
  }

  /// Sends a subject, and returns once the room has taken it.
  /// - Throws: `NatterError` when it has not, or does not answer.
  func send(_ subject: String, to room: JID) async throws {
    let id = identifiers.next()
    let (answers, answer) = AsyncThrowingStream<Void, any Error>.makeStream()
    wishes.subjects[id] = MessageWishes.Subject(text: subject, room: room, answer: answer)
    let limit = Task { [sleep] in
      do { try await sleep(Self.answerLimit) } catch { return }
      answer.finish(throwing: ChannelError.timedOut)
    }
    defer {
      limit.cancel()
      wishes.subjects[id] = nil
    }
    try await send(
      Element(
        "message", Namespace.client,
        ["type": "groupchat", "to": room.description, "id": id],
        [Element("subject", Namespace.client, text: subject)]))
    do { for try await _ in answers {} } catch { throw NatterError(answering: error) }
  }

  /// Takes what a message says of a wish.
  func answered(_ message: MessageStanza, from: JID) {
    if message.kind == .error {
      refused(message, from: from)
    } else if message.isSubjectChange, message.delay == nil {
      let text = message.subject ?? ""
      // Prosody's has an id of its own, or none.
      let isOwn = from.resource == rooms[from.bare]?.room.nick
      for (id, wish) in wishes.subjects
      where wish.room == from.bare && (id == message.id || isOwn && wish.text == text) {
        wish.answer.finish()
      }
    }
  }

  private func refused(_ message: MessageStanza, from: JID) {
    guard let id = message.id else { return }
    let error = message.error ?? StanzaError(.cancel, .undefinedCondition)
    // Another's words in the room end nothing.
    if from.isBare, wishes.subjects[id]?.room == from {
      wishes.subjects[id]?.answer.finish(throwing: error)
    }
    guard let guest = wishes.guests[id], from == guest.room || from.bare == guest.jid,
      rooms[guest.room]?.attempt == guest.attempt
    else { return }
    wishes.guests[id] = nil
    let words = ["name": guest.jid.description, "reason": error.condition.rawValue]
    hub.publish(
      .roomIncident(
        RoomIncident(room: guest.room, .notInvited, words.merging(error.words) { $1 })))
  }
}
