import XML
import XMPP

/// A location that is the content of a message.
///
/// The message's body is its `geo:` URI (RFC 5870), with the description in a second line: it is
/// stored, searched and copied like any text.
package struct SharedLocation: Hashable, Sendable {
  /// The `geo:` URI.
  package let address: String
  /// The coordinates in `address`.
  package let point: GeoURI
  /// The description in one line, untrusted; empty if there is none.
  package let text: String

  /// The greatest length of a description, in Unicode scalars.
  package static let textLimit = 500

  package init(_ point: GeoURI, text: String = "") {
    (address, self.point, self.text) = (point.text, point, Self.line(text))
  }

  /// Reads the body of a message; `nil` if it is anything else than a location.
  package init?(body: String) {
    guard GeoURI.hasScheme(body) else { return nil }
    let lines = body.withoutBlanksAround.utf8.split(
      separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count <= 2 else { return nil }
    let address = String(Substring(lines[0])).withoutBlanksAround
    let text = lines.count > 1 ? String(Substring(lines[1])).withoutBlanksAround : ""
    guard let point = GeoURI(address), text.unicodeScalars.count <= Self.textLimit else {
      return nil
    }
    (self.address, self.point, self.text) = (address, point, text)
  }

  /// The text of a message that shares it.
  package var body: String { text.isEmpty ? address : address + "\n" + text }

  /// Returns a description in one line of the allowed length.
  package static func line(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    // The view counts by reading itself.
    var count = 0
    for scalar in text.unicodeScalars {
      let isBlank = scalar.properties.isWhitespace
      if isBlank, line.isEmpty || line.last == " " { continue }
      guard count < textLimit else { break }
      count += 1
      line.append(isBlank ? " " : scalar)
    }
    if line.last == " " { line.removeLast() }
    return String(line)
  }
}

extension Message {
  /// The location that it shares, if that is its content.
  package var location: SharedLocation? {
    guard content == nil, file == nil, retraction == nil, effect == nil, !isShortened else {
      return nil
    }
    return SharedLocation(body: body)
  }
}
