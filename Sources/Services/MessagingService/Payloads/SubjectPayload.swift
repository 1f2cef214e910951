import XML
import XMPP

/// The subject above the text of a message (RFC 6121 §5.2.4). Messages are sent without one; the
/// subject of a room belongs to RoomService.
enum SubjectPayload: MessagePayload {
  static let features: Set<String> = []

  /// Returns the subject to show above the text. Excludes a change of a room's subject, and a
  /// subject that the sentence of an old client about such a change contains anyway.
  static func decode(_ stanza: MessageStanza) -> String? {
    guard let subject = stanza.subject, !subject.saysNothing else { return nil }
    let heading = subject.withoutBlanksAround
    if stanza.kind == .groupchat,
      stanza.isSubjectChange || stanza.body.map({ mentions($0, of: heading) }) == true
    {
      return nil
    }
    return heading
  }

  /// Returns whether `text` ends with `subject`, apart from quotation marks or a full stop, as a
  /// sentence about its change does.
  private static func mentions(_ text: String, of subject: String) -> Bool {
    let length = subject.utf8.count
    return (0...4).contains { text.utf8.dropLast($0).suffix(length).elementsEqual(subject.utf8) }
  }
}
