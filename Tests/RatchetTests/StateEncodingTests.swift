import Testing

@testable import Ratchet

/// The stored form of a session.
@Suite struct StateEncodingTests {
  /// Sessions in all conditions that there are between two messages.
  private func states() throws -> [RatchetState] {
    let (alice, bob) = (try Party(1), try Party(2))
    try alice.begin(with: bob)
    var states = [alice.sessions[0]]
    let messages = try alice.seal(count: 300)
    states.append(alice.sessions[0])
    for index in [0, 200, 100, 101, 299] {
      try bob.open(messages[index])
      states.append(bob.sessions[0])
    }
    for _ in 0..<45 {
      let skipped = try bob.seal()
      try alice.open(bob.seal())
      try alice.open(skipped)
      _ = try alice.seal()
      try bob.open(alice.seal())
    }
    return states + [alice.sessions[0], bob.sessions[0]]
  }

  @Test func `a session is read as it was written, and has a single form`() throws {
    for state in try states() {
      let bytes = state.encoded
      let read = try RatchetState(encoded: bytes)
      #expect(read == state)
      #expect(read.encoded == bytes)
    }
  }

  @Test func `a session that was read goes on`() throws {
    let (alice, bob) = try Party.pair()
    let messages = try alice.seal(count: 5)
    try bob.open(messages[3])
    for party in [alice, bob] {
      party.sessions = try party.sessions.map { try RatchetState(encoded: $0.encoded) }
    }
    try bob.open(messages[1])
    #expect(throws: RatchetError.duplicate) { try bob.open(messages[3]) }
    try alice.open(bob.seal())
    #expect(try bob.open(alice.seal("next")).text == "next")
  }

  @Test func `a session is small`() throws {
    let (alice, bob) = try Party.pair()
    #expect(alice.sessions[0].encoded.count < 320)
    try bob.open(#require(try alice.seal(count: 1001).last))
    #expect(bob.sessions[0].encoded.count < 320 + 1000 * 34)
  }

  @Test func `bytes that were changed, cut or extended are no session`() throws {
    let (alice, bob) = try Party.pair()
    try bob.open(#require(try alice.seal(count: 4).last))
    let bytes = bob.sessions[0].encoded
    for index in bytes.indices {
      #expect(throws: RatchetStateError.self, "cut to \(index)") {
        try RatchetState(encoded: Array(bytes.prefix(index)))
      }
      var changed = bytes
      changed[index] ^= 0x10
      #expect(throws: RatchetStateError.self, "byte \(index)") {
        try RatchetState(encoded: changed)
      }
    }
    #expect(throws: RatchetStateError.damaged) { try RatchetState(encoded: bytes + [0]) }
    #expect(throws: RatchetStateError.damaged) { try RatchetState(encoded: []) }
    #expect(throws: RatchetStateError.unknownFormat(2)) {
      try RatchetState(encoded: [2] + bytes.dropFirst())
    }
  }

  @Test func `contents that no session has are refused, whatever the checksum`() throws {
    let (alice, _) = try Party.pair()
    let right = Array(alice.sessions[0].encoded.dropLast(8))
    func read(_ content: [UInt8]) throws -> RatchetState {
      try RatchetState(encoded: content + RatchetState.checksum(content[...]))
    }
    func changed(_ index: Int, to byte: UInt8) -> [UInt8] {
      var content = right
      content[index] = byte
      return content
    }
    #expect(try read(right) == alice.sessions[0])
    // Begun here, their ratchet key, both chains.
    #expect(right[2] == 15)
    let end = right.count - 1
    let reached = try #require(alice.sessions[0].theirRatchetKey)
    #expect(alice.sessions[0].receiving?.count == 1)
    let seed = [UInt8](repeating: 3, count: 32)
    #expect(try read(changed(end, to: 1) + reached + [1, 0] + seed).skippedCount == 1)
    for (why, content) in [
      ("version 9", changed(1, to: 9)), ("unknown flag", changed(2, to: 47)),
      ("a chain without a ratchet key", changed(2, to: 13)),
      ("more chains than bytes", changed(end, to: 100)),
      ("a number that is too long", Array(right.dropLast()) + [0x80, 0]),
      ("a number over the limit", Array(right.dropLast()) + [0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
      ("an endless number", Array(right.dropLast()) + [UInt8](repeating: 0x80, count: 12)),
      ("more bytes than parts", right + [0]),
      (
        "a skipped key of a message that was not reached",
        changed(end, to: 1) + reached + [1, 1] + seed
      ),
      ("a chain without keys", changed(end, to: 1) + seed + [0]),
      (
        "a chain with more keys than bytes",
        changed(end, to: 1) + seed + [0xFF, 0xFF, 0xFF, 0x7F]
      ),
    ] {
      #expect(throws: RatchetStateError.damaged, "\(why)") { try read(content) }
    }
  }
}
