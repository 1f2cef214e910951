import Crypto
import Foundation
import Testing

/// The test vectors. Those of conversations were made by other implementations of OMEMO.
enum Fixture {
  /// A conversation in the order in which it is read.
  struct Conversation: Decodable {
    let people: [String: Person]
    let steps: [Step]
    let neverDelivered: [Step]?
  }

  struct Person: Decodable {
    let seed: Hex?
    let identityPublic: Hex
    let signedPreKey: PreKey?
    let preKeys: [PreKey]?
  }

  struct PreKey: Decodable {
    let id: UInt32
    let `private`: Hex
    let `public`: Hex
    /// Of a signed pre-key alone.
    let signature: Hex?
  }

  struct Step: Decodable {
    /// The name of the writer.
    let by: String
    let body: Hex
    /// The whole key exchange, if the message is sent in one.
    let bytes: Hex?
    let message: Hex
    let material: Hex
    /// The private keys that the reader draws.
    let receiverRatchetPrivate: [Hex]?
    let ephemeralPrivate: Hex?
    let ratchetPrivate: Hex?

    /// The number of the message in the order in which its writer wrote it.
    var number: Int {
      let text = String(decoding: body.bytes, as: UTF8.self)
      return text.hasPrefix("message ") ? Int(text.split(separator: " ")[1]) ?? 0 : 0
    }
  }

  struct Messages: Decodable {
    struct Message: Decodable {
      let counter: Int
      let previous: Int
      let ratchetPublic: Hex
      let ciphertext: Hex
      let bytes: Hex
      let code: Hex
    }

    struct Exchange: Decodable {
      let preKey: UInt32
      let signedPreKey: UInt32
      let identity: Hex
      let base: Hex
      let message: Hex
      let bytes: Hex
    }

    struct Refused: Decodable {
      let why: String
      let bytes: Hex
    }

    let messages: [Message]
    let keyExchanges: [Exchange]
    let refused: [Refused]
  }

  struct Hex: Decodable, Equatable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      let decoded = Crypto.bytes(hex: text)
      bytes = try #require(decoded)
    }
  }

  static func load<Value: Decodable>(_ name: String) throws -> Value {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/\(name).json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Value.self, from: Data(contentsOf: file))
  }
}
