import NatterCore
import XMPP

/// The decision which queued messages may be written to the session now. A value without I/O.
struct SendSelection {
  /// The messages, in the order of typing.
  let messages: [Message]
  /// The routes to their conversations; `.direct` for those that are missing.
  let routes: [JID: MessageRoute]

  /// Selects those of `queued` that are not written yet.
  /// - Parameter waiting: the conversations whose messages have to wait.
  static func unwritten(
    of queued: [Message], in session: OutboxSession, except waiting: Set<JID> = []
  ) -> [Message] {
    queued.filter {
      !session.written.contains($0.originID ?? "") && !waiting.contains($0.conversation)
    }
  }

  /// The messages that have a route. Messages for a room that is not joined yet wait.
  var ready: [Message] {
    messages.filter {
      switch route(of: $0) {
      case .direct, .room, .occupant: true
      case .held, .outside: false
      }
    }
  }

  /// The messages for rooms that the user has left, which fail.
  var outside: [Message] { messages.filter { route(of: $0) == .outside } }

  func route(of message: Message) -> MessageRoute { routes[message.conversation] ?? .direct }
}
