import NatterCore
import Testing
import XML
import XMPP

@testable import MessagingService

@Suite struct FilePayloadTests {
  @Test(arguments: FileDigest.Algorithm.allCases)
  func `a digest survives its way over the wire and to the disk`(
    algorithm: FileDigest.Algorithm
  ) throws {
    let digest = FileDigest(
      algorithm, String(repeating: "0123456789abcdef", count: algorithm.byteCount / 8))
    #expect([digest].stored.map { [FileDigest](stored: $0) } == [digest])
    let file = SharedFile(
      address: "https://a.example/b", name: "b", mediaType: "text/plain", byteCount: 3,
      digests: [digest])
    let stanza = MessageStanza(Element("message", Namespace.client, [:], FilePayload.encode(file)))
    #expect(FilePayload.decode(stanza) == file)
  }

  private func stanza(_ thumbnail: String?, _ size: (String, String)? = nil) -> MessageStanza {
    var file = Element("file", XEP0447FileSharing.metadata)
    if let thumbnail {
      file.append(
        Element("thumbnail", XEP0264Thumbnail.namespace, ["uri": thumbnail, "width": "4"]))
    }
    if let size {
      file.append(Element("width", XEP0447FileSharing.metadata, text: size.0))
      file.append(Element("height", XEP0447FileSharing.metadata, text: size.1))
    }
    let source = Element(
      "sources", XEP0447FileSharing.namespace, [:],
      [Element("url-data", XEP0447FileSharing.urlData, ["target": "https://a.example/b"])])
    return MessageStanza(
      Element(
        "message", Namespace.client, [:],
        [Element("file-sharing", XEP0447FileSharing.namespace, [:], [file, source])]))
  }

  @Test(arguments: ["data:image/png;base64,AAEC", "data:Image/JPEG;BASE64,AAEC"])
  func `a small picture that comes with the message is taken`(address: String) {
    #expect(FilePayload.decode(stanza(address))?.thumbnail == [0, 1, 2])
  }

  @Test(arguments: [
    "https://a.example/thumb.png", "cid:sha1+x@bob.xmpp.org", "data:image/svg+xml;base64,AAEC",
    "data:text/html;base64,AAEC", "data:image/png,AAEC", "data:image/png;base64,", "data:",
    "data:image/png;base64,not base64!",
    "data:image/png;base64," + String(repeating: "A", count: (64 << 10) / 3 * 4 + 8),
  ])
  func `one that would have to be fetched, is none, or is large is passed over`(address: String) {
    let file = FilePayload.decode(stanza(address))
    #expect(file != nil)
    #expect(file?.thumbnail == nil)
  }

  @Test func `width and height are numbers of pixels, or nothing`() {
    let file = FilePayload.decode(stanza(nil, ("640", "480")))
    #expect(file?.width == 640)
    #expect(file?.height == 480)
    for text in ["0", "-1", "x", "", "99999999999999999999", "1000001"] {
      #expect(FilePayload.decode(stanza(nil, (text, "480")))?.width == nil)
    }
  }

  @Test(arguments: [
    "", "=", "AAAA", "not base64!", String(repeating: "A", count: 44),
    // Without its end, and with something behind it.
    String(repeating: "A", count: 43), String(repeating: "A", count: 43) + "=A",
  ])
  func `a digest that is none is forgotten`(text: String) throws {
    let sharing = XEP0447FileSharing(
      url: "https://a.example/b", digests: [XEP0300Hash(algorithm: "sha-256", value: text)])
    let stanza = MessageStanza(Element("message", Namespace.client, [:], [sharing.element]))
    let file = try #require(FilePayload.decode(stanza))
    // 44 letters hold 33 bytes.
    #expect(file.digests == [])
  }

  @Test func `a digest in several lines is one`() throws {
    let value =
      String(repeating: "A", count: 20) + "\n  " + String(repeating: "A", count: 23) + "=\n"
    let sharing = XEP0447FileSharing(
      url: "https://a.example/b", digests: [XEP0300Hash(algorithm: "sha-256", value: value)])
    let stanza = MessageStanza(Element("message", Namespace.client, [:], [sharing.element]))
    #expect(FilePayload.decode(stanza)?.digests == [.sha256(String(repeating: "0", count: 64))])
  }

  @Test func `of several digests each that is one and is known is kept, the strongest first`() {
    func file(_ digests: [(String, Int)]) -> SharedFile? {
      let sharing = XEP0447FileSharing(
        url: "https://a.example/b",
        digests: digests.map {
          // As many bytes of zero.
          let letters = String(repeating: "A", count: ($0.1 * 8 + 5) / 6)
          return XEP0300Hash(
            algorithm: $0.0,
            value: letters + String(repeating: "=", count: (4 - letters.count % 4) % 4))
        })
      return FilePayload.decode(
        MessageStanza(Element("message", Namespace.client, [:], [sharing.element])))
    }
    func zeros(_ algorithm: FileDigest.Algorithm) -> FileDigest {
      FileDigest(algorithm, String(repeating: "0", count: algorithm.byteCount * 2))
    }
    #expect(
      file([("md5", 16), ("sha-256", 32), ("SHA-512", 64)])?.digests
        == [zeros(.sha512), zeros(.sha256)])
    #expect(
      file([("sha3-512", 12), ("sha3-256", 32), ("blake2b-512", 64), ("sha3-512", 64)])?.digests
        == [zeros(.sha3With512), zeros(.blake2b512), zeros(.sha3With256)])
    #expect(file([("sha-256", 32), ("SHA-256", 32)])?.digests == [zeros(.sha256)])
    #expect(file([("md5", 16), ("crc32", 4)])?.digests == [])
  }

  @Test func `of several addresses those count that HTTP can fetch`() throws {
    let sharing = XEP0447FileSharing(
      url: "https://a.example/b c",
      otherURLs: ["https://a.example/d", "https://a.example/\u{7F}", "http://a.example/e"])
    let stanza = MessageStanza(Element("message", Namespace.client, [:], [sharing.element]))
    let file = try #require(FilePayload.decode(stanza))
    #expect(file.address == "https://a.example/d")
    #expect(file.otherAddresses == ["http://a.example/e"])
    // The recipient of a forwarded file learns of all of them.
    #expect(
      FilePayload.decode(
        MessageStanza(Element("message", Namespace.client, [:], FilePayload.encode(file)))) == file)
  }

  @Test(arguments: [
    "ftp://a/b", "file:///etc/passwd", "javascript:x", "xmpp:a@b", "https://a/b c", "",
  ])
  func `what HTTP cannot fetch is no file`(url: String) {
    let stanza = MessageStanza(
      Element("message", Namespace.client, [:], [XEP0066OutOfBand.element(url)]))
    #expect(FilePayload.decode(stanza) == nil)
  }
}
