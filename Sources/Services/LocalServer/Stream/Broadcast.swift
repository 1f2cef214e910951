import XML
import XMPP

/// A stanza for many sessions, serialized once: only the recipient differs.
struct Broadcast: Sendable {
  /// The stanza without a recipient.
  let stanza: Element
  private let bytes: [UInt8]
  /// The index at which the recipient is inserted: after the element's name.
  private let gap: Int

  init(_ stanza: Element) {
    var stanza = stanza
    stanza["to"] = nil
    self.stanza = stanza
    bytes = XMLWriter().bytes(stanza)
    gap = 1 + stanza.name.utf8.count
  }

  /// - Parameter recipient: a prepared address.
  func write(to recipient: String, into output: inout [UInt8]) {
    output += bytes[..<gap]
    output += " to='".utf8
    for byte in recipient.utf8 {
      switch byte {
      case UInt8(ascii: "&"): output += "&amp;".utf8
      case UInt8(ascii: "<"): output += "&lt;".utf8
      case UInt8(ascii: ">"): output += "&gt;".utf8
      case UInt8(ascii: "'"): output += "&apos;".utf8
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "'"))
    output += bytes[gap...]
  }
}
