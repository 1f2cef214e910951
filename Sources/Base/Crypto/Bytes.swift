/// Returns whether two secrets are equal, in a time that does not depend on where they differ. Only
/// their lengths can be learnt from it.
package func isEqualInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  guard a.count == b.count else { return false }
  if let compare { return compare(a, b, a.count) == 0 }
  var difference: UInt8 = 0
  for index in a.indices { difference |= a[index] ^ b[index] }
  return difference == 0
}

private typealias Compare =
  @Sendable @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?, Int) -> CInt

/// The comparison of libcrypto, which compilers cannot shorten; `nil` without libcrypto.
private let compare: Compare? = {
  guard let library = try? Binding.libraryHandle() else { return nil }
  return try? Binding.function("CRYPTO_memcmp", in: library, as: Compare.self)
}()

/// Returns `count` unpredictable bytes from the system (getrandom(2)).
package func randomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}

/// Returns an unguessable identifier, safe in URLs, XML and file names: `byteCount` random bytes in
/// hexadecimal.
package func randomIdentifier(byteCount: Int = 12) -> String { hex(randomBytes(byteCount)) }

/// Returns `bytes` as hexadecimal digits in lower case.
package func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Returns the bytes that hexadecimal digits (in either case) encode; `nil` when `text` is anything
/// else.
package func bytes(hex text: String) -> [UInt8]? {
  func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
  let digits = Array(text.utf8)
  guard digits.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}
