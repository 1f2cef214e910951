import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

extension JSONLine {
  /// Creates an object that names a conversation, with the members that `fill` adds.
  static func reference(
    to conversation: JID, of account: JID, _ fill: (inout JSONLine) -> Void = { _ in }
  ) -> JSONLine {
    JSONLine {
      $0.add("account", account.description)
      $0.add("conversation", conversation.description)
      fill(&$0)
    }
  }

  /// Adds the members of a connection's state.
  mutating func add(_ state: ConnectionState, of account: JID) {
    add("account", account.description)
    switch state {
    case .offline: add("state", "offline")
    case .connecting: add("state", "connecting")
    case .online: add("state", "online")
    case .waiting(let until, let reason):
      add("state", "waiting")
      add("until", until)
      add("problem", reason.kind.rawValue)
    case .refused(let reason):
      add("state", "refused")
      add("problem", reason.kind.rawValue)
    }
  }

  /// Adds the members of a contact.
  mutating func add(_ contact: Contact, of account: JID) {
    add("account", account.description)
    add("address", contact.jid.description)
    add("name", contact.name)
    add("nickname", contact.nickname)
    add("groups", contact.groups)
    add("subscription", contact.subscription.rawValue)
    add("pending", contact.isPending)
  }

  /// Adds the members of a contact's presence.
  mutating func add(_ presence: ContactPresence, of account: JID) {
    add("account", account.description)
    add("address", presence.jid.description)
    add("availability", presence.availability.outputName)
    add("status", presence.status)
  }

  /// Adds the members of a room's state.
  mutating func add(_ room: Room, of account: JID) {
    add("account", account.description)
    add("conversation", room.jid.description)
    add("name", room.name)
    add("nick", room.nick)
    add("subject", room.subject.isEmpty ? nil : room.subject)
    switch room.phase {
    case .outside: add("state", "outside")
    case .entering: add("state", "joining")
    case .inside: add("state", "joined")
    }
    add("reason", room.exit?.cause.rawValue)
    add("occupants", room.people)
    add("role", room.role.rawValue)
    add("affiliation", room.affiliation.rawValue)
    add("autojoin", room.autojoins)
  }

  /// Adds the members of an occupant.
  mutating func add(_ occupant: Occupant) {
    add("nick", occupant.nick)
    add("role", occupant.role.rawValue)
    add("affiliation", occupant.affiliation.rawValue)
    add("availability", occupant.availability.outputName)
    add("status", occupant.status)
    add("address", occupant.jid?.description)
  }

  /// Adds the members of a transfer, without paths of this computer.
  mutating func add(_ transfer: FileTransfer, of account: JID) {
    add("account", account.description)
    add("conversation", transfer.conversation.description)
    add("id", String(transfer.id.rawValue))
    add("message", transfer.message.map { String($0.rawValue) })
    add("direction", transfer.direction.rawValue)
    add("name", transfer.name)
    add("size", transfer.byteCount)
    add("progress", transfer.progress)
    switch transfer.state {
    case .waiting: add("state", "waiting")
    case .running: add("state", "running")
    case .paused: add("state", "paused")
    case .done: add("state", "done")
    case .failed: add("state", "failed")
    }
  }
}

extension Availability {
  /// The name in the output for programs: that of RFC 6121 §4.7.2.1, `online` and `offline`.
  var outputName: String { self == .offline ? "offline" : show ?? "online" }

  /// The names of those that the user can choose.
  static let outputNames = allCases.filter { $0 != .offline }.map(\.outputName)

  /// The availability of a name; `nil` for all other texts.
  init?(outputName: String) {
    guard let found = Self.allCases.first(where: { $0.outputName == outputName }) else {
      return nil
    }
    self = found
  }
}
