import NatterCore
import Text
import XMPP

// Effects on messages without a text: reacting, and taking messages back.
extension ShellViewModel {
  /// Sends a reaction to the selected message, or else the newest; the same again removes it.
  /// Without a text, lists the emoji.
  /// - Parameter text: an emoji, or its name, in colons or not.
  /// - Throws: `NatterError` when there is no message, or no such emoji.
  package func reactToMessage(_ text: String) throws {
    let message =
      timeline.selectedMessage ?? timeline.recentMessages.first { !$0.isRetracted }
    guard ports.relating != nil, let jid = activeConversation, let message, !message.isRetracted
    else { throw message.absence("error.noReaction") }
    if let error = obstacle(to: jid) { throw error }
    guard !text.isEmpty else {
      return pickEmoji { [weak self] in self?.react($0, to: message, typed: "") }
    }
    guard let emoji = format.emojiNames.emoji(from: text) else {
      throw NatterError(.invalidInput, "error.noSuchEmoji", ["name": text])
    }
    react(emoji, to: message, typed: "/react " + text)
  }

  /// The same for a key: errors are shown.
  package func beginReaction() {
    do { try reactToMessage("") } catch { report(error) }
  }

  private func react(_ emoji: String, to message: Message, typed: String) {
    guard let relating = ports.relating else { return }
    queue(typed, in: message.conversation) { try await relating.react(emoji, to: message) }
  }

  /// Deletes the selected message, or else the user's last, after a question.
  /// - Throws: `NatterError` when there is none that could be.
  package func deleteMessage() throws {
    guard ports.relating != nil, let jid = activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    if let error = obstacle(to: jid) { throw error }
    let message =
      timeline.selectedMessage
      ?? timeline.recentMessages.first { $0.direction == .outgoing && !$0.isRetracted }
    guard let message else { throw NatterError(.invalidInput, "error.noOwnMessage") }
    guard message.direction == .outgoing, !message.isRetracted else {
      throw NatterError(.refused, "error.noRetraction")
    }
    let said = format.bodyText(of: message, by: timeline.author(of: message), now: now())
    let text = ErrorText.oneLine(message.file?.safeName ?? said)
    actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.deleteTitle",
        // A pending message was not seen yet.
        textKey: message.isUnsent ? "confirm.deleteWaiting" : "confirm.delete",
        acceptKey: "confirm.deleteAccept",
        arguments: ["text": text.count > 60 ? text.prefix(59) + "…" : text]
      ) { [weak self] in self?.delete(message) })
  }

  /// The same for a key: errors are shown.
  package func beginDeletion() {
    do { try deleteMessage() } catch { report(error) }
  }

  private func delete(_ message: Message) {
    guard let relating = ports.relating else { return }
    if case .edit(let edited, _)? = input.aim, edited.id == message.id { _ = endAim() }
    queue("", in: message.conversation) { try await relating.retract(message) }
  }
}
