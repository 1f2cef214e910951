import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Sending messages, and changing those that were sent.
enum SendingMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod(
      "messages.send", .sendMessages,
      [
        .required("conversation", .address), .required("body", .filled(BridgeLimits.body)),
        BridgeParameter("reply_to", .message),
        BridgeParameter("thread", .filled(Message.Thread.idLimit)),
        BridgeParameter("request_id", .filled(BridgeLimits.requestID)),
        BridgeParameter("wait", .choice(["stored", "sent"])),
      ],
      answering: { call in
        let account = try call.account
        let conversation = try await call.recipient()
        let waits = call.arguments.text("wait") == "sent"
        // Subscribed first, so that no change is missed.
        let events = waits ? account.hub.events() : nil
        let message = try await send(call, to: conversation)
        var answer = BridgeAnswer(try await call.answer(message))
        if let events {
          let clock = call.bridge.options.clock
          answer.waiting = {
            let wait = DeliveryWait(account: account, clock: clock)
            return try await call.answer(wait.wait(for: message, events))
          }
        }
        return answer
      }),
    BridgeMethod(
      "messages.react", .sendMessages,
      [.required("message", .message), .required("emoji", .filled(64))]
    ) { call in
      let message = try await call.message()
      try await call.services.sending.react(call.text("emoji"), to: message)
      return try await call.changed(message)
    },
    BridgeMethod(
      "messages.edit", .sendMessages,
      [.required("message", .message), .required("body", .filled(BridgeLimits.body))]
    ) { call in
      let message = try await call.ownMessage()
      try await call.services.sending.correct(message, with: call.text("body"))
      return try await call.changed(message)
    },
    BridgeMethod("messages.retract", .sendMessages, [.required("message", .message)]) { call in
      let message = try await call.ownMessage()
      try await call.services.sending.retract(message)
      return try await call.changed(message)
    },
  ]

  private static func send(_ call: BridgeCall, to conversation: JID) async throws -> Message {
    let (account, body) = (try call.account, try call.text("body"))
    let sending = try account.services.sending
    var original: Message?
    if call.arguments.message("reply_to") != nil {
      let message = try await call.message("reply_to")
      guard message.conversation == conversation else {
        throw BridgeError.parameter("reply_to", "is a message of another conversation")
      }
      original = message
    }
    var thread: Message.Thread?
    if let id = call.arguments.text("thread") {
      guard let named = Message.Thread(id: id) else {
        throw BridgeError.parameter("thread", "is not the id of a thread")
      }
      thread = named
    }
    let repetition = RepeatedRequest(call, conversation)
    if let known = try await repetition?.message() {
      guard repetition?.isText(body, of: known) == true else {
        throw BridgeError.parameter("request_id", "was used for another text")
      }
      if let sender = try call.sender { call.bridge.sent.noteOwn(known.id, of: sender) }
      return known
    }
    try await call.checkLimits(to: conversation)
    let message = try await sending.send(
      body, originID: repetition?.originID ?? IdentifierSource().next(), replyingTo: original,
      in: thread, to: conversation, by: call.clientName)
    if let sender = try call.sender {
      call.bridge.sent.note(message, of: sender, at: call.bridge.options.clock.steady())
    }
    return message
  }
}

extension BridgeCall {
  /// The newest messages among which an answer to a client's own is looked for.
  private static let latest = 64

  /// Who sends, if it is a client with a name.
  fileprivate var sender: SentMessages.Sender? {
    get throws(BridgeError) {
      guard let clientName else { return nil }
      return SentMessages.Sender(client: clientName, account: try account.jid)
    }
  }

  /// Checks that the client has not sent too many messages to a conversation.
  /// - Throws: `BridgeError.Code.tooFast`.
  fileprivate func checkLimits(to conversation: JID) async throws {
    guard let sender = try sender else { return }
    let timeline = try account.stores.timeline
    let pause = try await bridge.sent.pause(
      of: sender, to: conversation, limits, at: bridge.options.clock.steady()
    ) {
      try await timeline.latest(Self.latest, in: conversation)
    }
    if let pause { throw BridgeError.tooFast(pause) }
  }

  /// Returns the message of the parameter `message`, which the user sent; with a name, the client
  /// itself.
  fileprivate func ownMessage() async throws -> Message {
    let message = try await message()
    guard message.direction == .outgoing else {
      throw BridgeError.parameter("message", "is not the user's own")
    }
    if let sender = try sender, !bridge.sent.isOwn(message.id, of: sender) {
      throw BridgeError.parameter("message", "was not sent by this program")
    }
    return message
  }

  /// Returns the answer for a message after a change.
  fileprivate func changed(_ message: Message) async throws -> JSONLine {
    let account = try account
    guard let changed = try await account.stores.timeline.storedMessage(message.id) else {
      return JSONLine { $0.add("removed", true) }
    }
    return try await answer(changed)
  }

  /// Returns the answer about a message. Without the right to read it has nothing that others
  /// wrote: a script could react to their messages, or answer them, only to read them.
  fileprivate func answer(_ message: Message) async throws -> JSONLine {
    let account = try account
    guard try await !mayRead(message) else {
      let object = try await account.object(message)
      return JSONLine { $0.add("message", object) }
    }
    let object = JSONLine.reference(to: message.conversation, of: account.jid) {
      $0.add("id", String(message.id.rawValue))
      $0.add(message.delivery)
    }
    return JSONLine { $0.add("message", object) }
  }

  /// Returns whether the client may read a message, without asking the user.
  private func mayRead(_ message: Message) async throws -> Bool {
    let (account, rights) = (try account, await session.rights ?? .none)
    guard case .held(let scope) = rights.current(.readMessages, in: account.jid) else {
      return false
    }
    if scope.isAll { return true }
    return scope.contains(message.conversation, try await account.kind(of: message.conversation))
  }
}

/// A request to send that may be the repetition of an earlier one: the same `request_id` of the
/// same client within 24 hours is the same message.
///
/// The message's origin-id is made of it, so that a repetition is detected by another instance, and
/// after a crash.
private struct RepeatedRequest {
  /// The id of a message that is sent now.
  let originID: String
  /// The id that the message has if the request was first sent on the day before.
  private let earlierID: String
  private let account: BridgeAccount
  private let conversation: JID
  private let now: Date

  /// - Returns: `nil` for a request without a `request_id`.
  init?(_ call: BridgeCall, _ conversation: JID) {
    guard let request = call.arguments.text("request_id"), let account = try? call.account else {
      return nil
    }
    let options = call.bridge.options
    now = options.clock.now()
    let ids = options.originIDs(
      of: request, by: call.clientName, in: account.jid, to: conversation, at: now)
    (originID, earlierID) = (ids.today, ids.yesterday)
    (self.account, self.conversation) = (account, conversation)
  }

  /// Returns whether a message was sent with a text, as far as that is known.
  func isText(_ body: String, of message: Message) -> Bool {
    if message.isEdited || message.isRetracted || message.isShortened { return true }
    // In the form that is stored.
    let stored = IncomingMessage(
      conversation: conversation, sender: account.jid, body: body, sentAt: now, originID: nil
    ).body
    return stored.utf8.elementsEqual(message.body.utf8)
  }

  /// Returns the message that the request has sent before; `nil` if there is none.
  func message() async throws -> Message? {
    for id in [originID, earlierID] {
      guard
        let message = try await account.stores.timeline.storedMessage(
          named: id, in: conversation), message.direction == .outgoing
      else { continue }
      if now.timeIntervalSince(message.sentAt) < BridgeOptions.requestPeriod { return message }
    }
    return nil
  }
}

/// Waits until the server has a message.
private struct DeliveryWait {
  private static let limit = Duration.seconds(60)

  let account: BridgeAccount
  let clock: BridgeClock

  /// - Returns: the message as it is then.
  /// - Throws: `BridgeError`: `timedOut` if it is still queued, `refused` if it failed.
  func wait(for message: Message, _ events: AsyncStream<DomainEvent>) async throws -> Message {
    let sent = try await acknowledgement(of: message, events)
    // A server that has taken a message may still refuse it, and does so at once.
    guard let reason = await (try? account.services.deliveries)?.refusal(of: sent.id) else {
      return try await account.stores.timeline.storedMessage(sent.id) ?? sent
    }
    throw failure(of: sent, reason)
  }

  private func acknowledgement(
    of message: Message, _ events: AsyncStream<DomainEvent>
  ) async throws -> Message {
    if let settled = try await settled(message) { return settled }
    return try await withThrowingTaskGroup(of: Message?.self) { group in
      group.addTask {
        for await event in events {
          switch event {
          case .messagesChanged(let changed):
            guard let found = changed.first(where: { $0.id == message.id }),
              let settled = try await settled(found)
            else { continue }
            return settled
          case .messagesRemoved(_, let ids) where ids.contains(message.id):
            throw BridgeError(.cancelled, "the user removed the message")
          default: continue
          }
        }
        return nil
      }
      group.addTask {
        try await clock.sleep(Self.limit)
        throw BridgeError(
          .timedOut, "the message stays queued",
          details: ["message": .text(String(message.id.rawValue))])
      }
      defer { group.cancelAll() }
      guard let found = try await group.next() ?? nil else { throw CancellationError() }
      return found
    }
  }

  private func settled(_ message: Message) async throws -> Message? {
    switch message.delivery {
    case .queued: return nil
    case .failed(let reason):
      guard await (try? account.services.deliveries)?.isOversized(message) == true else {
        throw failure(of: message, reason)
      }
      throw failure(of: message, reason, .tooLarge)
    case .sent, .delivered, .read, nil: return message
    }
  }

  private func failure(
    of message: Message, _ reason: String, _ code: BridgeError.Code = .refused
  ) -> BridgeError {
    BridgeError(
      code, "the message failed", failure: reason,
      details: ["message": .text(String(message.id.rawValue))])
  }
}
