import NatterCore
import XML
import XMPP

/// The thread that a message belongs to (XEP-0201). No feature announces it: every client may leave
/// it out.
enum ThreadPayload: SentMessagePayload {
  static let features: Set<String> = []

  static func decode(_ stanza: MessageStanza) -> Message.Thread? { stanza.thread }

  static func encode(_ thread: Message.Thread) -> [Element] { [thread.element] }
}
