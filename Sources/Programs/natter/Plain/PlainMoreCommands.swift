import NatterCore
import Text
import ViewModels
import XMPP

/// The commands of line mode that have to be typed as a whole: those that are familiar from other
/// clients, and those that lead to where line mode has no way of its own.
struct PlainMoreCommands {
  let session: PlainSession

  private static let names: Set<String> = [
    "search", "window", "chats", "contacts", "files", "close", "reply", "say", "status", "away",
    "back", "dnd", "whois", "version", "ping", "mute", "notify", "disconnect", "open",
  ]
  /// The keys of texts that say what helps where line mode does not have a command.
  private static let substitutes = [
    "account": "plain.other-account", "logout": "plain.sign-out", "lang": "plain.other-language",
  ]

  private var ports: PlainPorts { session.ports }
  private var format: ItemFormat { session.format }

  /// The command of the full screen that has this name, this alias, or this name in the user's
  /// language; `nil`: none has.
  func wholeName(_ name: String) -> String? {
    let table = CommandTable().speaking(session.localizer)
    return table.commands.first { $0.name == name || $0.aliases.contains(name) }?.name
      ?? table.translated.first { $0.name == name }?.command.name
  }

  /// - Parameters:
  ///   - name: the command's own name.
  ///   - typed: the name as it was typed.
  func run(_ name: String, _ argument: String, typed: String) async {
    let lists = PlainLists(session: session)
    do {
      switch name {
      case "search": try await lists.find(argument)
      case "window", "chats": try await lists.conversations(argument)
      case "contacts": await lists.contacts()
      case "files": try await lists.files()
      case "close": try await close()
      case "reply": await reply(argument)
      case "say" where argument.isEmpty: session.say("plain.usage", ["usage": "/say TEXT"])
      case "say": await session.send(argument)
      case "status": try await status(argument)
      case "away": try await set(.away, argument)
      case "back": try await set(.online, argument)
      case "dnd": try await set(.busy, argument)
      case "version" where argument.isEmpty:
        session.say("plain.version", ["version": ClientIdentity.version])
      case "ping" where argument.isEmpty: await showConnection()
      case "whois", "version", "ping": try await showPresence(of: argument)
      case "mute", "notify": try await notify(argument, isToggled: name == "mute")
      case "disconnect": await ports.connection.goOffline()
      default: refuse(name, typed)
      }
    } catch {
      session.report(error)
    }
  }

  /// `/close`: takes the current conversation out of the list.
  private func close() async throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    try await ports.conversations.hide(current)
    session.current = nil
    session.say(
      "plain.closed", ["name": session.name(current), "address": current.description])
  }

  /// `/reply TEXT`: replies to the last message of a peer.
  private func reply(_ text: String) async {
    guard !text.isEmpty else { return session.say("plain.usage", ["usage": "/reply TEXT"]) }
    await session.relate("error.noMessage") {
      $0.direction == .incoming
    } _: {
      try await $0.send(text, replyingTo: $1)
    }
  }

  /// `/mute`, `/notify [default|all|mentions|none]`: the notification rule of the current
  /// conversation.
  private func notify(_ argument: String, isToggled: Bool) async throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    let before = ports.notifications.rule(current)
    if !isToggled, argument.isEmpty { return session.say(before.noticeKey) }
    let rule = try isToggled ? before.muteToggled : NotificationRule(typed: argument)
    try await ports.notifications.keep(rule, current)
    session.say(rule.noticeKey)
    if rule == .none { session.say("plain.muted") }
  }

  // MARK: - Presence

  /// `/status [online|away|xa|dnd|busy|chat [TEXT]]`: sets the own presence; without an argument,
  /// prints it and the connection state.
  private func status(_ argument: String) async throws {
    let (word, text) = CommandCall(rest: argument).split
    if word.isEmpty {
      let own = await ports.presence.ownPresence()
      await showConnection()
      let isOnline = await ports.connection.state().isOnline
      return show(own.availability, isOnline: isOnline)
    }
    try await set(Availability(typed: word), text)
  }

  private func set(_ availability: Availability, _ text: String) async throws {
    try await ports.presence.setPresence(availability, status: text.isEmpty ? nil : text)
    show(availability, isOnline: await ports.connection.state().isOnline)
  }

  private func show(_ availability: Availability, isOnline: Bool) {
    session.say(
      isOnline ? "status.presence" : "status.presenceWaits",
      ["presence": format.presence(availability)])
  }

  private func showConnection() async {
    switch await ports.connection.state() {
    case .online: session.say("status.isOnline", ["account": session.account.jid.shown])
    case .offline: session.say("status.isOffline")
    case .connecting(let host): session.say("plain.connecting", ["host": host])
    case .waiting(_, let problem), .refused(let problem): session.show(problem)
    }
  }

  /// `/whois [ADDRESS|NICK]`: prints the address and the presence of a contact or an occupant.
  private func showPresence(of argument: String) async throws {
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

  // MARK: - Others

  /// Says what to use instead of a command that line mode does not have.
  private func refuse(_ name: String, _ typed: String) {
    if let key = Self.substitutes[name] {
      return session.say(key, ["account": session.account.jid.bare.description])
    }
    if CommandTable.all.contains(where: { $0.name == name }) {
      return session.say("plain.full-screen", ["command": name])
    }
    let similar = Self.names.union(PlainSession.commonNames).filter { name in
      session.localizer.synonyms(of: "command.\(name)").split(separator: ",")
        .contains { String($0).trimmed == typed.lowercased() }
    }
    let names = similar.sorted().map { "/" + $0 }
    session.say(
      names.isEmpty ? "plain.unknown-command" : "plain.similar-command",
      ["command": typed, "names": session.localizer.list(names)])
  }
}
