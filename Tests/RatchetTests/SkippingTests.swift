import Crypto
import Testing

@testable import Ratchet

/// Messages that come late, twice, or not at all.
@Suite struct SkippingTests {
  // lastMessageOfAFormerChainComesLate
  @Test func `last message of a former chain comes late: is read whatever its sender counts`()
    throws
  {
    for missing in [0, 1] {
      let (alice, bob) = try Party.pair()
      let former = try alice.seal(count: 3)
      try bob.open(former[0])
      try bob.open(former[1])
      try alice.open(bob.seal())
      #expect(alice.sessions[0].previousCount == 3)
      // libsignal writes one less.
      alice.sessions[0].previousCount -= missing
      try bob.open(alice.seal())
      #expect(try bob.open(former[2]).text == "text 2")
      #expect(throws: RatchetError.duplicate) { try bob.open(former[2]) }
    }
  }

  /// Has both devices write in alternation, so that each message begins a chain.
  private func alternate(
    _ alice: Party, _ bob: Party, _ count: Int
  ) throws -> [(to: Party, message: DoubleRatchet.SealedKey)] {
    var all: [(to: Party, message: DoubleRatchet.SealedKey)] = []
    for round in 0..<count {
      let (from, to) = round.isMultiple(of: 2) ? (alice, bob) : (bob, alice)
      for message in try from.seal(count: 2) {
        try to.open(message)
        all.append((to, message))
      }
    }
    return all
  }

  // secondCopyOfAnEarlierChain
  @Test func `second copy of an earlier chain: is recognized for 40 chains`() throws {
    let (alice, bob) = (try Party(1), try Party(2))
    try alice.begin(with: bob)
    let all = try alternate(alice, bob, 82)
    let sessions = [alice.sessions, bob.sessions]
    for (to, message) in all {
      #expect(throws: RatchetError.duplicate) { try to.open(message) }
    }
    #expect([alice.sessions, bob.sessions] == sessions)
    // One more chain of each, and the first ones are forgotten: not read, and not a duplicate.
    _ = try alternate(alice, bob, 2)
    let first = try #require(all.first)
    #expect(throws: RatchetError.wrongCode) { try first.to.open(first.message) }
    // The key that was kept in case that the sender counts as libsignal does goes with its chain.
    #expect(bob.sessions[0].finished.count == 40)
    #expect(bob.sessions[0].skippedCount == 40)
  }

  // replayOfAllMessagesSaysNothing
  @Test func `replay of all messages says nothing: each is a duplicate and changes nothing`() throws
  {
    for seed in 1...5 as ClosedRange<UInt64> {
      let (alice, bob) = (try Party(1), try Party(2))
      try alice.begin(with: bob)
      var numbers = SeededBytes(seed)
      var waiting: [(to: Party, text: String, message: DoubleRatchet.SealedKey)] = []
      var read: [(to: Party, message: DoubleRatchet.SealedKey)] = []
      var written = 0
      while written < 60 || !waiting.isEmpty {
        if written < 60, waiting.isEmpty || numbers.below(2) == 0 {
          // Bob writes when a message has arrived.
          let isAlice = bob.sessions.isEmpty || numbers.below(2) == 0
          let text = "message \(written)"
          waiting.append((isAlice ? bob : alice, text, try (isAlice ? alice : bob).seal(text)))
          written += 1
        } else {
          let (to, text, message) = waiting.remove(at: numbers.below(waiting.count))
          #expect(try to.open(message).text == text)
          read.append((to, message))
        }
      }
      let sessions = [alice.sessions, bob.sessions]
      for (to, message) in read {
        #expect(throws: RatchetError.duplicate, "seed \(seed)") { try to.open(message) }
      }
      #expect([alice.sessions, bob.sessions] == sessions)
    }
  }

  // tooLateIsNotADuplicate
  @Test func `too late is not a duplicate: the rest of a chain that was given up`() throws {
    let (alice, bob) = try Party.pair(limits: RatchetLimits(skippedByMessage: 5))
    let former = try alice.seal(count: 10)
    try bob.open(former[0])
    try bob.open(former[3])
    try alice.open(bob.seal())
    // Says that there were 10 before it, of which 7 are missing.
    #expect(try bob.open(alice.seal("next")).text == "next")
    for index in 4..<10 {
      #expect(throws: RatchetError.tooLate) { try bob.open(former[index]) }
    }
    #expect(throws: RatchetError.duplicate) { try bob.open(former[3]) }
    #expect(try bob.open(former[2]).text == "text 2")
    #expect(throws: RatchetError.duplicate) { try bob.open(former[2]) }
  }

  @Test func `a forgotten chain with skipped keys reads these alone`() throws {
    let (alice, bob) = try Party.pair(limits: RatchetLimits(finishedChains: 2))
    let first = try alice.seal(count: 3)
    try bob.open(first[2])
    for _ in 0..<4 {
      try alice.open(bob.seal())
      try bob.open(alice.seal())
    }
    #expect(try bob.open(first[0]).text == "text 0")
    #expect(throws: RatchetError.tooLate) { try bob.open(first[2]) }
    #expect(try bob.open(first[1]).text == "text 1")
    #expect(throws: RatchetError.wrongCode) { try bob.open(first[1]) }
  }

  // skip2001
  @Test func `skip 2001: is refused, and 2000 are not`() throws {
    let (alice, bob) = try Party.pair()
    let messages = try alice.seal(count: 2003)
    try bob.open(messages[0])
    let sessions = bob.sessions
    #expect(throws: RatchetError.tooManySkipped(2001)) { try bob.open(messages[2002]) }
    #expect(bob.sessions == sessions)
    #expect(try bob.open(messages[2001]).counter == 2001)
    #expect(bob.sessions[0].skippedCount == 2000)
    for index in [1, 2000, 1000] { #expect(try bob.open(messages[index]).counter == index) }
    #expect(bob.sessions[0].skippedCount == 1997)
    #expect(try bob.open(messages[2002]).counter == 2002)
  }

  // skip2001
  @Test func `skip 2001: all sessions that are tried have one limit`() throws {
    let (alice, bob) = (try Party(1), try Party(2, limits: RatchetLimits(skippedByMessage: 6)))
    // Alice goes on with the session that is her first one and bob's last one of three.
    try alice.begin(with: bob)
    let first = alice.sessions[0]
    try bob.open(alice.seal())
    let answer = try bob.seal()
    for _ in 0..<2 {
      try alice.begin(with: bob)
      try bob.open(alice.seal())
    }
    alice.sessions = [first]
    try alice.open(answer)
    let messages = try alice.seal(count: 4)
    let (sessions, last) = (bob.sessions, messages[3].bytes.count - 1)
    #expect(sessions.count == 3)
    // Three keys before it in each of two sessions, and none is left for the third one.
    #expect(throws: RatchetError.tooManySkipped(3)) { try bob.open(messages[3]) }
    #expect(bob.sessions == sessions)
    var forged = messages[2].bytes
    forged[last] ^= 1
    #expect(throws: RatchetError.wrongCode) { try bob.open(forged) }
    #expect(try bob.open(messages[2]).text == "text 2")
    // Now the chain is known.
    #expect(try bob.open(messages[3]).text == "text 3")
  }

  // skipTo4294967295
  @Test func `skip to 4294967295: is refused before anything is computed`() throws {
    let (alice, bob) = try Party.pair()
    try bob.open(alice.seal())
    let sessions = bob.sessions
    // In the chain that is read, and in a new one; no code is right.
    for (key, counted) in [
      (alice.sessions[0].ownRatchet.publicKey, 1), (alice.own.identity.publicKey, 0),
    ] {
      let body = RatchetMessage.body(
        ratchetKey: key, counter: .max, previous: 0,
        ciphertext: [UInt8](repeating: 0, count: 16))
      #expect(throws: RatchetError.tooManySkipped(4_294_967_295 - counted)) {
        try bob.open(body + [UInt8](repeating: 0, count: 8))
      }
    }
    #expect(bob.sessions == sessions)

    // A former chain of that length: its rest is given up, and the message is read.
    let lost = try alice.seal()
    try alice.open(bob.seal())
    alice.sessions[0].previousCount = 4_294_967_295
    #expect(try bob.open(alice.seal("next")).text == "next")
    #expect(throws: RatchetError.tooLate) { try bob.open(lost) }

    // The last number is not used for a message.
    alice.sessions[0].sending?.count = 4_294_967_295
    #expect(throws: RatchetError.chainExhausted) { try alice.seal() }
  }

  @Test func `the oldest keys are dropped first`() throws {
    let (alice, bob) = try Party.pair(limits: RatchetLimits(keptKeys: 5))
    let first = try alice.seal(count: 4)
    try bob.open(first[3])
    try alice.open(bob.seal())
    let second = try alice.seal(count: 4)
    // 0, 1, 2 and the 4 of a sender that counts as libsignal does, then 0, 1, 2.
    try bob.open(second[3])
    #expect(bob.sessions[0].skippedCount == 5)
    for index in [0, 1] {
      #expect(throws: RatchetError.duplicate) { try bob.open(first[index]) }
    }
    #expect(try bob.open(first[2]).text == "text 2")
    for index in [2, 0, 1] { #expect(try bob.open(second[index]).text == "text \(index)") }
    #expect(bob.sessions[0].skippedCount == 1)

    let (carol, dan) = try Party.pair(limits: .archive)
    try dan.open(#require(try carol.seal(count: 1500).last))
    try dan.open(#require(try carol.seal(count: 1500).last))
    // Twice 1499, and the one behind the last message of carol's first chain.
    #expect(dan.sessions[0].skippedCount == 2999)
    let cut = dan.sessions[0].keepingSkipped(atMost: 2000)
    #expect(cut.skippedCount == 2000)
    #expect(cut.skipped.chains.map { $0.counters.first } == [998])
    #expect(cut.keepingSkipped(atMost: 0).skipped.chains == [])
  }
}
