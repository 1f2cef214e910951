import FoundationEssentials
import NatterCore
import Terminal
import Text
import ViewModels
import XMPP

/// Line mode (`--plain`): events are printed line by line; input is a message or a command.
///
/// For screen readers, `TERM=dumb` and slow connections: no redrawing, no cursor movements.
final class PlainSession {
  let account: Account
  /// Those that are signed in, too, and that line mode leaves alone.
  private let others: [JID]
  /// The conversation that what is typed goes to until another one is chosen.
  private let beginning: JID?
  let ports: PlainPorts
  var localizer: Localizer { format.localizer }
  let format: ItemFormat
  private let output: (String) -> Void
  /// The contacts, named or not.
  private(set) var people: Set<JID> = []
  private(set) var shown: People
  /// The last remote message that was printed of each conversation.
  var last: [JID: MessagePosition] = [:]
  var rooms: [JID: Room] = [:]
  var current: JID?
  /// Indicates whether a message of it was printed since the last typed line.
  var isUnseen = false
  /// Why there is no connection, as it was printed; `nil`: there is one, or nothing was tried yet.
  var lastProblem: ConnectionProblem?
  /// The parts of messages that were printed last, to notice changes.
  var printed: [Message.ID: PrintedMessage] = [:]
  /// The question that the last command asked.
  var question: PlainQuestion?
  /// The messages with files that were printed, by the numbers that they have here.
  var files = PrintedFiles()
  /// The downloads that are opened when they are there.
  var opening = FileOpenings()
  /// The purpose of the password that the next line is; `nil`: it is none.
  var passwordQuestion: PasswordQuestion?
  /// The requests that were printed and have no answer yet.
  private var requests = PlainRequests()
  /// The conversations that were listed last, by the numbers that they have in line mode.
  var numbered: [JID] = []
  var gaps = PlainGaps()

  init(
    account: Account, others: [JID] = [], beginning: JID? = nil, ports: PlainPorts,
    format: ItemFormat,
    output: @escaping (String) -> Void = { StandardStreams.print($0) }
  ) {
    self.account = account
    self.others = others
    self.beginning = beginning
    current = beginning
    self.ports = ports
    self.format = format
    shown = People(own: OwnNames(format))
    self.output = output
  }

  /// Prints what `events` bring, until the stream ends.
  func follow(_ events: AsyncStream<DomainEvent>) async {
    await loadNames()
    for room in await ports.rooms.rooms() { rooms[room.jid] = room }
    say("plain.welcome", ["account": account.jid.description])
    if !others.isEmpty {
      say(
        "plain.one-account",
        ["others": others.map(\.description).joined(separator: ", "), "first": "\(others[0])"])
    }
    if let beginning, current == beginning {
      say("plain.chatting", ["name": name(beginning)])
    }
    // Those of earlier runs; later ones come as news.
    for jid in await ports.presence.subscriptionRequests() { handle(.subscriptionRequested(jid)) }
    for invitation in await ports.rooms.invitations() { handle(.roomInvitation(invitation)) }
    for await event in events { await take(event) }
  }

  /// Takes one typed line.
  /// - Returns: `false` when the user wants to quit.
  func take(_ line: String) async -> Bool {
    if passwordQuestion != nil {
      await takePassword(line)
      return true
    }
    await noteSeen()
    let text = line.trimmed
    if text.isEmpty { return true }
    if !text.isCommandLine { question = nil }
    if text.isSlashedText {
      await send(String(text.dropFirst()))
    } else if text.isCommandLine {
      return await command(String(text.dropFirst()))
    } else {
      await send(text)
    }
    return true
  }

  func handle(_ event: DomainEvent) {
    switch event {
    case .messagesStored(let messages):
      // What was typed right after the conversation was chosen was shown with it.
      for message in messages where printed[message.id] == nil { show(message) }
    case .historyStored(let messages, let missed): show(messages, missed: missed)
    case .messagesChanged(let messages):
      for message in messages {
        showChange(of: message)
        reportFailure(of: message)
      }
    case .contactsChanged(let contacts):
      for contact in contacts { know(contact) }
    case .contactsRemoved(let gone):
      people.subtract(gone)
      _ = shown.apply(event)
    case .subscriptionRequested(let jid):
      guard requests.contacts.insert(jid).inserted else { return }
      say("plain.request", ["jid": jid.description])
    case .subscriptionAnswered(let jid): requests.contacts.remove(jid)
    case .connectionChanged(let state): show(state)
    case .roomsChanged(let changed): changed.forEach(show)
    case .roomsRemoved(let gone): for jid in gone { rooms[jid] = nil }
    case .roomEntered(let jid, _): showEntered(jid)
    case .roomIncident(let incident):
      printNotice(TimelineIncident.text(of: incident, format: format), of: incident.room)
    case .roomInvitation(let invitation):
      if requests.rooms.insert(invitation.room).inserted { show(invitation) }
    case .roomInvitationSettled(let room): requests.rooms.remove(room)
    case .voiceRequested(let request):
      say(
        "plain.voice-request",
        [
          "name": request.asker, "room": name(request.room), "address": request.id.description,
        ])
    case .roomNotificationChanged(let room, let setting):
      ports.notifications.take(NotificationRule(setting), room)
    case .transfersChanged(let changed): changed.forEach(show)
    case .notice(let notice): say(notice.key, notice.arguments)
    default: break
    }
  }

  func show(_ message: Message) {
    let before = printed[message.id]
    defer {
      remember(message)
      // What it says is printed; what people feel about it is another line.
      if before?.reactions != message.reactions, !message.reactions.isEmpty {
        printed[message.id]?.reactions = before?.reactions ?? []
        showChange(of: message)
      }
    }
    let isIncoming = message.direction == .incoming
    if isIncoming {
      let position = last[message.conversation] ?? message.position
      last[message.conversation] = max(position, message.position)
      if message.conversation == current { isUnseen = true }
    }
    if message.isRetracted {
      printed[message.id] = nil
      return showChange(of: message)
    }
    if gaps.note(message) { say("plain.missing") }
    let isRoom = rooms[message.conversation] != nil
    let speaker = speaker(of: message)
    var arguments = [
      "name": name(message.conversation), "nick": speaker, "text": text(of: message),
      "time": moment(of: message),
    ]
    if message.isAction {
      // Spoken of, not by (XEP-0245).
      arguments["text"] = String(message.body.dropFirst("/me ".count)).withoutEmptyLinesAround
      arguments["actor"] = isIncoming ? speaker : account.jid.local ?? ""
      say(isRoom ? "plain.room-action" : "plain.action", arguments)
    } else if isRoom {
      say(isIncoming ? "plain.room-incoming" : "plain.room-outgoing", arguments)
    } else {
      say(isIncoming ? "plain.incoming" : "plain.outgoing", arguments)
    }
    // The line was printed as sent, and has no recipient.
    reportFailure(of: message)
  }

  private func show(_ state: ConnectionState) {
    switch state {
    case .offline: say("plain.offline")
    case .connecting(let host):
      // Successive attempts are reported once.
      if lastProblem == nil { say("plain.connecting", ["host": host]) }
    case .online:
      lastProblem = nil
      say("plain.online")
    case .waiting(_, let problem):
      guard lastProblem != problem else { return }
      lastProblem = problem
      show(problem)
      say("plain.trying-on")
    case .refused(let problem):
      guard lastProblem != problem else { return }
      lastProblem = problem
      show(problem)
      if problem.asksForCredentials { sayHowToSignIn(after: problem) }
    }
  }

  func show(_ problem: ConnectionProblem) {
    for line in ErrorText(problem, localizer: localizer).lines { output(SafeText.line(line)) }
  }

  // MARK: - Typed lines

  private func command(_ text: String) async -> Bool {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let argument = words.count > 1 ? words[1].trimmed : ""
    let call = PlainCommand.Call(
      session: self, text: argument, typed: words.first ?? "", asked: question)
    question = nil
    do { return try await PlainCommandTable(localizer: localizer).run(call) } catch {
      report(error)
      return true
    }
  }

  /// The JID for a text: an address, or the name of a known contact or room. Sends nothing.
  func person(_ text: String) -> JID? { PlainAddressee(session: self).find(text) }

  func send(_ text: String) async {
    guard let current else { return say("plain.no-conversation") }
    do { try await ports.sending.send(text, to: current) } catch { report(error) }
  }

  func report(_ error: any Error) {
    let notice = NatterError(reporting: error, key: "error.unexpected").notice
    say(notice.key, notice.arguments)
  }

  private func loadNames() async {
    // Without names the addresses are shown.
    for contact in (try? await ports.roster.contacts()) ?? [] { know(contact) }
  }

  private func know(_ contact: Contact) {
    people.insert(contact.jid)
    _ = shown.apply(.contactsChanged([contact]))
  }

  func name(_ jid: JID) -> String {
    if let room = rooms[jid] {
      return shown.claimed(room.name ?? jid.local ?? jid.description, by: jid)
    }
    return jid.isBare ? shown.name(of: jid) : jid.description
  }

  /// The start of each line after the first: a line end in a message cannot imitate a new one.
  private static let continuation = "| "

  func say(_ key: String, _ arguments: [String: String] = [:]) { print(localizer(key, arguments)) }

  func print(_ text: String) {
    let lines = text.split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      output((index == 0 ? "" : Self.continuation) + SafeText.line(format.shown(String(line))))
    }
  }
}
