import BoundedText
import XMPP

// Addresses in stored data: prepared before they were stored (RFC 7622 §3.1), so they are only
// split.
extension JID {
  /// Creates a JID from the text of one that was prepared before.
  package init(prepared text: String) {
    var text = text
    self = text.withUTF8 { JID(prepared: $0) }
  }

  /// Creates a JID from the text of one that was prepared before, in UTF-8. Its clusters are
  /// bounded (`ClusterBound`).
  package init(prepared text: UnsafeBufferPointer<UInt8>) {
    // By bytes: a resource that begins with a combining mark forms one character with the slash
    // before it.
    let slash = text.firstIndex(of: UInt8(ascii: "/"))
    let bare = text[..<(slash ?? text.endIndex)]
    let at = bare.firstIndex(of: UInt8(ascii: "@"))
    func string(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> String {
      String(bounding: UnsafeBufferPointer(rebasing: part))
    }
    self.init(
      local: at.map { string(bare[..<$0]) },
      domain: string(at.map { bare[($0 + 1)...] } ?? bare),
      resource: slash.map { string(text[($0 + 1)...]) })
  }
}

extension JID: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(prepared: try decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
