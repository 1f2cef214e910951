import Crypto
import Testing

@Suite struct BytesTests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `Base64 agrees with RFC 4648`(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
  }

  @Test func `every byte survives Base64 and hexadecimal`() {
    let bytes = [UInt8](0...255)
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    #expect(Crypto.bytes(hex: hex(bytes)) == bytes)
    #expect(Crypto.bytes(hex: hex(bytes).uppercased()) == bytes)
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zg==Zg==", "Zm9v!", "Zh==", "Zm9="])
  func `what is not Base64 is refused`(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test func `line ends in Base64 are passed over`() {
    #expect(Base64.decode(" Zm9v\r\nYmFy\n") == Array("foobar".utf8))
  }

  @Test(arguments: ["0", "0g", "x1", "é"])
  func `what is not hexadecimal is refused`(text: String) {
    #expect(Crypto.bytes(hex: text) == nil)
  }

  @Test func `secrets are compared whole`() {
    #expect(isEqualInConstantTime([], []))
    #expect(isEqualInConstantTime([1, 2, 3], [1, 2, 3]))
    #expect(!isEqualInConstantTime([1, 2, 3], [1, 2, 4]))
    #expect(!isEqualInConstantTime([0, 2, 3], [1, 2, 3]))
    #expect(!isEqualInConstantTime([1, 2], [1, 2, 3]))
  }

  @Test func `random bytes have the length asked for and do not repeat`() {
    #expect(randomBytes(0).isEmpty)
    #expect(randomBytes(33).count == 33)
    #expect(randomBytes(16) != randomBytes(16))
    #expect(randomIdentifier().utf8.count == 24)
    #expect(randomIdentifier() != randomIdentifier())
  }
}
