import NatterCore
import XMPP

/// The drafts that other programs store in the account's database, such as clients of the bridge.
enum OutsideDrafts {
  /// Takes over the drafts of changed conversations in which nothing is typed: the next save would
  /// replace them otherwise.
  static func take(from event: DomainEvent, in shell: ShellViewModel) {
    guard case .conversationsChanged(let changed) = event else { return }
    for conversation in changed where !conversation.draft.isEmpty {
      let jid = conversation.jid
      if isFree(jid, in: shell.input(of: jid)) { take(of: jid, in: shell) }
    }
  }

  private static func take(of jid: JID, in shell: ShellViewModel) {
    shell.lifetime.inOrder { [weak shell, conversations = shell.ports.conversations] in
      do {
        // What was saved here since is stored by now: the event may be older.
        let draft = try await conversations.conversation(jid)?.draft ?? ""
        guard let input = shell?.input(of: jid), !draft.isEmpty, isFree(jid, in: input) else {
          return
        }
        input.drafts[jid] = draft
        if jid == input.conversation { input.replaceText(draft) }
      } catch {
        shell?.report(error)
      }
    }
  }

  /// Returns whether the conversation was shown, and has no text of the user.
  private static func isFree(_ jid: JID, in input: InputViewModel) -> Bool {
    let memory = input.memory
    guard memory.drafts[jid] == "", memory.pastes[jid] == nil, memory.setAside[jid] == nil,
      memory.aims[jid] == nil, memory.held[jid] == nil, !memory.unsaved.contains(jid)
    else { return false }
    return jid != input.conversation || input.text.isEmpty
  }
}
