import NatterCore
import Text
import XMPP

/// The messages that the user has pinned in a conversation: on this device only, and listed when
/// the user asks for them.
package struct PinnedMessages {
  let shell: ShellViewModel

  /// The greatest number of pinned messages of a conversation.
  static let limit = 100

  /// Pins the message in hand, or unpins it.
  package func toggle() { change { $0.contains($1) ? .unpin : .pin } }

  func pin() { change { _, _ in .pin } }
  func unpin() { change { _, _ in .unpin } }

  private enum Change { case pin, unpin }

  private func change(_ choose: @escaping @MainActor ([Message.ID], Message.ID) -> Change) {
    guard let jid = shell.activeConversation, let message = shell.timeline.messageInHand,
      !message.isRetracted
    else { return shell.show(shell.timeline.messageInHand.absence) }
    work { shell, preferences in
      let key = PreferenceKey.pins(of: jid)
      var ids = Self.ids(try await preferences.values()[key])
      let isPinned = ids.contains(message.id)
      let notice: String
      switch choose(ids, message.id) {
      case .pin:
        notice = isPinned ? "status.pins.already" : "status.pins.pinned"
        if !isPinned, ids.count >= Self.limit {
          ids = try await Self.messages(ids, in: jid, shell).map(\.id)
        }
        guard isPinned || ids.count < Self.limit else {
          throw NatterError(.invalidInput, "error.pinsFull", ["count": "\(Self.limit)"])
        }
        if !isPinned { ids.append(message.id) }
      case .unpin:
        notice = isPinned ? "status.pins.unpinned" : "status.pins.notPinned"
        ids.removeAll { $0 == message.id }
      }
      try await preferences.setValue(Self.text(of: ids), for: key)
      shell.show(StatusNotice(.info, notice))
    }
  }

  /// Lists the pinned messages of the open conversation, the newest first; Enter goes to one.
  /// - Throws: `NatterError` if no conversation is open.
  func list() throws {
    guard let jid = shell.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    work { shell, preferences in
      let ids = Self.ids(try await preferences.values()[PreferenceKey.pins(of: jid)])
      var messages = try await Self.messages(ids, in: jid, shell)
      guard !messages.isEmpty else {
        return shell.show(StatusNotice(.info, "status.pins.none"))
      }
      messages.sort { $0.position > $1.position }
      MessageList(shell: shell).offer(
        messages, in: jid, title: shell.format.localizer("pins.title"))
    }
  }

  /// Returns the pinned messages that are left. Deleted ones stay in the value until it is full.
  private static func messages(
    _ ids: [Message.ID], in jid: JID, _ shell: ShellViewModel
  ) async throws -> [Message] {
    var messages: [Message] = []
    for id in ids {
      guard let message = try await shell.ports.timeline.storedMessage(id),
        message.conversation == jid, !message.isRetracted
      else { continue }
      messages.append(message)
    }
    return messages
  }

  /// Works with the stored values, in the order of the user's actions.
  private func work(
    _ body: @escaping @MainActor (ShellViewModel, any PreferenceStoring) async throws -> Void
  ) {
    guard let preferences = shell.ports.preferences else {
      return shell.report(NatterError(.refused, "error.pinsOff"))
    }
    shell.lifetime.inOrder { [weak shell] in
      guard let shell else { return }
      do { try await body(shell, preferences) } catch { shell.report(error) }
    }
  }

  /// Reads a stored value; parts that are no numbers are left out.
  static func ids(_ text: String?) -> [Message.ID] {
    (text ?? "").split(separator: " ").compactMap { Int64($0).map(Message.ID.init) }
  }

  static func text(of ids: [Message.ID]) -> String? {
    ids.isEmpty ? nil : ids.map { String($0.rawValue) }.joined(separator: " ")
  }
}
