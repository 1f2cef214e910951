import NatterCore
import Text
import XMPP

// Correcting messages, and answering them.
extension ShellViewModel {
  /// Loads the selected message, or else the user's last, into the input for a correction; with a
  /// text, it is replaced at once.
  /// - Throws: `NatterError` when there is none that could be.
  package func editMessage(_ text: String) throws {
    let message = try messageToEdit()
    guard text.isEmpty else { return correct(message, with: text, typed: "/edit " + text) }
    WholeText(shell: self).of(message) {
      $0.input.beginEdit(of: $1)
      $0.showAim()
    }
  }

  /// The same for a key: errors are shown.
  package func beginEdit() {
    do { try editMessage("") } catch { report(error) }
  }

  private func messageToEdit() throws -> Message {
    guard ports.relating != nil, let jid = activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    if let error = obstacle(to: jid) { throw error }
    let chosen = timeline.selectedMessage
    guard let message = chosen ?? timeline.recentMessages.first(where: \.isOwnText) else {
      throw NatterError(.invalidInput, "error.noOwnMessage")
    }
    guard message.isOwnText else { throw NatterError(.refused, "error.noEdit") }
    return message
  }

  /// Makes the input a reply to the selected message, or else to the last one received; with a
  /// text, it is sent at once.
  /// - Throws: `NatterError` when there is none, or nothing can be sent there.
  package func replyToMessage(_ text: String) throws {
    let message =
      timeline.selectedMessage ?? timeline.recentMessages.first {
        $0.direction == .incoming && !$0.isRetracted
      }
      ?? timeline.messageInHand
    guard ports.relating != nil, let jid = activeConversation, let message, !message.isRetracted
    else { throw message.absence("error.noReply") }
    if let error = obstacle(to: jid) { throw error }
    guard text.isEmpty else { return reply(to: message, with: text, typed: "/reply " + text) }
    input.beginReply(to: message)
    showAim()
  }

  /// The same for a key: errors are shown. A failed message is sent again instead.
  package func beginReply() {
    if case .failed? = timeline.selectedMessage?.delivery { return retryFailed() }
    do { try replyToMessage("") } catch { report(error) }
  }

  /// Has what is typed be a message of its own again.
  /// - Returns: whether it was none.
  package func endAim() -> Bool {
    guard input.endAim() else { return false }
    showAim()
    return true
  }

  /// Shows what the input is for, as long as it is.
  func showAim() {
    let text =
      switch input.aim {
      case .edit: format.localizer("input.editing")
      case .reply(let message):
        format.localizer(
          message.isEncrypted
            ? "input.replyingUnencrypted"
            : message.direction == .outgoing ? "input.replyingSelf" : "input.replying",
          [
            "name": timeline.author(of: message),
            // Room for the key beside it, on a narrow screen, too.
            "text": format.shortText(of: message, by: timeline.author(of: message), now: now()),
          ])
      case nil: nil as String?
      }
    status.ask(input.pasteQuestion ?? text)
  }

  /// Sends what was typed, as what it is for.
  func deliver(_ body: String, typed: String, to jid: JID, for aim: ComposeMode?) {
    switch aim {
    case .edit(let message, _): correct(message, with: body, typed: typed)
    case .reply(let message): reply(to: message, with: body, typed: typed)
    case nil: deliver(body, typed: typed, to: jid)
    }
  }

  private func correct(_ message: Message, with body: String, typed: String) {
    guard let relating = ports.relating, body != message.body else { return }
    queue(typed, in: message.conversation) { try await relating.correct(message, with: body) }
  }

  private func reply(to message: Message, with body: String, typed: String) {
    guard let relating = ports.relating else { return }
    timeline.personWrote()
    queue(typed, in: message.conversation) {
      try await relating.send(body, replyingTo: message)
    }
  }

  /// Runs `work` after earlier work; the typed text comes back if it could not be stored.
  func queue(
    _ typed: String, in jid: JID, _ work: @escaping @MainActor () async throws -> Void
  ) {
    lifetime.inOrder { [weak self] in
      do {
        try await work()
      } catch {
        if !typed.isEmpty { self?.input(of: jid).restore(typed, to: jid) }
        self?.report(error)
      }
    }
  }

  /// Goes to the message that another one answers.
  func reveal(_ reply: Message.Reply, in jid: JID) {
    lifetime.aside { [weak self, ports] in
      do {
        guard let found = try await ports.timeline.storedMessage(named: reply.id, in: jid) else {
          self?.show(StatusNotice(.info, "status.answeredNotHere"))
          return
        }
        guard let self, activeConversation == jid else { return }
        timeline.reveal(found.id)
        if timeline.isFocused { timeline.select(found.id) }
      } catch {
        self?.report(error)
      }
    }
  }
}

extension Message {
  /// Indicates whether the user wrote it as text and it has not failed.
  nonisolated var isOwnText: Bool {
    if case .failed = delivery { return false }
    return direction == .outgoing && !isRetracted && file == nil && originID != nil
      && content == nil
  }
}
