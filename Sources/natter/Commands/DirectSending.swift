import ConnectionService
import NatterCore
import Synchronization
import XMPP

/// Sends one message over a session of its own, while another Natter has the account's database.
nonisolated struct DirectSending: Sendable {
  let stream: any LiveStream
  let account: JID
  private let identifiers = IdentifierSource()
  /// Says why it was refused.
  private let explain: @Sendable (StanzaError) -> String
  /// Says that the server ends the connection over it.
  private let rejection: @Sendable (StreamError) -> String

  init(
    stream: any LiveStream, account: JID, explain: @escaping @Sendable (StanzaError) -> String,
    rejection: @escaping @Sendable (StreamError) -> String
  ) {
    self.stream = stream
    self.account = account.bare
    self.explain = explain
    self.rejection = rejection
  }

  /// Sends `body` to a person or a room, while somebody runs the stream.
  /// - Returns: `.accepted` when the server has it and has not refused it, or the room has told it to everybody.
  func send(_ body: String, to recipient: JID) async -> SendCommand.Outcome {
    let outcome: SendCommand.Outcome?
    do {
      outcome = try await isRoom(recipient)
        ? tell(body, to: recipient) : sendToPerson(body, recipient)
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

  private func message(_ body: String, _ id: String, to recipient: JID, _ type: String) -> Element {
    Element(
      "message", Namespace.client,
      ["type": type, "id": id, "to": recipient.description],
      [
        Element("body", Namespace.client, text: body),
        Element("origin-id", Namespace.stanzaIDs, ["id": id]),
      ])
  }

  private func sendToPerson(_ body: String, _ recipient: JID) async throws -> SendCommand.Outcome? {
    let id = identifiers.next()
    let refusal = Mutex<StanzaError?>(nil)
    try await stream.send(message(body, id, to: recipient, "chat"))
    return await withTaskGroup(of: SendCommand.Outcome?.self) { group in
      group.addTask {
        for await stanzas in stream.incoming {
          for case .message(let message) in stanzas
          where message.kind == .error && message.id == id && message.from?.bare == recipient {
            refusal.withLock { $0 = message.error }
          }
          await stream.markHandled(stanzas.count)
        }
        return nil
      }
      group.addTask {
        for await ids in stream.acknowledged where ids.contains(id) {
          // Without an answer the acknowledgement is all that there is.
          try? await stream.settle(timeout: SendCommand.refusalLimit)
          return refusal.withLock { $0 }.map { .failed(explain($0)) } ?? .accepted
        }
        return nil
      }
      defer { group.cancelAll() }
      while let next = await group.next() {
        if let next { return next }
      }
      return nil
    }
  }

  /// Whether what answers there calls itself a room (XEP-0045 §6.4). People's servers say something else, or nothing.
  private func isRoom(_ jid: JID) async -> Bool {
    let question = Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", Namespace.discoInfo)])
    guard let answer = try? await stream.request(question, timeout: .seconds(10)),
      let found = answer.first("query", Namespace.discoInfo).flatMap({ XEP0030Discovery($0) })
    else { return false }
    return found.identities.contains { $0.category == "conference" }
  }

  /// Goes in under the name that the person has there, says it, and is gone with the stream.
  private func tell(_ body: String, to room: JID) async throws -> SendCommand.Outcome? {
    let bookmark = try await bookmark(of: room)
    let nick = bookmark?.nick ?? account.local ?? account.domain
    guard let seat = room.with(resource: nick) else {
      return .failed(explain(StanzaError(.modify, .jidMalformed)))
    }
    try await stream.send(
      Element(
        "presence", Namespace.client, ["to": seat.description],
        [XEP0045.entrance(password: bookmark?.password, history: .none)]))
    let id = identifiers.next()
    for await stanzas in stream.incoming {
      for stanza in stanzas {
        switch stanza {
        case .presence(let presence) where presence.from?.bare == room:
          if presence.kind == .error {
            return .failed(explain(presence.error ?? StanzaError(.cancel, .undefinedCondition)))
          }
          guard let said = XEP0045Presence(presence), said.codes.contains(110) else { continue }
          try await stream.send(message(body, id, to: room, "groupchat"))
        case .message(let message) where message.from?.bare == room && message.id == id:
          if message.kind == .groupchat { return .accepted }
          return .failed(explain(message.error ?? StanzaError(.cancel, .undefinedCondition)))
        default: break
        }
      }
      await stream.markHandled(stanzas.count)
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
