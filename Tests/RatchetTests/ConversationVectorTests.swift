import Crypto
import Testing

@testable import Ratchet

/// Conversations that other implementations wrote: what they wrote is read, and the same is written
/// byte for byte.
@Suite struct ConversationVectorTests {
  /// A device of a conversation.
  private final class Device {
    let own: OwnKeys
    var sessions: [RatchetState] = []
    var draws: [[UInt8]] = []

    init(_ person: Fixture.Person) throws {
      let signed = try #require(person.signedPreKey)
      own = OwnKeys(
        identity: try IdentityKey(seed: #require(person.seed).bytes), registrationID: 1,
        signedPreKeys: [signed.id: signed.private.bytes],
        preKeys: Dictionary(
          uniqueKeysWithValues: try #require(person.preKeys).map { ($0.id, $0.private.bytes) }))
      #expect(own.identity.publicKey == person.identityPublic.bytes)
    }

    func random(_ count: Int) throws(CryptoError) -> [UInt8] {
      guard draws.first?.count == count else { throw .failed(function: "draw") }
      return draws.removeFirst()
    }

    func open(_ step: Fixture.Step, isKeyExchange: Bool) throws -> DoubleRatchet.Opened {
      draws = step.receiverRatchetPrivate?.map(\.bytes) ?? []
      let bytes = isKeyExchange ? try #require(step.bytes).bytes : step.message.bytes
      let opened = try DoubleRatchet.open(
        bytes, isKeyExchange: isKeyExchange, sessions: sessions, own: own, random: random)
      #expect(opened.material == step.material.bytes)
      #expect(draws.isEmpty, "a ratchet key was not drawn")
      sessions = opened.sessions
      #expect(throws: RatchetError.duplicate) {
        try DoubleRatchet.open(bytes, isKeyExchange: isKeyExchange, sessions: sessions, own: own)
      }
      return opened
    }

    /// Writes the next message of the current session.
    func write(_ step: Fixture.Step) throws {
      let (message, next) = try sessions[0].sealed(step.material.bytes, own: own.identity)
      #expect(message == step.message.bytes)
      sessions[0] = next
    }
  }

  private static func bundle(of person: Fixture.Person) throws -> PreKeyBundle {
    let signed = try #require(person.signedPreKey)
    return try PreKeyBundle(
      identityKey: person.identityPublic.bytes, signedPreKeyID: signed.id,
      signedPreKey: signed.public.bytes,
      signedPreKeySignature: #require(signed.signature).bytes,
      preKeys: #require(person.preKeys).map { .init(id: $0.id, key: $0.public.bytes) })
  }

  @Test func `both devices of a conversation of python-omemo read and write its bytes`() throws {
    let conversation: Fixture.Conversation = try Fixture.load("conversation-0.3.0")
    let people = conversation.people
    let devices = try people.mapValues { try Device($0) }
    let (a, b) = (try #require(devices["a"]), try #require(devices["b"]))
    let first = try #require(conversation.steps.first)
    let whole = try #require(first.bytes).bytes
    let exchange = try KeyExchange(whole[...])

    // Begin as a did: with the pre-key that it chose by the first draw.
    let bundle = try Self.bundle(of: #require(people["b"]))
    let choice = try #require(bundle.preKeys.firstIndex { $0.id == exchange.preKeyID })
    a.draws = [
      [0, 0, 0, UInt8(choice)], try #require(first.ephemeralPrivate).bytes,
      try #require(first.ratchetPrivate).bytes,
    ]
    a.sessions = [try DoubleRatchet.begin(with: bundle, own: a.own, random: a.random)]
    let pending = try #require(a.sessions[0].pending)
    #expect(
      KeyExchange.bytes(
        pending, baseKey: a.sessions[0].baseKey, identityKey: a.own.identity.publicKey,
        message: first.message.bytes, registrationID: nil) == whole)

    var unwritten = conversation.steps + (conversation.neverDelivered ?? [])
    for (index, step) in conversation.steps.enumerated() {
      let writer = try #require(devices[step.by])
      while unwritten.contains(where: { $0.message == step.message }) {
        let next = try #require(
          unwritten.filter { $0.by == step.by }.min { $0.number < $1.number })
        try writer.write(next)
        unwritten.removeAll { $0.message == next.message }
      }
      let opened = try (step.by == "a" ? b : a).open(step, isKeyExchange: index == 0)
      #expect(opened.isNewSession == (index == 0))
      #expect(opened.usedPreKeyID == (index == 0 ? exchange.preKeyID : nil))
    }
    #expect(a.sessions[0].isConfirmed)
    #expect(a.sessions.count == 1 && b.sessions.count == 1)
  }

  /// `lastMessageOfAFormerChainComesLate`: the fifth message of a's first chain comes after the
  /// first of its second one, which says 4.
  @Test func `a conversation of libsignal is read, with the last message of a chain come late`()
    throws
  {
    let conversation: Fixture.Conversation = try Fixture.load("conversation-0.3.0-libsignal")
    let b = try Device(try #require(conversation.people["b"]))
    #expect(
      throws: Never.self, "the signature of the bundle"
    ) {
      try DoubleRatchet.begin(
        with: Self.bundle(of: #require(conversation.people["b"])), own: b.own)
    }
    for step in conversation.steps {
      if step.by == "b" {
        try b.write(step)
      } else {
        _ = try b.open(step, isKeyExchange: step.bytes != step.message)
      }
    }
    #expect(b.sessions.count == 1)
    #expect(b.sessions[0].theirIdentityKey == conversation.people["a"]?.identityPublic.bytes)
  }
}
