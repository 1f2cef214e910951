import XML

/// A file offered for download (XEP-0447), with metadata of XEP-0446 and digests of XEP-0300.
package struct XEP0447FileSharing: Hashable, Sendable {
  package static let namespace = "urn:xmpp:sfs:0"
  package static let metadata = "urn:xmpp:file:metadata:0"
  package static let urlData = "http://jabber.org/protocol/url-data"
  package static let fallback = "urn:xmpp:fallback:0"

  /// The HTTP URL of the file.
  package let url: String
  /// Alternative URLs, the best first, without duplicates and without `url`. At most 8.
  package let otherURLs: [String]
  package let name: String?
  package let mediaType: String?
  /// The size in bytes.
  package let size: Int?
  /// The sender's digests for verification, including those of unsupported hash functions.
  package let digests: [XEP0300Hash]
  /// The size of a picture, in pixels.
  package let width: Int?
  package let height: Int?
  /// A small version of a picture in the file (XEP-0264); never sent.
  package let thumbnail: XEP0264Thumbnail?

  package init(
    url: String, name: String? = nil, mediaType: String? = nil, size: Int? = nil,
    digests: [XEP0300Hash] = [], width: Int? = nil, height: Int? = nil,
    thumbnail: XEP0264Thumbnail? = nil, otherURLs: [String] = []
  ) {
    self.url = url
    self.otherURLs = otherURLs
    self.name = name
    self.mediaType = mediaType
    self.size = size
    self.digests = digests
    self.width = width
    self.height = height
    self.thumbnail = thumbnail
  }

  /// Reads a `<file-sharing/>`; `nil` when `element` is something else, or has no HTTP source.
  /// Sources with TLS come first.
  package init?(_ element: Element) {
    guard element.is("file-sharing", Self.namespace) else { return nil }
    let sources = (element.first("sources", Self.namespace)?.all("url-data", Self.urlData) ?? [])
      .compactMap { $0["target"] }
    func begins(_ url: String, _ scheme: String) -> Bool {
      url.prefix(scheme.count).lowercased() == scheme
    }
    var urls: [String] = []
    for scheme in ["https://", "http://"] {
      for source in sources where begins(source, scheme) && !urls.contains(source) {
        if urls.count <= Self.mostOthers { urls.append(source) }
      }
    }
    guard let url = urls.first else { return nil }
    let file = element.first("file", Self.metadata)
    func text(_ name: String) -> String? {
      file?.first(name, Self.metadata).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }
    func pixels(_ name: String) -> Int? {
      text(name).flatMap { Int($0) }.flatMap { (1...Self.mostPixels).contains($0) ? $0 : nil }
    }
    self.init(
      url: url, name: text("name")?.beginning(bytes: Self.nameBytes),
      mediaType: text("media-type").flatMap { $0.utf8.count <= Self.typeBytes ? $0 : nil },
      size: text("size").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil },
      digests: file?.all("hash", XEP0300Hash.namespace).compactMap { XEP0300Hash($0) } ?? [],
      width: pixels("width"), height: pixels("height"),
      thumbnail: file?.all("thumbnail", XEP0264Thumbnail.namespace).lazy
        .compactMap { XEP0264Thumbnail($0) }.first,
      otherURLs: Array(urls.dropFirst()))
  }

  /// The longest name that is kept, and the longest media type (RFC 6838 §4.2), in bytes.
  private static let (nameBytes, typeBytes) = (4096, 255)
  /// The largest accepted width or height of a picture, in pixels.
  private static let mostPixels = 1_000_000
  /// The most alternative URLs, so that a message cannot cause requests to many hosts.
  private static let mostOthers = 8

  /// The `<file-sharing/>` to send.
  package var element: Element {
    var file = Element("file", Self.metadata)
    for (tag, value) in [
      ("media-type", mediaType), ("name", name), ("size", size.map { String($0) }),
      ("width", width.map { String($0) }), ("height", height.map { String($0) }),
    ] {
      if let value { file.append(Element(tag, Self.metadata, text: value)) }
    }
    for digest in digests { file.append(digest.element) }
    return Element(
      "file-sharing", Self.namespace, ["disposition": "inline"],
      [
        file,
        Element(
          "sources", Self.namespace, [:],
          ([url] + otherURLs).map { Element("url-data", Self.urlData, ["target": $0]) }),
      ])
  }

  /// The element that marks the message's text as a fallback for the file (XEP-0428).
  package static var fallbackElement: Element {
    Element("fallback", fallback, ["for": namespace], [Element("body", fallback)])
  }
}

/// A URL beside a message's text (XEP-0066 §3).
package enum XEP0066OutOfBand {
  /// Returns the `<x/>` with `url`.
  package static func element(_ url: String) -> Element {
    Element(
      "x", Namespace.outOfBand, [:], [Element("url", Namespace.outOfBand, text: url)])
  }
}

extension MessageStanza {
  /// The text about the URL beside its text (XEP-0066 §3); `nil` if there is none.
  package var outOfBandDescription: String? {
    let description = element.first("x", Namespace.outOfBand)?.first("desc", Namespace.outOfBand)
    guard let text = description?.text, !text.saysNothing else { return nil }
    return text.withoutBlanksAround
  }

  /// The file that it offers (XEP-0447), or the URL beside its text (XEP-0066) as a file without
  /// metadata.
  package var sharedFile: XEP0447FileSharing? {
    if let file = element.first("file-sharing", XEP0447FileSharing.namespace)
      .flatMap({ XEP0447FileSharing($0) })
    {
      return file
    }
    return element.first("x", Namespace.outOfBand)?.first("url", Namespace.outOfBand)
      .map { XEP0447FileSharing(url: $0.text.withoutBlanksAround) }
  }
}
