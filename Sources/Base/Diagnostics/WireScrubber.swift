/// Removes secrets from a dump of the wire: bodies, passwords, proofs, tokens.
///
/// The rule is a list of what stays, not of what is removed: the names of elements, attributes
/// except some secret ones, and the text of the few elements in `readable`. All other text is
/// replaced by its number of characters, `[12]`. A dump may begin and end anywhere, as what a
/// socket delivers does: text of an unknown element counts as secret.
package struct WireScrubber {
  /// Elements whose text belongs to the protocol, and is never written by users.
  private static let readable: Set<String> = ["mechanism", "jid", "priority", "show", "required"]

  /// Attributes that contain secrets, URLs of uploaded files, or text of users.
  private static let secretAttributes: Set<String> = [
    "password", "token", "secret", "key", "url", "uri", "target", "href", "src", "value", "data",
    "desc", "nonce", "digest", "reason", "name", "filename", "nick", "alt", "title", "label",
  ]

  /// Attributes with JIDs: in rooms the resource is a nick, which users choose.
  private static let addressAttributes: Set<String> = ["from", "to", "by", "jid"]

  // Bytes, not characters: a combining mark after a > must not hide the end of the tag.
  private let bytes: [UInt8]
  private var position = 0
  private var result: [UInt8] = []
  /// The element whose start tag was read last; empty: unknown.
  private var element = ""

  private init(_ text: String) {
    bytes = Array(text.utf8)
    result.reserveCapacity(bytes.count)
  }

  /// - Parameter dump: XML from the wire, or any part of it.
  package static func scrub(_ dump: String) -> String {
    var scrubber = WireScrubber(dump)
    scrubber.hideEndOfText()
    while scrubber.position < scrubber.bytes.count { scrubber.readNext() }
    return String(decoding: scrubber.result, as: UTF8.self)
  }

  /// A dump may begin inside a CDATA section: tags in it are text.
  private mutating func hideEndOfText() {
    var rest = self
    _ = rest.through(mark: "]]>")
    guard bytes[..<rest.position].hasSuffix("]]>"),
      !bytes[..<rest.position].contains(mark: "<![CDATA[")
    else { return }
    hide(bytes[..<rest.position])
    position = rest.position
  }

  private mutating func readNext() {
    if begins(with: "<![CDATA[") {
      hide(through(mark: "]]>"))
    } else if begins(with: "<!--") {
      hide(through(mark: "-->"))
    } else if begins(with: "<") {
      readTag()
    } else {
      let text = take { $0 != UInt8(ascii: "<") }
      if Self.readable.contains(element) { result += text } else { hide(text) }
    }
  }

  /// Hides text between tags. White space stays: it is a keep-alive of the connection, and no
  /// secret.
  private mutating func hide(_ text: ArraySlice<UInt8>) {
    if text.allSatisfy(Self.isSpace) {
      result += text
    } else {
      result += "[\(Self.count(text))]".utf8
    }
  }

  private mutating func readTag() {
    copy(1)
    if peek == UInt8(ascii: "/") || peek == UInt8(ascii: "?") { copy(1) }
    let isStart = result.last == UInt8(ascii: "<")
    let name = take(while: Self.isName)
    result += name
    element = isStart ? Self.local(name) : ""
    while let byte = peek, byte != UInt8(ascii: ">") {
      switch byte {
      case UInt8(ascii: "/"):
        element = ""
        copy(1)
      case UInt8(ascii: "?"): copy(1)
      case _ where Self.isSpace(byte): copy(1)
      case _ where Self.isName(byte): readAttribute()
      default:
        // Not XML.
        hide(take { $0 != UInt8(ascii: ">") && !Self.isSpace($0) })
      }
    }
    copy(1)
  }

  private mutating func readAttribute() {
    let name = take(while: Self.isName)
    let before = take { $0 == UInt8(ascii: "=") || Self.isSpace($0) }
    guard before.contains(UInt8(ascii: "=")), let quote = peek,
      quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
    else { return hide(name + before) }
    result += name + before
    copy(1)
    let value = take { $0 != quote }
    let local = Self.local(name).lowercased()
    if Self.secretAttributes.contains(local), !value.isEmpty {
      result += "[\(Self.count(value))]".utf8
    } else if Self.addressAttributes.contains(local), let slash = value.firstIndex(of: 0x2F) {
      let resource = value[value.index(after: slash)...]
      result += value[...slash] + "[\(Self.count(resource))]".utf8
    } else if local == "id", value.contains(mark: "://") {
      result += "[\(Self.count(value))]".utf8
    } else {
      result += value
    }
    copy(1)
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func begins(with mark: String) -> Bool { bytes[position...].starts(with: mark.utf8) }

  private mutating func copy(_ count: Int) {
    let end = min(bytes.count, position + count)
    result += bytes[position..<end]
    position = end
  }

  private mutating func take(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = bytes[position...].prefix(while: belongs)
    position = taken.endIndex
    return taken
  }

  /// Returns everything up to the end of `mark`, or the whole rest.
  private mutating func through(mark: String) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, !begins(with: mark) { position += 1 }
    position = min(bytes.count, position + mark.utf8.count)
    return bytes[start..<position]
  }

  /// Returns a name without its prefix.
  private static func local(_ name: ArraySlice<UInt8>) -> String {
    String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
  }

  /// Returns the number of Unicode scalars.
  private static func count(_ text: ArraySlice<UInt8>) -> Int {
    text.count { $0 & 0xc0 != 0x80 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0d).contains(byte)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: ":"):
      true
    default: byte >= 0x80
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ mark: String) -> Bool {
    reversed().starts(with: mark.utf8.reversed())
  }

  fileprivate func contains(mark: String) -> Bool {
    indices.contains { self[$0...].starts(with: mark.utf8) }
  }
}
