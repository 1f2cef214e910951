import NatterCore
import XML
import XMPP

/// The text of a message (RFC 6121 §5.2.3).
enum BodyPayload: SentMessagePayload {
  static let features: Set<String> = []

  /// Returns the subject, then the body without the quotation that is in it for clients without
  /// replies; a location as `LocationPayload` has it; `nil` if there is no text.
  static func decode(_ stanza: MessageStanza) -> String? {
    LocationPayload.text(of: stanza, body: text(of: stanza))
  }

  private static func text(of stanza: MessageStanza) -> String? {
    guard let heading = SubjectPayload.decode(stanza) else { return said(in: stanza) }
    guard let said = said(in: stanza), said.withoutBlanksAround != heading else { return heading }
    // The file is shown by its name.
    if said == FilePayload.decode(stanza)?.address { return heading }
    return heading + "\n" + said
  }

  static func encode(_ text: String) -> [Element] {
    [Element("body", Namespace.client, text: text)]
  }

  /// Returns the body, or the description or the address of a file that is sent without a text.
  private static func said(in stanza: MessageStanza) -> String? {
    if let text = ReplyPayload.text(of: stanza) { return text }
    // A text of blanks alone would be an empty row: like an empty one it is none.
    let text = stanza.body.flatMap { $0.saysNothing ? nil : $0 } ?? stanza.formattedText
    let description = stanza.outOfBandDescription
    if text != nil, description == nil { return text }
    guard let address = FilePayload.decode(stanza)?.address else {
      return text ?? FilePayload.unfetchable(in: stanza)
    }
    // A body that repeats the address is there for clients without files.
    if let text, text.withoutBlanksAround != address { return text }
    return description ?? address
  }
}
