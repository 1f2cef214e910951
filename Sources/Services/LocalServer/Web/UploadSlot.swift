import Crypto
import Glibc
import XMPP

/// The issuer of upload slots (XEP-0363). It keeps no state: the signed token of a slot holds the
/// expiry and the size.
struct UploadSlot: Sendable {
  /// `http://127.0.0.1:PORT`
  let address: String
  private let key: [UInt8]
  private let crypto: CryptoLibrary
  private let now: @Sendable () -> Int
  /// The lifetime of a slot in seconds.
  private static let lifetime = 300

  init(
    address: String, crypto: CryptoLibrary, key: [UInt8] = randomBytes(32),
    now: @escaping @Sendable () -> Int = { time(nil) }
  ) {
    self.address = address
    self.crypto = crypto
    self.key = key
    self.now = now
  }

  /// Returns a slot for a file of exactly `byteCount` bytes.
  /// - Parameter name: any characters.
  func slot(name: String, byteCount: Int) throws(CryptoError) -> XEP0363Slot {
    let id = randomIdentifier()
    let end = now() + Self.lifetime
    var encoded = ""
    for byte in name.utf8 {
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".":
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + hex([byte]).uppercased()
      }
    }
    let url = "\(address)/upload/\(id)/\(encoded)"
    let token = "\(end).\(byteCount).\(try code(id, byteCount, end))"
    return XEP0363Slot(
      put: url, get: url, headers: [.init(name: "Authorization", value: "Bearer \(token)")])
  }

  /// Returns the size in bytes of the upload that this `Authorization` allows at `id`, or `nil` if
  /// it allows none.
  func byteCount(id: some StringProtocol, authorization: String) -> Int? {
    guard authorization.hasPrefix("Bearer ") else { return nil }
    let parts = authorization.dropFirst("Bearer ".count).split(separator: ".")
    guard parts.count == 3, let end = Int(parts[0]), let count = Int(parts[1]), end >= now(),
      let code = try? code(String(id), count, end),
      isEqualInConstantTime(Array(code.utf8), Array(parts[2].utf8))
    else { return nil }
    return count
  }

  private func code(_ id: String, _ byteCount: Int, _ end: Int) throws(CryptoError) -> String {
    hex(try crypto.hmac(Array("\(id):\(byteCount):\(end)".utf8), key: key, by: .sha256))
  }
}
