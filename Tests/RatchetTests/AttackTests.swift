import Crypto
import Testing

@testable import Ratchet

/// Messages and bundles that were made to do harm.
@Suite struct AttackTests {
  // failureLeavesTheState
  @Test func `failure leaves the state: what follows is as if it had not happened`() throws {
    let (alice, bob) = try Party.pair()
    let (other, undisturbed) = try Party.pair()
    let mallory = try Party(3)
    let messages = try alice.seal(count: 4)
    #expect(try other.seal(count: 4) == messages)
    for message in [messages[0], messages[3]] {
      try bob.open(message)
      try undisturbed.open(message)
    }
    try alice.open(bob.seal())
    try other.open(undisturbed.seal())
    let next = try alice.seal()
    #expect(try other.seal() == next)

    func damaged(_ bytes: [UInt8], at index: Int) -> [UInt8] {
      var bytes = bytes
      bytes[index] ^= 1
      return bytes
    }
    try mallory.begin(with: bob)
    let exchange = try mallory.seal()
    let failing: [(bytes: [UInt8], isKeyExchange: Bool)] = [
      ([], false), ([], true), (messages[3].bytes, false),
      // The code of a skipped message, of a message that begins a chain, and its text.
      (damaged(messages[1].bytes, at: messages[1].bytes.count - 1), false),
      (damaged(next.bytes, at: next.bytes.count - 1), false), (damaged(next.bytes, at: 50), false),
      (exchange.bytes, true), (next.bytes, true), (exchange.bytes, false),
    ]
    let before = bob.sessions.map(\.encoded)
    let draws = bob.draws
    for (bytes, isKeyExchange) in failing {
      #expect(throws: RatchetError.self) { try bob.open(bytes, isKeyExchange: isKeyExchange) }
    }
    #expect(bob.sessions.map(\.encoded) == before)
    #expect(bob.draws == draws)
    for message in [next, messages[2], messages[1]] {
      #expect(try bob.open(message).material == undisturbed.open(message).material)
    }
    #expect(bob.sessions == undisturbed.sessions)
  }

  /// Keys of which X25519 makes zero, with those over the prime.
  private static let smallOrder = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ]

  // smallOrderKeysEverywhere
  @Test(arguments: smallOrder)
  func `small-order keys everywhere: no session begins and no message is read`(text: String) throws
  {
    let key = try #require(bytes(hex: text))
    let (alice, bob) = try Party.pair()
    let right = try bob.bundle()
    // In a bundle: identity key, signed pre-key, pre-key. The identity key has no signature.
    #expect(throws: RatchetError.self) {
      try DoubleRatchet.begin(
        with: PreKeyBundle(
          identityKey: key, signedPreKeyID: 7, signedPreKey: right.signedPreKey,
          signedPreKeySignature: right.signedPreKeySignature, preKeys: right.preKeys),
        own: alice.own)
    }
    #expect(throws: RatchetError.refusedKey) {
      try DoubleRatchet.begin(with: bob.bundle(signedPreKey: key), own: alice.own)
    }
    #expect(throws: RatchetError.refusedKey) {
      try DoubleRatchet.begin(
        with: PreKeyBundle(
          identityKey: right.identityKey, signedPreKeyID: 7, signedPreKey: right.signedPreKey,
          signedPreKeySignature: right.signedPreKeySignature, preKeys: [.init(id: 1, key: key)]),
        own: alice.own)
    }
    // In a key exchange: base key, identity key.
    let carol = try Party(3)
    try carol.begin(with: bob)
    let exchange = try KeyExchange(carol.seal().bytes[...])
    for (base, identity) in [(key, exchange.identityKey), (exchange.baseKey, key)] {
      let bytes = KeyExchange.bytes(
        .init(preKeyID: exchange.preKeyID, signedPreKeyID: 7), baseKey: base,
        identityKey: identity, message: Array(exchange.message), registrationID: 3)
      #expect(throws: RatchetError.refusedKey) {
        try DoubleRatchet.open(bytes, isKeyExchange: true, sessions: [], own: bob.own)
      }
    }
    // In a message: ratchet key.
    let body = RatchetMessage.body(
      ratchetKey: key, counter: 0, previous: 0, ciphertext: [UInt8](repeating: 0, count: 16))
    let sessions = bob.sessions
    #expect(throws: RatchetError.refusedKey) {
      try bob.open(body + [UInt8](repeating: 0, count: 8))
    }
    #expect(bob.sessions == sessions)
  }

  // everyBitOfAMessage
  @Test func `every bit of a message: none can be changed, and no part left out`() throws {
    let (alice, bob) = try Party.pair()
    try alice.open(bob.seal())
    let message = try alice.seal().bytes
    let sessions = bob.sessions
    for bit in 0..<message.count * 8 {
      var changed = message
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: RatchetError.self, "bit \(bit)") { try bob.open(changed) }
    }
    for count in message.indices {
      #expect(throws: RatchetError.self, "\(count) bytes") {
        try bob.open(Array(message.prefix(count)))
      }
      #expect(throws: RatchetError.self, "without byte \(count)") {
        var shorter = message
        shorter.remove(at: count)
        try bob.open(shorter)
      }
    }
    #expect(throws: RatchetError.self) { try bob.open(message + [0]) }
    #expect(bob.sessions == sessions)
    try bob.open(message)
  }

  // everyBitOfAMessage
  @Test func `every bit of a key exchange: no change makes another session or another text`() throws
  {
    let (alice, bob) = (try Party(1), try Party(2))
    try alice.begin(with: bob)
    let message = try alice.seal("text").bytes
    let right = try bob.open(message, isKeyExchange: true)
    let session = right.sessions[0]
    bob.sessions = []
    var unbound = 0
    // One bit of each byte, and all of the first ones.
    let bits = Array(0..<24) + (3..<message.count).map { $0 * 8 + $0 % 8 }
    for bit in bits {
      var changed = message
      changed[bit / 8] ^= 1 << (bit % 8)
      bob.sessions = []
      do {
        let opened = try bob.open(changed, isKeyExchange: true)
        // The code binds neither the newest version that the sender knows nor its device.
        unbound += 1
        #expect(opened.material == right.material, "bit \(bit)")
        #expect(opened.sessions[0].baseKey == session.baseKey)
        #expect(opened.sessions[0].theirIdentityKey == session.theirIdentityKey)
        #expect(opened.usedPreKeyID == right.usedPreKeyID)
      } catch is RatchetError {
        #expect(bob.sessions.isEmpty)
      }
    }
    #expect((4...8).contains(unbound), "\(unbound)")
  }

  // paddingIsNeverLookedAtFirst
  @Test func `padding is never looked at first: a wrong code is all that is reported`() throws {
    let (alice, bob) = try Party.pair()
    let (own, session) = (alice.own.identity, alice.sessions[0])
    let computation = try RatchetComputation(.v030)
    var chain = try #require(session.sending)
    let keys = try computation.messageKeys(computation.seeds(&chain, until: chain.count + 1))
    // A block whose padding is right, and one that is not: its last byte says 0.
    let right = try BlockCipher.sealCBC([1, 2, 3], key: keys.cipherKey, iv: keys.iv)
    let blocks = try BlockCipher.sealCBC(
      [UInt8](repeating: 0, count: 16), key: keys.cipherKey, iv: keys.iv)
    let wrong = Array(blocks.prefix(16))
    for (ciphertext, isPadded) in [(right, true), (wrong, false)] {
      let body = RatchetMessage.body(
        ratchetKey: session.ownRatchet.publicKey, counter: 0, previous: 1, ciphertext: ciphertext)
      let code = try computation.code(
        body[...], key: keys.codeKey, sender: own.publicKey, receiver: session.theirIdentityKey)
      var wrongCode = code
      wrongCode[7] ^= 0x80
      let sessions = bob.sessions
      #expect(throws: RatchetError.wrongCode) { try bob.open(body + wrongCode) }
      if isPadded {
        let opened = try bob.open(body + code)
        #expect(opened.material == [1, 2, 3])
        bob.sessions = sessions
      } else {
        #expect(throws: RatchetError.malformed(.padding)) { try bob.open(body + code) }
      }
      #expect(bob.sessions == sessions)
    }
  }

  @Test func `the text of a session has no key`() throws {
    let (alice, _) = try Party.pair()
    #expect("\(alice.sessions[0])" == "session of version 1 with 0 skipped keys")
    #expect(String(reflecting: alice.sessions[0]) == "\(alice.sessions[0])")
    var dumped = ""
    dump(alice.sessions[0], to: &dumped)
    #expect(dumped.split(separator: "\n").count == 2)
  }

  @Test func `the texts of own keys and of an opened message have no key`() throws {
    let (alice, bob) = try Party.pair()
    let opened = try bob.open(alice.seal("abc"))
    #expect("\(opened)" == "message 0 with 3 bytes")
    #expect("\(bob.own)" == "keys of device 2 with 3 pre-keys")
    var dumped = ""
    dump(opened, to: &dumped)
    dump(bob.own, to: &dumped)
    #expect(dumped.contains("session of version 1"))
    #expect(dumped.contains(hex(bob.own.identity.publicKey)))
    // A dump has one line for each byte of an array.
    #expect(dumped.split(separator: "\n").count < 12)
    for text in ["\(opened)", "\(bob.own)", String(reflecting: opened), dumped] {
      #expect(!text.contains("97, 98, 99"))
      #expect(!text.contains(hex(bob.own.identity.seed)))
    }
  }
}
