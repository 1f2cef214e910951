import Crypto
import TestSupport
import Testing
import XML

@testable import XMPP

/// The public keys of a device (OMEMO 0.3.0), as clients publish them.
@Suite struct OmemoBundleTests {
  private static let namespace = "eu.siacs.conversations.axolotl"
  // The keys that the reference implementation makes of the private keys 00 01 02..., 20 21 22...,
  // 01 01 01... and 02 02 02...
  private static let signedPreKey = "BTWActY2WIDRruoymt+RITg4Ue0hoo47dell0NLNFmJU"
  private static let signature =
    "OqmiBAUqPAJDaZeZV/NrTCpxOQ2lRlN1viHPfhamxO5jrcKw+LTJVVhZ3jM1X71+2c5CVPSqNJU2VnwdTHPFhQ=="
  private static let identityKey = "BUcB0ISIRR9UWkCftYrj5YWBykCsP38RRpjNcd6sc8oB"
  private static let preKeys = [
    "BaTgkpK2UcJ4uXcsVp9fqbsT2Qa0araMnfncK0QJ+KIJ", "Bc6NOtHMtjPse3DBeBSlx27NApaFBQ00R0W6BYcOWH1Z",
  ]

  private func bundle(
    signedPreKey: String = signedPreKey, id: String = " signedPreKeyId='1'",
    signature: String? = signature, identityKey: String? = identityKey,
    preKeys: String = zip(1..., preKeys).map {
      "<preKeyPublic preKeyId='\($0)'>\($1)</preKeyPublic>"
    }
    .joined()
  ) throws -> Element {
    try Element(
      xml: "<bundle xmlns='\(Self.namespace)'><signedPreKeyPublic\(id)>\(signedPreKey)"
        + "</signedPreKeyPublic>"
        + (signature.map { "<signedPreKeySignature>\($0)</signedPreKeySignature>" } ?? "")
        + (identityKey.map { "<identityKey>\($0)</identityKey>" } ?? "")
        + "<prekeys>\(preKeys)</prekeys></bundle>")
  }

  @Test func `a bundle of another implementation is read, and written the same`() throws {
    let element = try bundle()
    let read = try OmemoBundle(element)
    #expect(
      hex(read.identityKey) == "4701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01")
    #expect(read.signedPreKey.id == 1 && read.signedPreKey.key.count == 32)
    #expect(read.signature.count == 64 && read.signature.last == 0x85)
    #expect(read.preKeys.map(\.id) == [1, 2])
    #expect(
      hex(read.preKeys[0].key) == "a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209"
    )
    #expect(read.element == element)
    #expect(
      read.publication(of: 5).first("pubsub", Namespace.pubSub)?.first(
        "publish", Namespace.pubSub)?["node"] == "eu.siacs.conversations.axolotl.bundles:5")
  }

  /// bundleWithoutPreKeys
  @Test func `a bundle without pre-keys is refused`() throws {
    let element = try bundle(preKeys: "")
    #expect(throws: OmemoElementError.missing(.preKeys)) { try OmemoBundle(element) }
    let other = try bundle(preKeys: "<preKey preKeyId='1'>\(Self.preKeys[0])</preKey>")
    #expect(throws: OmemoElementError.missing(.preKeys)) { try OmemoBundle(other) }
  }

  @Test func `a bundle that lacks a part is refused`() throws {
    let unsigned = try bundle(signature: nil)
    #expect(throws: OmemoElementError.missing(.signature)) { try OmemoBundle(unsigned) }
    let anonymous = try bundle(identityKey: nil)
    #expect(throws: OmemoElementError.missing(.identityKey)) { try OmemoBundle(anonymous) }
    let unnumbered = try bundle(id: "")
    #expect(throws: OmemoElementError.wrongID(.signedPreKey)) { try OmemoBundle(unnumbered) }
    let empty = Element("bundle", Self.namespace)
    #expect(throws: OmemoElementError.missing(.identityKey)) { try OmemoBundle(empty) }
    let version2 = Element("bundle", "urn:xmpp:omemo:2")
    #expect(throws: OmemoElementError.missing(.bundle)) { try OmemoBundle(version2) }
  }

  /// Keys of 32, 33 and 34 bytes, with the wrong first byte, and no Base64.
  @Test(arguments: [
    "", "AAAA", Base64.encode([UInt8](repeating: 5, count: 32)),
    Base64.encode([UInt8](repeating: 5, count: 34)),
    Base64.encode([UInt8](repeating: 6, count: 33)),
    "BUcB0ISIRR9UWkCftYrj5YWBykCsP38RRpjNcd6sc8o", "BUcB0ISIRR9UWkCftYrj5YWBykCsP38RRpjNcd6sc8_-",
    String(repeating: "BUcB", count: 100_000),
  ])
  func `a key that is none makes the bundle none, wherever it is`(key: String) throws {
    let elements = [
      try bundle(signedPreKey: key), try bundle(identityKey: key),
      try bundle(preKeys: "<preKeyPublic preKeyId='1'>\(key)</preKeyPublic>"),
      try bundle(signature: key),
    ]
    for element in elements {
      #expect(throws: OmemoElementError.self) { try OmemoBundle(element) }
    }
  }

  @Test(arguments: ["", "-1", "2147483648", "99999999999999999999", "1 ", "a"])
  func `an id of a key that is no number makes the bundle none`(id: String) throws {
    let signed = try bundle(id: " signedPreKeyId='\(id)'")
    #expect(throws: OmemoElementError.wrongID(.signedPreKey)) { try OmemoBundle(signed) }
    let preKey = try bundle(
      preKeys: "<preKeyPublic preKeyId='\(id)'>\(Self.preKeys[0])</preKeyPublic>")
    #expect(throws: OmemoElementError.wrongID(.preKeys)) { try OmemoBundle(preKey) }
  }

  @Test func `ids of keys of other programs begin at 0`() throws {
    let element = try bundle(
      id: " signedPreKeyId='0'",
      preKeys: "<preKeyPublic preKeyId='0'>\(Self.preKeys[0])</preKeyPublic>")
    #expect(try OmemoBundle(element).preKeys.map(\.id) == [0])
  }

  @Test func `pre-keys are distinct, in their ids and in themselves`() throws {
    let sameID = Self.preKeys.map { "<preKeyPublic preKeyId='3'>\($0)</preKeyPublic>" }.joined()
    let sameKey = [3, 4].map { "<preKeyPublic preKeyId='\($0)'>\(Self.preKeys[0])</preKeyPublic>" }
      .joined()
    for preKeys in [sameID, sameKey] {
      let element = try bundle(preKeys: preKeys)
      #expect(throws: OmemoElementError.repeated(.preKeys)) { try OmemoBundle(element) }
    }
  }

  @Test func `at most 1000 pre-keys are read`() throws {
    let whole = try OmemoBundle(try bundle())
    func large(_ count: UInt32) -> Element {
      OmemoBundle(
        identityKey: whole.identityKey, signedPreKey: whole.signedPreKey,
        signature: whole.signature,
        preKeys: (1...count).map { id in
          OmemoBundle.PreKey(
            id: id,
            key: (0..<4).map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) }
              + [UInt8](repeating: 0, count: 28))
        }
      ).element
    }
    #expect(try OmemoBundle(large(1000)).preKeys.count == 1000)
    let tooMany = large(1001)
    #expect(throws: OmemoElementError.tooMany(.preKeys, 1001)) { try OmemoBundle(tooMany) }
  }

  @Test func `a node without an item is no bundle`() throws {
    func answer(_ content: Element...) -> Element {
      Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "pubsub", Namespace.pubSub, [:], [Element("items", Namespace.pubSub, [:], content)])
        ])
    }
    #expect(try OmemoBundle(answer: answer()) == nil)
    let item = Element("item", Namespace.pubSub, ["id": "current"], [try bundle()])
    #expect(try OmemoBundle(answer: answer(item))?.signedPreKey.id == 1)
    let empty = answer(Element("item", Namespace.pubSub))
    #expect(throws: OmemoElementError.missing(.bundle)) { try OmemoBundle(answer: empty) }
  }
}
