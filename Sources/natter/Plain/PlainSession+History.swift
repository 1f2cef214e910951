import FoundationEssentials
import NatterCore
import ViewModels
import XMPP

// What comes out of an archive behind what was printed, or is printed of it once more.
extension PlainSession {
  /// Prints what an archive brought and rings no bell for: who reads here wants the whole of it all the same.
  /// - Parameter missed: it was sent since this program last looked, and found late. Else what is older than what was printed is
  ///   the past, which is not printed.
  func show(_ messages: [Message], missed: Bool) {
    var told: Set<JID> = []
    for message in messages.sorted(by: { $0.position < $1.position }) {
      guard printed[message.id] == nil else { continue }
      if let last = last[message.conversation], message.position > last {
        show(message)
      } else if missed {
        // Where others of it stand above, the lines below go back in time.
        if last[message.conversation] != nil, told.insert(message.conversation).inserted {
          say("plain.missed", ["name": name(message.conversation)])
        }
        show(message)
      }
    }
  }

  /// What is typed from now on goes to `jid`; what was said there last is shown.
  func showNewest(of jid: JID) async throws {
    current = jid
    let newest = try await ports.timeline.latest(10, in: jid)
    await readHoles(in: [jid])
    lastPrinted[jid] = nil
    for message in await wholeEvents.whole(newest) { show(message) }
    holes = [:]
    isUnseen = false
    _ = try await ports.reading.markRead(jid)
  }

  /// What was printed of the conversation that is talked to counts as read once the person types something: before that nobody may be
  /// there to see it (XEP-0333 §4).
  func noteSeen() async {
    guard isUnseen, let current else { return }
    do {
      _ = try await ports.reading.markRead(current)
      isUnseen = false
    } catch { report(error) }
  }

  /// Reads what is missing around what an archive brought, before it is printed.
  func readHoles(around event: DomainEvent) async {
    let messages: [Message]
    switch event {
    case .historyStored(let found, _): messages = found
    // Of an archive's newest page, too.
    case .messagesStored(let found): messages = found
    default: return
    }
    holes = [:]
    await readHoles(in: Set(messages.map(\.conversation)))
  }

  func readHoles(in conversations: Set<JID>) async {
    for jid in conversations {
      // What cannot be read has no line, as in the full screen.
      holes[jid] = (try? await ports.history.holes(in: jid)) ?? []
    }
  }

  /// Prints where something is missing between `message` and what stands above it: two lines that do not belong together
  /// never look as if they did (flows.md, "Receiving").
  func markHole(before message: Message) {
    let jid = message.conversation
    defer { lastPrinted[jid] = message.sentAt }
    guard let last = lastPrinted[jid],
      holes[jid]?.contains(where: { $0.after < message.sentAt && $0.before > last }) == true
    else { return }
    say("plain.missing")
  }

  /// Who wrote a message, as others here know him.
  func speaker(of message: Message) -> String {
    guard let room = rooms[message.conversation] else { return name(message.conversation) }
    return message.sender.isBare
      ? name(message.conversation) : shown.occupantName(of: message.sender, besides: room.nick)
  }

  /// When it was sent: the time of day, with the day where that is another one than today's.
  func moment(of message: Message) -> String { format.moment(message.sentAt, now: Date()) }
}
