import Testing

@testable import Ratchet

/// The bytes of messages as protocol buffers write them.
@Suite struct MessageVectorTests {
  private let vectors: Fixture.Messages

  init() throws { vectors = try Fixture.load("messages-0.3.0") }

  @Test func `messages are read and written byte for byte`() throws {
    #expect(vectors.messages.count == 6)
    for vector in vectors.messages {
      let key = Array(vector.ratchetPublic.bytes.dropFirst())
      let body = RatchetMessage.body(
        ratchetKey: key, counter: UInt32(vector.counter), previous: UInt32(vector.previous),
        ciphertext: vector.ciphertext.bytes)
      #expect(body == vector.bytes.bytes)
      let message = try RatchetMessage((body + vector.code.bytes)[...], .v030)
      #expect(message.ratchetKey == key)
      #expect(message.counter == vector.counter)
      #expect(message.previous == vector.previous)
      #expect(message.ciphertext == vector.ciphertext.bytes)
      #expect(message.code == vector.code.bytes)
      #expect(Array(message.body) == body)
    }
  }

  @Test func `key exchanges are read and written byte for byte`() throws {
    #expect(vectors.keyExchanges.count == 3)
    for vector in vectors.keyExchanges {
      let exchange = try KeyExchange(vector.bytes.bytes[...])
      #expect(exchange.preKeyID == vector.preKey)
      #expect(exchange.signedPreKeyID == vector.signedPreKey)
      #expect([5] + exchange.baseKey == vector.base.bytes)
      #expect([5] + exchange.identityKey == vector.identity.bytes)
      #expect(Array(exchange.message) == vector.message.bytes)
      #expect(
        KeyExchange.bytes(
          .init(preKeyID: exchange.preKeyID, signedPreKeyID: exchange.signedPreKeyID),
          baseKey: exchange.baseKey, identityKey: exchange.identityKey,
          message: Array(exchange.message), registrationID: nil) == vector.bytes.bytes)
    }
  }

  @Test func `bytes that are no message are refused before anything is computed`() throws {
    #expect(vectors.refused.count == 11)
    let (_, bob) = try Party.pair()
    for vector in vectors.refused {
      for isKeyExchange in [false, true] {
        let error = #expect(throws: RatchetError.self, "\(vector.why)") {
          try bob.open(vector.bytes.bytes, isKeyExchange: isKeyExchange)
        }
        guard case .malformed = error else {
          Issue.record("\(vector.why): \(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test func `fields that others add are skipped, and fields that are missing have a name`() throws
  {
    let body = RatchetMessage.body(
      ratchetKey: [UInt8](repeating: 9, count: 32), counter: 3, previous: 2,
      ciphertext: [UInt8](repeating: 1, count: 16))
    func read(_ body: [UInt8]) throws -> RatchetMessage {
      try RatchetMessage((body + [UInt8](repeating: 0, count: 8))[...], .v030)
    }
    // A number, 8 bytes, bytes, 4 bytes.
    let unknown: [UInt8] = [
      0x38, 0x96, 0x01, 0x41, 1, 2, 3, 4, 5, 6, 7, 8, 0x4A, 1, 7, 0x55, 1, 2, 3, 4,
    ]
    let message = try read(body + unknown)
    #expect(message.counter == 3 && message.previous == 2 && message.ciphertext.count == 16)
    #expect(Array(message.body) == body + unknown)
    // libsignal in Rust knows version 4, and writes version 3.
    #expect(try read([0x34] + body.dropFirst()).counter == 3)

    #expect(throws: MalformedReason.repeatedField(2)) { try read(body + [0x10, 3]) }
    #expect(throws: MalformedReason.missingField(1)) { try read([0x33] + body[36...]) }
    #expect(throws: MalformedReason.missingField(2)) { try read(Array(body[..<36])) }
    #expect(throws: MalformedReason.missingField(4)) { try read(Array(body[..<40])) }
    // The counter as bytes, and over 32 bits.
    #expect(throws: MalformedReason.field(2)) {
      try read(body[..<36] + [0x12, 1, 3] + body[38...])
    }
    #expect(throws: MalformedReason.field(2)) {
      try read(body[..<36] + [0x10, 0x80, 0x80, 0x80, 0x80, 0x10] + body[38...])
    }
    // A text of 15 bytes, a number of 65 bits, field 0, a group.
    #expect(throws: MalformedReason.ciphertext) {
      try read(body[..<40] + [0x22, 15] + [UInt8](repeating: 1, count: 15))
    }
    for wrong: [UInt8] in [
      [0x38] + [UInt8](repeating: 0xFF, count: 9) + [2], [0x00, 1], [0x3B], [0x3C], [0x3A, 9, 1],
      [0x39, 1], [0x3D, 1], [0x38],
    ] {
      #expect(throws: MalformedReason.encoding, "\(wrong)") { try read(body + wrong) }
    }
  }

  @Test func `a message over the limit is not read`() throws {
    let (alice, bob) = try Party.pair()
    let message = try alice.seal(String(repeating: "x", count: 4096))
    #expect(throws: RatchetError.malformed(.tooLong)) { try bob.open(message) }
  }
}
