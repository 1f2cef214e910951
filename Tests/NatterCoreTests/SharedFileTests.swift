import Testing
import XMPP

@testable import NatterCore

@Suite struct SharedFileTests {
  @Test func `a digest survives its way over the wire`() throws {
    let digest = String(repeating: "0123456789abcdef", count: 4)
    let file = SharedFile(
      address: "https://a.example/b", name: "b", mediaType: "text/plain", byteCount: 3,
      sha256: digest)
    let stanza = MessageStanza(Element("message", Namespace.client, [:], file.elements))
    #expect(SharedFile(stanza) == file)
  }

  @Test(arguments: ["", "=", "AAAA", "not base64!", String(repeating: "A", count: 44)])
  func `a digest that is none is forgotten`(text: String) throws {
    let sharing = XEP0447FileSharing(url: "https://a.example/b", sha256: text)
    let stanza = MessageStanza(Element("message", Namespace.client, [:], [sharing.element]))
    let file = try #require(SharedFile(stanza))
    // 44 letters hold 33 bytes.
    #expect(file.sha256 == nil)
  }

  @Test(arguments: [
    "ftp://a/b", "file:///etc/passwd", "javascript:x", "xmpp:a@b", "https://a/b c", "",
  ])
  func `what HTTP cannot fetch is no file`(url: String) {
    let stanza = MessageStanza(
      Element("message", Namespace.client, [:], [XEP0066OutOfBand.element(url)]))
    #expect(SharedFile(stanza) == nil)
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9949, "9.9 kB"), (9950, "10 kB"),
    (999_499, "999 kB"), (999_500, "1.0 MB"), (10_485_760, "10 MB"), (1 << 32, "4.3 GB"),
    (-5, "0 B"),
  ])
  func `sizes have three digits at most`(count: Int, text: String) {
    #expect(ByteCount.text(count) == text)
  }
}
