import NatterCore
import XMPP

/// The requests to rooms that were sent as messages and have no answer yet: a message has no answer
/// of its own, as an IQ has (RFC 6120 §8.3.1).
///
/// A value without I/O: it takes messages of rooms and returns the requests that they answer.
struct PendingRoomRequests: Sendable {
  enum RequestKind: Sendable {
    /// An invitation. Only its refusal is ever reported.
    case guest(JID)
    /// The subject that the room is to have, and the caller who waits until it has it.
    case subject(String, AsyncThrowingStream<Void, any Error>.Continuation)
    /// A request to speak, or the grant of one. Only a refusal is reported.
    case voice
  }

  struct Request: Sendable {
    let kind: RequestKind
    let room: JID
    /// The visit in which it was sent.
    let attempt: Int

    /// Returns `true` if `sender` may refuse it. A message of another occupant ends nothing.
    func isRefused(by sender: JID) -> Bool {
      if case .guest(let jid) = kind, sender.bare == jid { return true }
      return sender == room
    }
  }

  private var requests: [String: Request] = [:]

  var count: Int { requests.count }

  /// Adds a request by the id of its message. Requests of an earlier visit are obsolete.
  mutating func add(_ request: Request, id: String) {
    requests = requests.filter {
      $1.room != request.room || $1.attempt == request.attempt
    }
    requests[id] = request
  }

  /// Removes the requests for the subject that `message` announces, and returns the callers that
  /// wait for it.
  /// - Parameter nick: the user's nick in the room.
  mutating func takeFulfilled(
    by message: MessageStanza, from sender: JID, nick: String?
  ) -> [AsyncThrowingStream<Void, any Error>.Continuation] {
    guard message.isSubjectChange, message.delay == nil else { return [] }
    let text = message.subject ?? ""
    // Prosody's has an id of its own, or none.
    let isOwn = sender.resource == nick
    var callers: [AsyncThrowingStream<Void, any Error>.Continuation] = []
    for (id, request) in requests where request.room == sender.bare {
      guard case .subject(let wanted, let caller) = request.kind,
        id == message.id || isOwn && wanted == text
      else { continue }
      requests[id] = nil
      callers.append(caller)
    }
    return callers
  }

  /// Removes and returns the request that an error refuses.
  /// - Parameter attempt: the current visit to a room; `nil`: the room is not known.
  mutating func takeRefused(
    by message: MessageStanza, from sender: JID, attempt: (JID) -> Int?
  ) -> Request? {
    guard let id = message.id, let request = requests[id], request.isRefused(by: sender),
      attempt(request.room) == request.attempt
    else { return nil }
    requests[id] = nil
    return request
  }

  /// Removes all: the connection is gone, and the answers with it.
  mutating func end() {
    for case .subject(_, let caller) in requests.values.map(\.kind) {
      caller.finish(throwing: ChannelError.notConnected)
    }
    requests = [:]
  }
}
