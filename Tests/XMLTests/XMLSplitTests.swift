import TestSupport
import Testing
import XML

@Suite struct XMLSplitTests {
  static let stream =
    streamStart
    + "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls></stream:features>\n"
    + "<message from='анна@пример.рф/тел' to=\"b@b\" id = 'x' xml:lang='ru' ><body>Привет &amp; 你好 👍\r\n]] ></body ><html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'><p style='color:\tred'>x<![CDATA[<&]] >y]]]>z</p></body></html></message>"
    + "  <presence><p:c xmlns:p='urn:p' p:d='1' e='&#x1F600;'/></presence><iq/> <имя/></stream:stream> \n"

  @Test func `every size of piece gives the same as the whole`() {
    let whole = ParserRun(Self.stream)
    #expect(whole.failure == nil)
    #expect(whole.elements.count == 5)
    for size in 1...40 { #expect(ParserRun(Self.stream, size: size) == whole, "\(size)") }
  }

  @Test func `a stream that ends anywhere gives the same by bytes as at once`() {
    let bytes = Array(Self.stream.utf8)
    for end in 0...bytes.count {
      let part = Array(bytes[..<end])
      #expect(ParserRun(part, size: 1) == ParserRun(part), "\(end)")
    }
  }

  @Test(arguments: MalformedXMLTests.inside.map(\.0))
  func `mistakes are found at the same byte however they arrive`(text: String) {
    let whole = ParserRun(streamStart + "<ok/>" + text)
    for size in [1, 2, 3, 8] {
      #expect(ParserRun(streamStart + "<ok/>" + text, size: size) == whole)
    }
  }

  @Test(arguments: 0..<12)
  func `no damage brings the parser down, and splits do not change what it says`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let original = Array(Self.stream.utf8)
    let tokens = ["<", ">", "&", "'", "\"", "/", "]]>", "<![CDATA[", "xmlns", ":", "=", "\0", "é"]
      .map { Array($0.utf8) }
    for _ in 0..<150 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        case 2:
          bytes.insert(
            contentsOf: tokens.randomElement(using: &generator) ?? [], at: index)
        default:
          let end = min(bytes.count, index + Int.random(in: 1...40, using: &generator))
          bytes.insert(contentsOf: bytes[index..<end], at: index)
        }
      }
      let whole = ParserRun(bytes)
      let size = Int.random(in: 1...9, using: &generator)
      #expect(ParserRun(bytes, size: size) == whole)
      // Reading everything must not go out of bounds either.
      for element in whole.elements { #expect(!XMLWriter().bytes(element).isEmpty) }
    }
  }
}
