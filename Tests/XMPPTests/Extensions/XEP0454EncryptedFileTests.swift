import Testing

@testable import XMPP

@Suite struct XEP0454EncryptedFileTests {
  private static let iv = "000102030405060708090a0b"
  private static let longIV = iv + "0c0d0e0f"
  private static let key = String(repeating: "c5", count: 32)
  private static let url = "aesgcm://files.example.org/a/b.jpg#\(iv)\(key)"

  @Test func `a URL is an address, an iv and a key`() throws {
    let file = try #require(XEP0454EncryptedFile(Self.url))
    #expect(file.address == "https://files.example.org/a/b.jpg")
    #expect(file.iv == Array(0..<12) && file.key == [UInt8](repeating: 0xc5, count: 32))
    #expect(file.text == Self.url)
    let older = try #require(
      XEP0454EncryptedFile("aesgcm://files.example.org/b?t=1#\(Self.longIV)\(Self.key)"))
    #expect(older.iv == Array(0..<16) && older.address == "https://files.example.org/b?t=1")
    #expect(XEP0454EncryptedFile(older.text) == older)
    #expect(
      XEP0454EncryptedFile("AESGCM://h:8443/b#\(Self.iv)\(Self.key.uppercased())")?.address
        == "https://h:8443/b")
  }

  @Test(arguments: [
    "", "aesgcm:", "aesgcm://", "aesgcm:///b#\(iv)\(key)", "aesgcm://h#\(iv)\(key)",
    "aesgcm://h/b", "aesgcm://h/b#", "https://h/b#\(iv)\(key)", "http://h/b#\(iv)\(key)",
    "aesgcm:h/b#\(iv)\(key)", "aesgcm://u@h/b#\(iv)\(key)", "aesgcm://h?/b#\(iv)\(key)",
    "aesgcm://h/b#\(key)", "aesgcm://h/b#\(iv.dropLast(2))\(key)", "aesgcm://h/b#\(iv)00\(key)",
    "aesgcm://h/b#\(longIV)00\(key)", "aesgcm://h/b#\(iv)\(key)0",
    "aesgcm://h/b#g\(iv.dropFirst())\(key)",
    "aesgcm://h/b##\(iv)\(key)", "aesgcm://h/b#\(iv)#\(key)", "aesgcm://h/ b#\(iv)\(key)",
    "aesgcm://h/b#\(iv)\(key) ", " aesgcm://h/b#\(iv)\(key)", "aesgcm://h\\x/b#\(iv)\(key)",
    "aesgcm://h/é#\(iv)\(key)", "aesgcm://h/\u{1B}#\(iv)\(key)", "aesgcm://h/<b>#\(iv)\(key)",
    "aesgcm://h/\(String(repeating: "b", count: 4096))#\(iv)\(key)",
  ])
  func `anything else is none`(text: String) {
    #expect(XEP0454EncryptedFile(text) == nil, "\(text)")
  }

  @Test func `a body is such a URL alone, or with one preview`() {
    #expect(XEP0454EncryptedFile(body: Self.url) != nil)
    #expect(XEP0454EncryptedFile(body: Self.url + "\ndata:image/jpeg,AAAA") != nil)
    for other in [
      "\n", "\n\n", "\nLook!", "\ndata:image/jpeg,A B", "\ndata:a\ndata:b", "\r\ndata:a", " ",
      "\nhttps://data:a", "\ndata:\(String(repeating: "A", count: 300_000))",
    ] {
      #expect(XEP0454EncryptedFile(body: Self.url + other) == nil, "\(other.prefix(20))")
      #expect(XEP0454EncryptedFile(body: other + Self.url) == nil, "\(other.prefix(20))")
    }
    #expect(XEP0454EncryptedFile(body: "See " + Self.url) == nil)
    #expect(XEP0454EncryptedFile(body: "data:image/jpeg,AAAA\n" + Self.url) == nil)
  }

  /// fragmentStaysHere
  @Test func `the description has no key`() throws {
    let file = try #require(XEP0454EncryptedFile(Self.url))
    #expect("\(file)" == "https://files.example.org/a/b.jpg")
  }

  @Test func `a file is only of an address over TLS, with a key of its length`() {
    let (iv, key) = ([UInt8](0..<12), [UInt8](repeating: 1, count: 32))
    #expect(XEP0454EncryptedFile(address: "https://h/b", iv: iv, key: key) != nil)
    #expect(XEP0454EncryptedFile(address: "http://h/b", iv: iv, key: key) == nil)
    #expect(XEP0454EncryptedFile(address: "https://h/b#x", iv: iv, key: key) == nil)
    #expect(XEP0454EncryptedFile(address: "https://h/b", iv: key, key: key) == nil)
    #expect(XEP0454EncryptedFile(address: "https://h/b", iv: iv, key: iv) == nil)
  }
}
