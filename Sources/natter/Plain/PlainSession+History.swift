import FoundationEssentials
import NatterCore
import ViewModels
import XMPP

// What comes out of an archive behind what was printed.
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

  /// When it was sent: the time of day, with the day where that is another one than today's.
  func moment(of message: Message) -> String { format.moment(message.sentAt, now: Date()) }
}
