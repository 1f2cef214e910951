import BoundedText
import XMPP

/// A file that a message offers, as its sender describes it. All of it is from outside.
package struct SharedFile: Hashable, Sendable {
  /// Where it can be had: `https`.
  package let address: String
  /// Where else it can be had, the best first; each once, and none of them `address`.
  package let otherAddresses: [String]
  /// What the sender calls it; may hold anything. `safeName` is for disks and screens.
  package let name: String?
  package let mediaType: String?
  package let byteCount: Int?
  /// What it is checked by once it is here: what of them can be had then, the strongest first.
  package let digests: [FileDigest]
  /// Of a picture, in pixels, at least 1.
  package let width: Int?
  package let height: Int?
  /// Bytes that came of it where its sender told no number.
  package var foundByteCount: Int?
  /// The small picture that came with the message, as a file's bytes. Only on the way to the database: what is read from there is
  /// asked for it by its message.
  package var thumbnail: [UInt8]?

  package init(
    address: String, name: String? = nil, mediaType: String? = nil, byteCount: Int? = nil,
    digests: [FileDigest] = [], width: Int? = nil, height: Int? = nil, foundByteCount: Int? = nil,
    thumbnail: [UInt8]? = nil, otherAddresses: [String] = []
  ) {
    self.address = address
    self.otherAddresses = otherAddresses
    self.name = name
    self.mediaType = mediaType
    self.byteCount = byteCount
    self.digests = digests
    self.width = width
    self.height = height
    self.foundByteCount = foundByteCount
    self.thumbnail = thumbnail
  }

  /// All places where it can be had, the best first.
  package var addresses: [String] { [address] + otherAddresses }

  /// How many bytes it has, as its sender told or as it came; `nil`: nobody knows.
  package var size: Int? { byteCount ?? foundByteCount }

  /// As it is once the small picture is stored apart from it.
  package var withoutThumbnail: SharedFile {
    var file = self
    file.thumbnail = nil
    return file
  }

  /// The file that `stanza` offers; `nil` when it offers none, or not over HTTP.
  package init?(_ stanza: MessageStanza) {
    guard let found = stanza.sharedFile else { return nil }
    let places = ([found.url] + found.otherURLs).filter(Self.isFetchable)
    guard let best = places.first else { return nil }
    self.init(
      address: best, name: found.name, mediaType: found.mediaType, byteCount: found.size,
      digests: [FileDigest](found.digests), width: found.width,
      height: found.height, thumbnail: found.thumbnail?.bytes,
      otherAddresses: Array(places.dropFirst()))
  }

  /// What a message that offers it has in it (XEP-0447, XEP-0066), beside the address as its text.
  package var elements: [Element] {
    let sharing = XEP0447FileSharing(
      url: address, name: name, mediaType: mediaType, size: byteCount,
      digests: digests.compactMap(\.hash), width: width, height: height,
      otherURLs: otherAddresses)
    return [
      sharing.element, XEP0447FileSharing.fallbackElement, XEP0066OutOfBand.element(address),
    ]
  }

  /// A name that any disk takes and any terminal can show: the sender's, or the last part of the address.
  package var safeName: String {
    if let name, let safe = Self.safe(name) { return safe }
    let path = address.prefix { $0 != "?" && $0 != "#" }
    let last = path.split(separator: "/").dropFirst(2).last.map { Self.decoded(String($0)) }
    return last.flatMap { Self.safe($0) } ?? "file"
  }

  /// Whether it says of itself that it is a picture.
  package var isPicture: Bool { mediaType?.hasPrefix("image/") ?? false }

  private static func isFetchable(_ url: String) -> Bool {
    let lower = url.prefix(8).lowercased()
    return (lower.hasPrefix("https://") || lower.hasPrefix("http://"))
      && url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  /// `name` without folders, control and direction characters, and a beginning that hides it or looks like an option;
  /// 200 bytes at most. `nil` when nothing is left.
  package static func safe(_ name: String) -> String? {
    // By scalars: what joins a slash makes one character with it, and may be left out here.
    let last = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last
    var kept = String.UnicodeScalarView()
    for scalar in last ?? Substring().unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator:
        // The joiner that emoji and some scripts need is one too.
        if scalar == "\u{200D}" { kept.append(scalar) }
      default: kept.append(":*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar)
      }
    }
    // What bounded it may be among what was left out.
    var text = String(kept.drop(while: isPassedOver)).bounded[...]
    while let end = text.last, end.isWhitespace || end == "." { text.removeLast() }
    guard text.utf8.count > 200 else { return text.isEmpty ? nil : String(text) }
    // The ending says what it is: it stays.
    let ending = text.lastIndex(of: ".").map { text[$0...] } ?? ""
    let tail = ending.utf8.count <= 20 ? ending : ""
    var head = text.dropLast(tail.count)
    while head.utf8.count + tail.utf8.count > 200 { head.removeLast() }
    return String(head) + String(tail)
  }

  /// Whether no name begins with it: with a mark it would join the slash of the path before it.
  private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default:
      scalar.properties.isWhitespace || scalar == "." || scalar == "-" || scalar == "\u{200D}"
    }
  }

  /// `%41` is `A`; what is no such sign stays as it is.
  package static func decoded(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(bounding: bytes)
  }
}
