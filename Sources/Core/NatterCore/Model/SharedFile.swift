import BoundedText
import XMPP

/// A file that a message offers, as its sender describes it. All values are untrusted.
package struct SharedFile: Hashable, Sendable {
  /// The HTTP or HTTPS URL of the file.
  package let address: String
  /// Alternative URLs, best first, without duplicates or `address`.
  package let otherAddresses: [String]
  /// The sender's name of the file; may contain any character. `safeName` is for disks and screens.
  package let name: String?
  package let mediaType: String?
  package let byteCount: Int?
  /// The hashes to check the file against after the download, strongest first, as far as they are
  /// supported.
  package let digests: [FileDigest]
  /// Of a picture, in pixels, at least 1.
  package let width: Int?
  package let height: Int?
  /// The number of bytes received, if its sender specified none.
  package var foundByteCount: Int?
  /// The thumbnail in the message, as the bytes of a file. Present only on the way to the database:
  /// afterwards it is loaded separately, by its message.
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

  /// All URLs, best first.
  package var addresses: [String] { [address] + otherAddresses }

  /// The size in bytes, as the sender specified it or as it was received; `nil` if not known.
  package var size: Int? { byteCount ?? foundByteCount }

  /// The value without the thumbnail, which is stored separately.
  package var withoutThumbnail: SharedFile {
    var file = self
    file.thumbnail = nil
    return file
  }

  /// A name that is valid on any disk and safe in any terminal: the sender's, or the last part of
  /// the URL.
  package var safeName: String {
    if let name, let safe = Self.safe(name) { return safe }
    // By bytes, because nothing limits the length of an address.
    let path = address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let last = path.split(separator: UInt8(ascii: "/")).dropFirst(2).last
      .map { Self.decoded(Substring($0)) }
    return last.flatMap { Self.safe($0) } ?? "file"
  }

  /// Indicates whether its declared media type is a picture.
  package var isPicture: Bool { mediaType?.hasPrefix("image/") ?? false }

  /// Returns `name` without folders, control and direction characters, and without a prefix that
  /// hides the file or looks like an option; at most 200 bytes. `nil` if nothing is left.
  package static func safe(_ name: String) -> String? {
    var kept = String.UnicodeScalarView()
    for scalar in lastPart(of: name) {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator:
        // The joiner that emoji and some scripts need is a format character too.
        if scalar == "\u{200D}" { kept.append(scalar) }
      default: kept.append(":*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar)
      }
    }
    // The removal may have joined clusters into longer ones, so the bound is applied again.
    var text = String(kept.drop(while: isPassedOver)).bounded[...]
    while let end = text.last, end.isWhitespace || end == "." { text.removeLast() }
    guard text.utf8.count > 200 else { return text.isEmpty ? nil : String(text) }
    // The extension identifies the type, so it is kept.
    let ending = text.lastIndex(of: ".").map { text[$0...] } ?? ""
    let tail = ending.utf8.count <= 20 ? ending : ""
    var head = text.dropLast(tail.count)
    while head.utf8.count + tail.utf8.count > 200 { head.removeLast() }
    return String(head) + String(tail)
  }

  /// Returns the part of `name` behind its folders, by scalars: a mark combines with a slash into
  /// one character, and may be removed later. Of a part that is much too long for a name, its
  /// beginning and its end, which has the extension: the rest would only be examined and dropped.
  private static func lastPart(of name: String) -> String.UnicodeScalarView {
    func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }
    let scalars = name.unicodeScalars
    guard let end = scalars.lastIndex(where: { !isSeparator($0) }) else { return .init() }
    let path = scalars[...end]
    let start = path.lastIndex(where: isSeparator).map { path.index(after: $0) } ?? path.startIndex
    let last = path[start...]
    let (beginning, ending) = (1800, 200)
    guard last.count > beginning + ending else { return .init(last) }
    var parts = String.UnicodeScalarView(last.prefix(beginning))
    parts.append(contentsOf: last.suffix(ending))
    return parts
  }

  /// Returns whether it is dropped at the beginning of a name: a mark would combine with the slash
  /// of the path before it.
  private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default:
      scalar.properties.isWhitespace || scalar == "." || scalar == "-" || scalar == "\u{200D}"
    }
  }

  /// Decodes `%41` to `A`; invalid escapes remain unchanged.
  package static func decoded(_ text: some StringProtocol) -> String {
    String(bounding: PercentDecoding.bytes(of: text))
  }
}
