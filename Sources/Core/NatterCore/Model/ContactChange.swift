import XMPP

/// A change of a contact or of the block list that the server has not accepted yet.
package struct ContactChange: Identifiable, Hashable, Sendable {
  /// The requested change.
  package enum Operation: Hashable, Sendable {
    /// `message` is sent with the subscription request, in one line.
    case add(name: String?, invitation: String?, message: String? = nil)
    /// `nil` restores the nickname that the contact publishes.
    case rename(String?)
    case regroup([String])
    case remove
    /// Repeats the request to see the contact's presence.
    case ask
    case approve
    case deny
    case block(AbuseReport?)
    case unblock
  }

  /// The aspect of a contact that a change affects: of two changes of the same one, the later
  /// applies.
  package enum Subject: String, Hashable, Sendable, CaseIterable {
    case entry, name, groups, presence, answer, blocking
  }

  /// Increases with time.
  package let id: Int64
  /// A bare address; for the block list, any address.
  package let jid: JID
  package let operation: Operation
  /// The server's reason to refuse it; `nil` if it waits for a connection.
  package var refusal: StatusNotice?

  package init(id: Int64, jid: JID, operation: Operation, refusal: StatusNotice? = nil) {
    self.id = id
    self.jid = jid
    self.operation = operation
    self.refusal = refusal
  }

  /// Indicates whether it waits for a connection.
  package var isWaiting: Bool { refusal == nil }
}

extension ContactChange.Operation {
  /// The aspect of the contact that the change affects.
  package var subject: ContactChange.Subject {
    switch self {
    case .add, .remove: .entry
    case .rename: .name
    case .regroup: .groups
    case .ask: .presence
    case .approve, .deny: .answer
    case .block, .unblock: .blocking
    }
  }

  /// Returns whether it makes an earlier change of the same contact obsolete.
  package func replaces(_ earlier: ContactChange.Operation) -> Bool {
    if subject == earlier.subject { return true }
    switch self {
    case .add: return [.name, .groups].contains(earlier.subject)
    case .remove: return [.name, .groups, .presence].contains(earlier.subject)
    // Naming a contact implies keeping it.
    case .rename, .regroup: return earlier == .remove
    default: return false
    }
  }
}

extension Contact {
  /// Applies a change, unless it was refused.
  package mutating func take(_ change: ContactChange) {
    guard change.isWaiting else { return }
    switch change.operation {
    case .add(let name, _, _): self.name = name ?? self.name
    case .rename(let name): self.name = name
    case .regroup(let groups): self.groups = groups
    default: break
    }
  }

  /// The roster as the user wants it: the server's, with the pending changes applied.
  package static func list(_ contacts: [Contact], with changes: [ContactChange]) -> [Contact] {
    guard !changes.isEmpty else { return contacts }
    var changed = Dictionary(
      grouping: changes.filter { $0.operation.subject != .blocking }, by: \.jid)
    var list = contacts
    for index in list.indices {
      guard let news = changed.removeValue(forKey: list[index].jid) else { continue }
      for change in news { list[index].take(change) }
      list[index].changes = news
    }
    for (jid, news) in changed {
      // An added contact is listed although the server does not have it yet.
      guard news.contains(where: { if case .add = $0.operation { true } else { false } }) else {
        continue
      }
      var contact = Contact(jid: jid)
      for change in news { contact.take(change) }
      contact.changes = news
      list.append(contact)
    }
    return list
  }
}

/// An address whose messages the server discards, or will discard.
package struct BlockedAddress: Hashable, Sendable {
  package let jid: JID
  /// The change that the server has not accepted yet; `nil` if it has everything.
  package let change: ContactChange?

  package init(jid: JID, change: ContactChange? = nil) {
    self.jid = jid
    self.change = change
  }

  /// Indicates whether the address is to be blocked, taking a refusal into account.
  package var isBlocked: Bool {
    guard let change else { return true }
    return (change.operation == .unblock) != change.isWaiting
  }
}
