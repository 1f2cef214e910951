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
    let newest = await wholeEvents.whole(try await ports.timeline.latest(count, in: jid))
    let found = await holes(in: [jid])
    gaps.restart(jid)
    print(around: found) { for message in newest { show(message) } }
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

  /// Prints an event, with what is missing around what an archive brought.
  func take(_ event: DomainEvent) async {
    let event = await wholeEvents.whole(gaps.take(event))
    switch event {
    // Of an archive's newest page, too.
    case .historyStored(let messages, _), .messagesStored(let messages):
      let found = await holes(in: Set(messages.map(\.conversation)))
      print(around: found) { handle(event) }
    default: handle(event)
    }
  }

  private func holes(in conversations: Set<JID>) async -> [JID: [HistoryHole]] {
    var found: [JID: [HistoryHole]] = [:]
    for jid in conversations {
      // Gaps that cannot be read have no line, as in the full screen.
      found[jid] = (try? await ports.history.holes(in: jid)) ?? []
    }
    return found
  }

  private func print(around holes: [JID: [HistoryHole]], _ body: () -> Void) {
    gaps.known = holes
    body()
    gaps.known = [:]
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
