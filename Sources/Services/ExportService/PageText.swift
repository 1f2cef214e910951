import XMPP

/// Text from outside as HTML: nothing in it is markup, and nothing in it changes the order of the
/// text around it.
enum PageText {
  /// Returns text for an element or for an attribute value in quotes. Characters that HTML does not
  /// allow, and those that change the direction of text, become U+FFFD.
  static func escaped(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy(isPlain) { return String(text) }
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return result
  }

  /// Returns whether a byte is a character that is the same in HTML.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      false
    case 0x0A, 0x20...0x7E: true
    default: false
    }
  }

  /// HTML §3.2.6 has tab and line feed as its only control characters. A carriage return would
  /// become a line feed.
  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: true
    case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: false
    case 0xFDD0...0xFDEF: false
    default: scalar.value & 0xFFFE != 0xFFFE
    }
  }

  /// The schemes of addresses that become links.
  private static let schemes = ["https:", "http:", "xmpp:", "geo:"]

  /// Returns the element for an address: a link, or its text alone where a click would do something
  /// else than open a page, a chat or a map.
  static func link(_ address: some StringProtocol, text: String? = nil) -> String {
    let shown = escaped(text ?? String(address))
    guard isSafe(address) else { return shown }
    return "<a href=\"\(escaped(address))\" rel=\"noopener noreferrer\">\(shown)</a>"
  }

  /// Returns whether an address has one of the schemes. Browsers ignore some characters in front of
  /// a scheme and inside it: such an address has none of them.
  static func isSafe(_ address: some StringProtocol) -> Bool {
    let lowered = String(address.prefix(6)).lowercased()
    return schemes.contains { lowered.utf8.starts(with: $0.utf8) }
  }

  /// Returns a text with its addresses as links, and that of a location (RFC 5870) where it is the
  /// first line (`SharedLocation`).
  /// - Parameter ranges: those of the other addresses, in order.
  static func linked(_ text: Substring, _ ranges: [Range<String.Index>]) -> String {
    let end = text.utf8.firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
    let isLocation = GeoURI(String(text[..<end])) != nil
    var result = ""
    var index = text.startIndex
    for range in (isLocation ? [text.startIndex..<end] : []) + ranges
    where range.lowerBound >= index && range.upperBound <= text.endIndex {
      result += escaped(text[index..<range.lowerBound]) + link(text[range])
      index = range.upperBound
    }
    return result + escaped(text[index...])
  }
}
