import FoundationEssentials
import NatterCore
import Text
import ViewModels
import XMPP

/// The lists of line mode: conversations, contacts, files, and messages that were searched for.
struct PlainLists {
  let session: PlainSession

  /// The most messages of a search, and the most files.
  private static let limit = 20

  private var ports: PlainPorts { session.ports }

  /// `/find TEXT`: prints the newest messages of the current conversation that contain it.
  func find(_ text: String) async throws {
    guard !text.isEmpty else { return PlainHelp(session: session).showUsage(of: "search") }
    guard let current = session.current else { return session.say("plain.no-conversation") }
    let query = SearchQuery(
      text, vocabulary: SearchVocabulary(format: session.format, now: Date()))
    if let problem = query.problems.first { session.say("find.problem", ["text": problem]) }
    let found = try await ports.searching.messages(having: query, in: current, limit: Self.limit)
    var messages: [Message] = []
    for id in found.reversed() {
      guard let message = try await ports.timeline.storedMessage(id), !message.isRetracted else {
        continue
      }
      messages.append(message)
    }
    guard !messages.isEmpty else { return session.say("plain.nothing-found", ["text": text]) }
    await show(messages)
  }

  /// `/files`: prints the newest files of the current conversation with their numbers.
  func files() async throws {
    guard let current = session.current else { return session.say("plain.no-conversation") }
    let files = try await ports.files.files(in: current, limit: Self.limit)
    guard !files.isEmpty else { return session.say("files.noneYet") }
    await show(files.reversed())
  }

  func show(_ messages: [Message]) async {
    for message in await session.wholeEvents.whole(messages) {
      let isOwn = message.direction == .outgoing
      session.say(
        "plain.match",
        [
          "time": session.moment(of: message),
          "name": isOwn ? session.localizer("timeline.you") : session.speaker(of: message),
          "text": session.text(of: message),
        ])
    }
  }

  /// `/window [N|NAME]`: opens a conversation, or lists all with their numbers. A number is that of
  /// the last list: a conversation that is new since then does not move the others.
  func conversations(_ argument: String) async throws {
    let number = Int(argument)
    guard argument.isEmpty || number != nil else {
      return await PlainChoice(session: session).chat(argument)
    }
    let listed = try await sorted()
    if number == nil || session.numbered.isEmpty {
      session.numbered = listed.map { $0.conversation.jid }
    }
    if let number {
      guard number > 0, number <= session.numbered.count else {
        return session.say("plain.no-number", ["number": argument])
      }
      return await PlainChoice(session: session).open(session.numbered[number - 1])
    }
    if listed.isEmpty { session.say("plain.no-conversations") }
    show(listed)
  }

  /// `/unread`: lists the conversations with unread messages; `/window N` opens one of them.
  func unread() async throws {
    let listed = try await sorted().filter { $0.conversation.unread > 0 }
    guard !listed.isEmpty else { return session.say("status.noUnread") }
    session.numbered = listed.map { $0.conversation.jid }
    show(listed)
  }

  private func show(_ listed: [(conversation: Conversation, name: String)]) {
    for (index, one) in listed.enumerated() {
      let arguments = ["number": "\(index + 1)", "name": one.name]
      let unread = one.conversation.unread
      if unread == 0 {
        session.say("plain.conversation", arguments)
      } else {
        session.print(session.localizer.plural("plain.conversation-unread", unread, arguments))
      }
    }
  }

  /// All conversations, by their names.
  private func sorted() async throws -> [(conversation: Conversation, name: String)] {
    try await ports.conversations.conversations()
      .map { (conversation: $0, name: session.name($0.jid)) }
      .sorted {
        let first = ($0.name.lowercased(), $0.conversation.jid.description)
        return first < ($1.name.lowercased(), $1.conversation.jid.description)
      }
  }

  /// `/contacts`: prints the contacts with their presence.
  func contacts() async {
    let people = session.people.sorted {
      session.name($0).lowercased() < session.name($1).lowercased()
    }
    if people.isEmpty { session.say("plain.no-contacts") }
    await show(people)
  }

  /// Prints names, addresses and presence.
  func show(_ people: [JID]) async {
    let isOnline = await ports.connection.state().isOnline
    let presence = Dictionary(
      await ports.presence.presence().map { ($0.jid.bare, $0) }, uniquingKeysWith: { $1 })
    for jid in people {
      let name = session.name(jid)
      let known = presence[jid]
      // Without a connection the presence of contacts is unknown (RFC 6121 §4.4.3).
      var text =
        !session.people.contains(jid)
        ? session.localizer("presence.stranger")
        : isOnline ? session.format.presence(known?.availability ?? .offline) : "?"
      if isOnline, let status = known?.status.map(ErrorText.oneLine), !status.isEmpty {
        text += " (\(status))"
      }
      session.say(
        "plain.person",
        ["name": name == jid.shown ? name : "\(name) (\(jid.shown))", "presence": text])
    }
  }
}
