import XMPP

/// One stanza for many sessions, written out once: only whom it is for differs.
struct Broadcast: Sendable {
  /// Without a recipient.
  let stanza: Element
  private let bytes: [UInt8]
  /// Where the recipient goes: behind the name.
  private let gap: Int

  init(_ stanza: Element) {
    var stanza = stanza
    stanza["to"] = nil
    self.stanza = stanza
    bytes = XMLWriter().bytes(stanza)
    gap = 1 + stanza.name.utf8.count
  }

  /// - Parameter recipient: an address, prepared.
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
