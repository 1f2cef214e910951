import Crypto
import Testing

@testable import Ratchet

/// How sessions begin, and which one opens a message. The names in comments are those of the rules
/// of the design.
@Suite struct SessionTests {
  // keyExchangeWithoutPreKey
  @Test func `key exchange without pre-key: is refused`() throws {
    let (alice, bob) = (try Party(1), try Party(2, preKeys: 1...1))
    try alice.begin(with: bob)
    let message = try alice.seal()
    // The first field: its tag and the number 1.
    #expect(Array(message.bytes.prefix(3)) == [0x33, 0x08, 1])
    let without = [0x33] + message.bytes.dropFirst(3)
    #expect(throws: RatchetError.malformed(.noPreKey)) {
      try bob.open(without, isKeyExchange: true)
    }
    #expect(bob.sessions.isEmpty)
    try bob.open(message)
  }

  // bothBeginAtOnce
  @Test func `both begin at once: everything is read, and one session is left in use`() throws {
    let (alice, bob) = (try Party(1), try Party(2))
    try alice.begin(with: bob)
    try bob.begin(with: alice)
    let (first, second) = (try alice.seal(count: 2), try bob.seal(count: 2))
    for (index, message) in second.enumerated() {
      #expect(try alice.open(message).isNewSession == (index == 0))
    }
    for (index, message) in first.enumerated() {
      #expect(try bob.open(message).isNewSession == (index == 0))
    }
    // Each answers in the session of the other one, which is its former session.
    let answers = (try alice.seal("from alice"), try bob.seal("from bob"))
    #expect(!answers.0.isKeyExchange && !answers.1.isKeyExchange)
    #expect(try bob.open(answers.0).text == "from alice")
    #expect(try alice.open(answers.1).text == "from bob")
    for round in 0..<3 {
      #expect(try bob.open(alice.seal("\(round)")).text == "\(round)")
      #expect(try alice.open(bob.seal("\(round)")).text == "\(round)")
    }
    #expect(alice.sessions.count == 2 && bob.sessions.count == 2)
    #expect(alice.sessions[0].baseKey == bob.sessions[0].baseKey)
    #expect((alice.sessions + bob.sessions).allSatisfy { $0.isConfirmed })
  }

  // keyExchangeRepeated
  @Test func `key exchange repeated: continues the session that the first one made`() throws {
    let alice = try Party(1)
    var bob = try Party(2)
    try alice.begin(with: bob)
    let messages = try alice.seal(count: 4)
    #expect(messages.allSatisfy { $0.isKeyExchange })
    let opened = try bob.open(messages[2])
    #expect(opened.isNewSession && opened.needsAnswer && opened.counter == 2)
    let used = try #require(opened.usedPreKeyID)
    // The private key is deleted after its use, and is not needed again.
    bob = Party(bob, without: [used])
    for index in [0, 3, 1] {
      let opened = try bob.open(messages[index])
      #expect(opened.text == "text \(index)")
      #expect(!opened.isNewSession && opened.usedPreKeyID == nil && !opened.needsAnswer)
      #expect(opened.theirIdentityKey == alice.own.identity.publicKey)
    }
    for message in messages {
      #expect(throws: RatchetError.duplicate) { try bob.open(message) }
    }
    #expect(bob.sessions.count == 1)
    // After the answer, messages are no key exchanges.
    try alice.open(bob.seal())
    #expect(try !alice.seal().isKeyExchange)
  }

  // oldKeyExchangeFromTheArchive
  @Test func `old key exchange from the archive: is read with its former session`() throws {
    let alice = try Party(1)
    var bob = try Party(2, preKeys: 1...20)
    try alice.begin(with: bob)
    let old = try alice.seal(count: 3)
    let used = try #require(try bob.open(old[0]).usedPreKeyID)
    bob = Party(bob, without: [used])
    try alice.begin(with: bob)
    let new = try alice.seal()
    #expect(try bob.open(new).isNewSession)
    #expect(bob.sessions.count == 2)

    let opened = try bob.open(old[2])
    #expect(opened.text == "text 2" && !opened.isNewSession && opened.usedPreKeyID == nil)
    #expect(opened.sessions.count == 2)
    #expect(throws: RatchetError.duplicate) { try bob.open(old[0]) }
    #expect(throws: RatchetError.duplicate) { try bob.open(new) }

    // Five newer sessions later it is still read, and six later there is no key for it.
    for _ in 0..<4 {
      try alice.begin(with: bob)
      try bob.open(alice.seal())
    }
    #expect(bob.sessions.count == 6)
    let kept = bob.sessions
    try bob.open(old[1])
    bob.sessions = kept
    for _ in 0..<2 {
      try alice.begin(with: bob)
      try bob.open(alice.seal())
    }
    #expect(bob.sessions.count == 6)
    let sessions = bob.sessions
    #expect(throws: RatchetError.unknownPreKey(used)) { try bob.open(old[1]) }
    #expect(bob.sessions == sessions)
  }

  // oldKeyExchangeFromTheArchive
  @Test func `old key exchange from the archive: begins no second session with a kept pre-key`()
    throws
  {
    let (alice, bob) = (try Party(1), try Party(2))
    var used: Set<[UInt8]> = []
    func received() throws -> DoubleRatchet.SealedKey {
      try alice.begin(with: bob)
      let message = try alice.seal()
      let opened = try bob.open(message)
      #expect(opened.isNewSession && opened.usedPreKeyID != nil)
      used.insert(opened.sessions[0].baseKey)
      return message
    }
    let old = try received()
    let later = try alice.seal()
    for _ in 0..<6 { _ = try received() }
    let latest = try alice.seal()
    let own = OwnKeys(
      identity: bob.own.identity, registrationID: 2, signedPreKeys: bob.own.signedPreKeys,
      preKeys: bob.own.preKeys, usedBaseKeys: used)
    func open(_ message: DoubleRatchet.SealedKey) throws -> DoubleRatchet.Opened {
      try DoubleRatchet.open(
        message.bytes, isKeyExchange: true, sessions: bob.sessions, own: own)
    }
    for message in [old, later] {
      #expect(throws: RatchetError.tooLate) { try open(message) }
    }
    // A session that is kept goes on, and another one begins.
    #expect(try !open(latest).isNewSession)
    try alice.begin(with: bob)
    #expect(try open(alice.seal()).isNewSession)
  }

  @Test func `two devices that take the same pre-key are both read`() throws {
    let (alice, carol, bob) = (try Party(1), try Party(3), try Party(2, preKeys: 5...5))
    try alice.begin(with: bob)
    try carol.begin(with: bob)
    #expect(try bob.open(alice.seal()).usedPreKeyID == 5)
    bob.sessions = []
    #expect(try bob.open(carol.seal()).usedPreKeyID == 5)
  }

  @Test func `a message without a session, and pre-keys that are not there, have their reasons`()
    throws
  {
    let (alice, bob) = try Party.pair()
    let message = try alice.seal()
    bob.sessions = []
    #expect(throws: RatchetError.noSession) { try bob.open(message) }
    #expect(throws: RatchetError.unsupportedVersion(.v2)) {
      try DoubleRatchet.open(
        message.bytes, isKeyExchange: false, sessions: [], own: bob.own, version: .v2)
    }
    let carol = try Party(3, preKeys: 9...9)
    try carol.begin(with: bob)
    let exchange = try KeyExchange(carol.seal().bytes[...])
    func bytes(preKey: UInt32, signed: UInt32) -> [UInt8] {
      KeyExchange.bytes(
        .init(preKeyID: preKey, signedPreKeyID: signed), baseKey: exchange.baseKey,
        identityKey: exchange.identityKey, message: Array(exchange.message), registrationID: 1)
    }
    #expect(throws: RatchetError.unknownPreKey(77)) {
      try bob.open(bytes(preKey: 77, signed: 7), isKeyExchange: true)
    }
    #expect(throws: RatchetError.unknownSignedPreKey(8)) {
      try bob.open(bytes(preKey: exchange.preKeyID, signed: 8), isKeyExchange: true)
    }
  }

  // bundleWithAWrongSignature
  @Test func `bundle with a wrong signature: no session begins`() throws {
    let (alice, bob, mallory) = (try Party(1), try Party(2), try Party(3))
    let right = try bob.bundle()
    func begin(_ signature: [UInt8], identityKey: [UInt8]? = nil) throws {
      _ = try DoubleRatchet.begin(
        with: PreKeyBundle(
          identityKey: identityKey ?? right.identityKey, signedPreKeyID: 7,
          signedPreKey: right.signedPreKey, signedPreKeySignature: signature,
          preKeys: right.preKeys),
        own: alice.own)
    }
    try begin(right.signedPreKeySignature)
    for index in [0, 31, 32, 63] {
      var wrong = right.signedPreKeySignature
      wrong[index] ^= 1
      #expect(throws: RatchetError.wrongSignature) { try begin(wrong) }
    }
    #expect(throws: RatchetError.wrongSignature) { try begin([]) }
    #expect(throws: RatchetError.wrongSignature) {
      try begin(right.signedPreKeySignature, identityKey: mallory.own.identity.publicKey)
    }
    // The signature of another key, and of the key without its type.
    #expect(throws: RatchetError.wrongSignature) {
      try begin(mallory.bundle().signedPreKeySignature)
    }
    #expect(throws: RatchetError.wrongSignature) {
      try begin(bob.own.identity.signForMontgomery(right.signedPreKey))
    }
  }

  @Test func `a bundle without pre-keys, or with keys of another length, begins no session`() throws
  {
    let (alice, bob) = (try Party(1), try Party(2))
    let right = try bob.bundle()
    func begin(identityKey: [UInt8]? = nil, preKeys: [PreKeyBundle.PreKey]) throws {
      _ = try DoubleRatchet.begin(
        with: PreKeyBundle(
          identityKey: identityKey ?? right.identityKey, signedPreKeyID: 7,
          signedPreKey: right.signedPreKey, signedPreKeySignature: right.signedPreKeySignature,
          preKeys: preKeys),
        own: alice.own)
    }
    #expect(throws: RatchetError.malformed(.noPreKey)) { try begin(preKeys: []) }
    #expect(throws: RatchetError.malformed(.publicKey)) {
      try begin(preKeys: [.init(id: 1, key: Array(right.preKeys[0].key.dropLast()))])
    }
    #expect(throws: RatchetError.malformed(.publicKey)) {
      try begin(identityKey: [5] + right.identityKey, preKeys: right.preKeys)
    }
    #expect(throws: RatchetError.unsupportedVersion(.v2)) {
      try DoubleRatchet.begin(
        with: PreKeyBundle(
          version: .v2, identityKey: right.identityKey, signedPreKeyID: 7,
          signedPreKey: right.signedPreKey, signedPreKeySignature: right.signedPreKeySignature,
          preKeys: right.preKeys),
        own: alice.own)
    }
  }

  // identityKeyOfAKnownDeviceChanges
  @Test func `identity key of a known device changes: neither bundle nor key exchange is used`()
    throws
  {
    let (alice, bob) = try Party.pair()
    let mallory = try Party(3)
    let changed = RatchetError.identityChanged(
      known: bob.own.identity.publicKey, new: mallory.own.identity.publicKey)
    let sessions = alice.sessions
    #expect(throws: changed) { try alice.begin(with: mallory) }
    try mallory.begin(with: alice)
    let message = try mallory.seal()
    #expect(throws: changed) { try alice.open(message) }
    #expect(alice.sessions == sessions)
    // The same without a session, if the key is known from a bundle.
    alice.sessions = []
    #expect(throws: changed) {
      try DoubleRatchet.open(
        message.bytes, isKeyExchange: true, sessions: [], own: alice.own,
        knownIdentityKey: bob.own.identity.publicKey)
    }
    // A key exchange with the base key of a known session and another identity key.
    try bob.open(alice.begun(with: bob).seal())
    let copy = KeyExchange.bytes(
      .init(preKeyID: 1, signedPreKeyID: 7), baseKey: bob.sessions[0].baseKey,
      identityKey: mallory.own.identity.publicKey,
      message: Array(try KeyExchange(message.bytes[...]).message), registrationID: 3)
    #expect(
      throws: RatchetError.identityChanged(
        known: alice.own.identity.publicKey, new: mallory.own.identity.publicKey)
    ) { try bob.open(copy, isKeyExchange: true) }
    // For an unknown device it is a session like any other.
    alice.sessions = []
    #expect(try alice.open(message).theirIdentityKey == mallory.own.identity.publicKey)
  }

  @Test func `a changed identity key that was accepted does not hide what the former one wrote`()
    throws
  {
    let (alice, bob, mallory) = (try Party(1), try Party(2), try Party(3))
    try bob.begin(with: alice)
    let messages = try bob.seal(count: 3)
    try alice.open(messages[0])
    let former = alice.sessions
    try mallory.begin(with: alice)
    alice.sessions = []
    try alice.open(mallory.seal())
    alice.sessions += former
    let opened = try alice.open(messages[2])
    #expect(opened.text == "text 2" && !opened.isNewSession)
    #expect(opened.theirIdentityKey == bob.own.identity.publicKey)
  }

  // heartbeatAfter53
  @Test func `heartbeat after 53: one answer is asked for in a chain`() throws {
    let (alice, bob) = (try Party(1), try Party(2))
    try alice.begin(with: bob)
    for (index, message) in try alice.seal(count: 60).enumerated() {
      #expect(try bob.open(message).needsAnswer == (index == 0 || index == 53), "\(index)")
    }
    try alice.open(bob.seal())
    // The next chain counts from 0, and asks once, also if its messages are out of order.
    let messages = try alice.seal(count: 60)
    for (index, isFirst) in [(0, false), (55, true), (54, false), (53, false), (56, false)] {
      #expect(try bob.open(messages[index]).needsAnswer == isFirst, "\(index)")
    }
    try alice.open(bob.seal())
    // A chain whose first message that arrives is a late one.
    let late = try alice.seal(count: 55)
    #expect(try bob.open(late[54]).needsAnswer)
    #expect(try !bob.open(late[0]).needsAnswer)
  }
}

extension Party {
  /// This device after it began another session.
  fileprivate func begun(with other: Party) throws -> Party {
    try begin(with: other)
    return self
  }
}
