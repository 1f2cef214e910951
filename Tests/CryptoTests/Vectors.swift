import Crypto
import Foundation

/// Test vectors of other implementations of OMEMO, as JSON files in `Fixtures`; each names its
/// parts in `about`. All bytes are hexadecimal.
struct Vectors<Parts: Decodable> {
  let parts: Parts

  init(_ name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/\(name).json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    parts = try decoder.decode(Parts.self, from: Data(contentsOf: file))
  }
}

/// Bytes that are written as hexadecimal digits.
struct Hex: Decodable, ExpressibleByStringLiteral, CustomStringConvertible {
  let bytes: [UInt8]
  var description: String { hex(bytes) }

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let bytes = Crypto.bytes(hex: text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no hexadecimal digits"))
    }
    self.bytes = bytes
  }

  init(stringLiteral text: String) { bytes = Crypto.bytes(hex: text) ?? [] }
}

/// Lengths that are wrong for every key, nonce and tag.
let wrongByteCounts = [0, 1, 11, 15, 17, 31, 33, 64]
