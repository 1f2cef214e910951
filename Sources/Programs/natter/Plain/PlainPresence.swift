import NatterCore
import ViewModels
import XMPP

/// Presence in line mode: the account's own, and that of contacts and occupants.
struct PlainPresence {
  let session: PlainSession

  private var ports: PlainPorts { session.ports }

  /// `/status [online|away|xa|dnd|busy|chat [TEXT]]`: sets the own presence; without an argument,
  /// prints it and the connection state.
  func status(_ argument: String) async throws {
    let (word, text) = CommandCall(rest: argument).split
    if word.isEmpty {
      let own = await ports.presence.ownPresence()
      await showConnection()
      let isOnline = await ports.connection.state().isOnline
      return show(own.availability, isOnline: isOnline)
    }
    try await set(Availability(typed: word), text)
  }

  func set(_ availability: Availability, _ text: String) async throws {
    try await ports.presence.setPresence(availability, status: text.isEmpty ? nil : text)
    show(availability, isOnline: await ports.connection.state().isOnline)
  }

  private func show(_ availability: Availability, isOnline: Bool) {
    session.say(
      isOnline ? "status.presence" : "status.presenceWaits",
      ["presence": session.format.presence(availability)])
  }

  func showConnection() async {
    switch await ports.connection.state() {
    case .online: session.say("status.isOnline", ["account": session.account.jid.shown])
    case .offline: session.say("status.isOffline", ["key": "/connect"])
    case .connecting(let host): session.say("plain.connecting", ["host": host])
    case .waiting(_, let problem), .refused(let problem): session.show(problem)
    }
  }

  /// `/whois [JID|NICK]`: prints the address and the presence of a contact or an occupant.
  func show(of argument: String) async throws {
    let named: JID
    if argument.isEmpty {
      guard let current = session.current else { return session.say("plain.no-conversation") }
      named = current
    } else {
      guard let found = await PlainChoice(session: session).named(argument) else { return }
      named = found
    }
    if try await session.isRoom(named) {
      guard named == session.current else {
        return session.say("plain.is-room", ["room": named.description])
      }
      return await session.listMembers()
    }
    await PlainLists(session: session).show([try await session.contact(named)])
  }
}
