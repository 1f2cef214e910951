import NatterCore
import XMPP

extension Outbox: IdentifiedMessageSending {
  package func send(
    _ body: String, originID: String, replyingTo original: Message?, in thread: Message.Thread?,
    to conversation: JID, by program: String?
  ) async throws -> Message {
    var (reply, choice) = (Message.Reply?.none, ThreadChoice.ofConversation)
    if let original {
      reply = try await self.reply(to: original)
      // Of the same conversation: no id of a thread becomes known elsewhere.
      choice = .given(original.conversation == conversation ? original.thread : nil)
    }
    if let thread { choice = .given(thread) }
    return try await send(
      body, nil, reply: reply, in: choice, originID: originID, to: conversation, by: program)
  }
}

// Messages that refer to another one.
extension Outbox {
  @discardableResult
  package func send(_ body: String, replyingTo message: Message) async throws -> Message {
    try await send(
      body, originID: options.identifiers.next(), replyingTo: message, in: nil,
      to: message.conversation)
  }

  private func reply(to message: Message) async throws -> Message.Reply {
    let route = await routes?.route(to: message.conversation) ?? .direct
    // Private messages of an occupant are between two.
    let isRoom = route != .direct && message.conversation.isBare
    guard let reply = Message.Reply(to: message, inRoom: isRoom) else {
      throw NatterError(.refused, "error.noReply", retry: .never)
    }
    return reply
  }

  package func correct(_ message: Message, with body: String) async throws {
    guard
      let changed = try await store.relations.enqueueCorrection(
        of: message.id, body: body, from: account, originID: options.identifiers.next(), at: now())
    else { throw NatterError(.refused, "error.noEdit", retry: .never) }
    hub.publish(.messagesChanged([changed]))
    await flush(searches: false)
  }

  package func react(_ emoji: String, to message: Message) async throws {
    guard
      let changed = try await store.relations.enqueueReaction(
        emoji, to: message.id, from: account, originID: options.identifiers.next(), at: now())
    else { throw NatterError(.refused, "error.noReaction", retry: .never) }
    hub.publish(.messagesChanged([changed]))
    await flush(searches: false)
  }

  package func retract(_ message: Message) async throws {
    switch try await store.relations.enqueueRetraction(
      of: message.id, from: account, originID: options.identifiers.next(), at: now())
    {
    case .gone: hub.publish(.messagesRemoved(conversation: message.conversation, [message.id]))
    case .retracted(let changed):
      hub.publish(.messagesChanged(changed))
      await flush(searches: false)
    case nil: throw NatterError(.refused, "error.noRetraction", retry: .never)
    }
  }
}
