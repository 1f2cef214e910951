import FoundationEssentials
import NatterCore
import ViewModels
import XMPP

// What comes out of an archive behind what was printed, or is printed of it once more.
extension PlainSession {
  /// Prints messages of an archive, without a bell: in line mode all of them are wanted.
  /// - Parameter missed: they were sent since the last session, and found late. Else messages older
  ///   than the printed ones are history, and are not printed.
  func show(_ messages: [Message], missed: Bool) {
    var reported: Set<JID> = []
    for message in messages.sorted(by: { $0.position < $1.position }) {
      guard printed[message.id] == nil else { continue }
      if let last = last[message.conversation], message.position > last {
        show(message)
      } else if missed {
        // Below other messages of the conversation, these lines go back in time.
        if last[message.conversation] != nil, reported.insert(message.conversation).inserted {
          say("plain.missed", ["name": name(message.conversation)])
        }
        show(message)
      }
    }
  }

  /// Makes `jid` the current conversation, and prints its newest messages.
  func showNewest(_ count: Int = 10, of jid: JID) async throws {
    current = jid
    let newest = try await ports.timeline.latest(count, in: jid)
    await readHoles(in: [jid])
    lastPrinted[jid] = nil
    for message in await wholeEvents.whole(newest) { show(message) }
    holes = [:]
    isUnseen = false
    _ = try await ports.reading.markRead(jid)
  }

  /// The printed messages of the current conversation count as read once the user types: before
  /// that the user may be away (XEP-0333 §4).
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

  /// Prints a mark where messages are missing before `message`: two lines that are no neighbours
  /// never look as if they were (flows.md, "Receiving").
  func markHole(before message: Message) {
    let jid = message.conversation
    defer { lastPrinted[jid] = message.position.time }
    guard let last = lastPrinted[jid],
      holes[jid]?.contains(where: { $0.after < message.position.time && $0.before > last }) == true
    else { return }
    say("plain.missing")
  }

  /// The name of a message's author, as it is known here.
  func speaker(of message: Message) -> String {
    guard let room = rooms[message.conversation] else { return name(message.conversation) }
    return message.sender.isBare
      ? name(message.conversation) : shown.occupantName(of: message.sender, besides: room.nick)
  }

  /// The time of sending, preceded by the day on any other day than today.
  func moment(of message: Message) -> String { format.moment(message.sentAt, now: Date()) }
}
