import NatterCore
import Text
import ViewModels
import XMPP

// Failed messages and files of a conversation: sent again, fetched again, or dropped.
extension PlainSession {
  /// Prints that a message was not sent, and what can be done about it.
  func reportFailure(of message: Message) {
    guard case .failed(let reason) = message.delivery else { return }
    say(
      rooms[message.conversation]?.role == .visitor ? "plain.failed-voice" : "plain.failed",
      [
        "name": name(message.conversation), "reason": reason,
        "address": message.conversation.description,
      ])
  }

  /// `/retry [JID]`: retries what failed in a conversation, by default the current one.
  func retry(_ argument: String) async {
    guard let jid = await meant(argument) else { return }
    do {
      let messages = try await failedMessages(with: jid)
      for message in messages { try await ports.sending.retry(message) }
      let transfers = await ports.files.transfers(in: jid).filter(\.state.isOver)
      if messages.isEmpty, transfers.isEmpty { return say("status.nothingToRetry") }
      var count = messages.count
      for transfer in transfers where await ports.files.retry(transfer.id) { count += 1 }
      if count > 0 { print(format.localizer.plural("plain.retrying", count)) }
    } catch {
      report(error)
    }
  }

  /// `/cancel [JID]`: drops what failed in a conversation, by default the current one. If nothing
  /// failed, retracts the newest pending message; else cancels uploads, when repeated.
  /// - Parameter asked: the question of the previous command.
  func cancel(_ argument: String, asked: PlainQuestion?) async {
    guard let jid = await meant(argument) else { return }
    do {
      let messages = try await failedMessages(with: jid)
      for message in messages { try await ports.sending.cancel(message) }
      let all = await ports.files.transfers(in: jid)
      let failed = all.filter(\.state.isOver)
      for transfer in failed { try await ports.files.cancel(transfer.id) }
      let count = messages.count + failed.count
      if count > 0 { return print(format.localizer.plural("plain.dropped", count)) }
      if let waiting = try await waitingMessage(with: jid) {
        try await ports.sending.cancel(waiting)
        return say("status.takenBack", ["text": ErrorText.oneLine(shortened(waiting.body))])
      }
      guard !all.isEmpty else { return say("status.nothingToCancel") }
      guard case .cancel(let known) = asked, all.allSatisfy({ known.contains($0.id) }) else {
        question = .cancel(all.map(\.id))
        return say("plain.cancel", ["names": localizer.list(all.map(\.name))])
      }
      for transfer in all { try await ports.files.cancel(transfer.id) }
      print(format.localizer.plural("plain.dropped", all.count))
    } catch {
      report(error)
    }
  }

  /// Returns the conversation that a command with a name, or without one, is about.
  private func meant(_ argument: String) async -> JID? {
    if !argument.isEmpty {
      guard let jid = person(argument) else { return nil }
      do { return try await meant(by: jid) } catch {
        report(error)
        return nil
      }
    }
    if current == nil { say("plain.no-conversation") }
    return current
  }

  /// As far back as a person looks.
  private static let reach = 500

  /// The newest message that waits to be sent, and not for a file of its own.
  private func waitingMessage(with jid: JID) async throws -> Message? {
    try await ports.timeline.latest(Self.reach, in: jid).last {
      $0.direction == .outgoing && $0.delivery == .queued
    }
  }

  private func failedMessages(with jid: JID) async throws -> [Message] {
    try await ports.timeline.latest(Self.reach, in: jid).filter {
      if case .failed = $0.delivery { true } else { false }
    }
  }
}
