import NatterCore
import ViewModels
import XMPP

/// Contacts in line mode: added, removed, blocked, and answered.
struct PlainPeople {
  let session: PlainSession

  private var ports: PlainPorts { session.ports }

  /// `/add ADDRESS`
  func add(_ argument: String) async throws {
    guard let jid = named(argument, "add") else { return }
    try await reportWaiting(ports.people.add(try await session.contact(jid), name: nil))
  }

  /// `/accept ADDRESS`, `/deny ADDRESS`: answers a request or an invitation.
  func answer(_ argument: String, isAccepted: Bool) async throws {
    guard let jid = named(argument, isAccepted ? "accept" : "deny") else { return }
    try await reportWaiting(session.answer(jid, isAccepted: isAccepted))
  }

  private func named(_ argument: String, _ command: String) -> JID? {
    guard !argument.isEmpty else {
      PlainHelp(session: session).showUsage(of: command)
      return nil
    }
    return session.person(argument)
  }

  private func reportWaiting(_ isSent: Bool) {
    if !isSent { session.say("status.changeWaits") }
  }

  /// `/remove ADDRESS`: removes a contact, when the command is repeated.
  func remove(_ argument: String, asked: PlainQuestion?) async throws {
    let jid: JID
    if argument.isEmpty, case .remove(let meant) = asked {
      jid = meant
    } else {
      guard let named = named(argument, "remove") else { return }
      jid = try await session.contact(named)
    }
    guard asked == .remove(jid) else {
      session.question = .remove(jid)
      return session.say("plain.remove", ["name": session.name(jid), "address": jid.shown])
    }
    let isSent = try await ports.people.remove(jid)
    session.say(isSent ? "status.removed" : "status.changeWaits", ["address": jid.shown])
  }

  /// `/block [ADDRESS|NICK]`: blocks an address on the server, when the command is repeated; by
  /// default the peer of the current conversation.
  func block(_ argument: String, asked: PlainQuestion?) async throws {
    let jid: JID
    if argument.isEmpty, case .block(let meant) = asked {
      jid = meant
    } else {
      guard let meant = await peer(argument) else { return }
      jid = meant
    }
    guard asked == .block(jid) else {
      session.question = .block(jid)
      let isRoom = try await session.isRoom(jid)
      session.say(
        !jid.isBare
          ? "contact.blockAskOccupant" : isRoom ? "contact.blockAskRoom" : "contact.blockAsk",
        ["address": jid.shown, "name": jid.resource.map(People.nick) ?? session.name(jid)])
      return session.say("plain.block-again")
    }
    // A request that waits would come again when they are unblocked.
    if await ports.presence.subscriptionRequests().contains(jid.bare) {
      try await ports.people.deny(jid.bare)
    }
    let notice = try await BlockListEditor(ports.blocking).block(jid, report: nil)
    session.say(notice.key, notice.arguments)
  }

  /// `/unblock [ADDRESS|NICK]`
  func unblock(_ argument: String) async throws {
    let blocked = try await ports.blocking.blocked().filter(\.isBlocked).map(\.jid)
    // Blocked occupants are invisible: their nicks are known from the list alone.
    var meant = session.current.flatMap { room in
      blocked.first { $0.bare == room.bare && $0.resource == argument }
    }
    if meant == nil { meant = await peer(argument) }
    guard let jid = meant else { return }
    let notice = try await BlockListEditor(ports.blocking).unblock(jid)
    session.say(notice.key, notice.arguments)
  }

  /// The named contact or occupant, or the peer of the current conversation.
  private func peer(_ argument: String) async -> JID? {
    guard argument.isEmpty else { return await PlainChoice(session: session).named(argument) }
    if session.current == nil { session.say("plain.no-conversation") }
    return session.current
  }
}
