import XMPP

// Input that does not go out: it comes back, and is kept.
extension InputViewModel {
  /// Restores a command that was refused after it was taken, unless the user has typed since.
  /// - Returns: whether it is in the input again.
  func giveBack(_ line: String) -> Bool {
    guard text.isEmpty, pendingPaste == nil else { return false }
    replaceText(line)
    return true
  }

  /// The same for a conversation that was left meanwhile.
  func giveBack(_ line: String, asDraftOf jid: JID) {
    if !hasDraft(of: jid) { save(line, of: jid) }
  }

  /// A message could not be stored: its text comes back, before what was typed since.
  package func restore(_ lost: String, to jid: JID) {
    if jid == conversation {
      replaceText(text.isEmpty ? lost : lost + "\n" + text)
      saveDraft()
    } else {
      let draft = drafts[jid] ?? ""
      save(draft.isEmpty ? lost : lost + "\n" + draft, of: jid)
    }
  }

  /// Makes `draft` the draft of a conversation that is not open.
  package func keep(_ draft: String, in jid: JID) { save(draft, of: jid) }

  /// Returns whether a conversation has a draft or a paste to keep.
  func hasDraft(of jid: JID) -> Bool {
    !drafts[jid, default: ""].isEmpty || memory.pastes[jid] != nil
  }

  /// A paste with an open question is in the saved draft: only the disk outlives the program.
  func pasteChanged() {
    guard let conversation else { return }
    memory.changedPastes.insert(conversation)
    scheduleSave()
  }
}
