import XMPP

/// Something that the person did to a contact or to the block list, until the server has it.
package struct ContactChange: Identifiable, Hashable, Sendable {
  /// What is wanted.
  package enum Wish: Hashable, Sendable {
    /// `message`: what is said to him with the request, in one line.
    case add(name: String?, invitation: String?, message: String? = nil)
    /// `nil`: the name that he gives himself.
    case rename(String?)
    case regroup([String])
    case remove
    /// Asks once more to see his presence.
    case ask
    case approve
    case deny
    case block(AbuseReport?)
    case unblock
  }

  /// What of somebody a wish is about: of two about the same, the later one holds.
  package enum Subject: String, Hashable, Sendable, CaseIterable {
    case entry, name, groups, presence, answer, blocking
  }

  /// Grows with time.
  package let id: Int64
  /// A bare address; of what is blocked, any.
  package let jid: JID
  package let wish: Wish
  /// Why the server did not take it; `nil`: it waits for a connection.
  package var refusal: StatusNotice?

  package init(id: Int64, jid: JID, wish: Wish, refusal: StatusNotice? = nil) {
    self.id = id
    self.jid = jid
    self.wish = wish
    self.refusal = refusal
  }

  package var isWaiting: Bool { refusal == nil }
}

extension ContactChange.Wish {
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

  /// Whether an earlier wish about the same person is of no use any more.
  package func replaces(_ earlier: ContactChange.Wish) -> Bool {
    if subject == earlier.subject { return true }
    switch self {
    case .add: return [.name, .groups].contains(earlier.subject)
    case .remove: return [.name, .groups, .presence].contains(earlier.subject)
    // Who is given a name is to stay.
    case .rename, .regroup: return earlier == .remove
    default: return false
    }
  }
}

extension Contact {
  /// Becomes as it is to be, unless that was refused.
  package mutating func take(_ change: ContactChange) {
    guard change.isWaiting else { return }
    switch change.wish {
    case .add(let name, _, _): self.name = name ?? self.name
    case .rename(let name): self.name = name
    case .regroup(let groups): self.groups = groups
    default: break
    }
  }

  /// The roster as the person wants it: as the server had it, with what was done here since.
  package static func list(_ contacts: [Contact], with changes: [ContactChange]) -> [Contact] {
    guard !changes.isEmpty else { return contacts }
    var changed = Dictionary(grouping: changes.filter { $0.wish.subject != .blocking }, by: \.jid)
    var list = contacts
    for index in list.indices {
      guard let news = changed.removeValue(forKey: list[index].jid) else { continue }
      for change in news { list[index].take(change) }
      list[index].changes = news
    }
    for (jid, news) in changed {
      // Whoever is not there yet is there for the person who has added him.
      guard news.contains(where: { if case .add = $0.wish { true } else { false } }) else {
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

/// Somebody whose messages the server throws away, or is to.
package struct BlockedAddress: Hashable, Sendable {
  package let jid: JID
  /// What was done here and the server has not; `nil`: it has everything.
  package let change: ContactChange?

  package init(jid: JID, change: ContactChange? = nil) {
    self.jid = jid
    self.change = change
  }

  /// Whether it is to be blocked, as far as the server does not refuse.
  package var isBlocked: Bool {
    guard let change else { return true }
    return (change.wish == .unblock) != change.isWaiting
  }
}
