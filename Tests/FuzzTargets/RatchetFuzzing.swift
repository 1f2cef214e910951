import Crypto
import Ratchet

/// The messages and the stored sessions of end-to-end encryption. The first byte chooses what the
/// others are: a message, a key exchange, a stored session with or without its checksum, or what
/// two devices do.
enum RatchetFuzzing {
  @Sendable static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    switch input.choice(of: 5) {
    case 0: try open(Array(input.rest), isKeyExchange: false)
    case 1: try open(Array(input.rest), isKeyExchange: true)
    case 2: try store(Array(input.rest))
    // Without its checksum no input would get past it.
    case 3: try store(Array(input.rest) + RatchetState.checksum(input.rest))
    default: try converse(&input)
    }
  }

  /// The devices whose messages are in the kept inputs: bob has answered alice, and has read the
  /// first and the fourth message of her chain.
  private static let devices = Result {
    let (alice, bob) = (try RatchetDevice(1), try RatchetDevice(2))
    try alice.begin(with: bob)
    try bob.open(alice.seal("0"))
    try alice.open(bob.seal("1"))
    let messages = try (0..<4).map { try alice.seal("\($0)") }
    try bob.open(messages[0])
    try bob.open(messages[3])
    return (own: bob.own, sessions: bob.sessions)
  }

  /// A message is refused, or opened once.
  private static func open(_ bytes: [UInt8], isKeyExchange: Bool) throws {
    let (own, sessions) = try devices.get()
    // With a limit so low that no input takes long.
    let limits = RatchetLimits(skippedByMessage: 100, keptKeys: 150)
    for known in [sessions, []] {
      guard
        let opened = try? DoubleRatchet.open(
          bytes, isKeyExchange: isKeyExchange, sessions: known, own: own, limits: limits)
      else { continue }
      try require(opened.sessions.count <= known.count + 1, "a session too many")
      for session in opened.sessions { try store(session.encoded) }
      do {
        _ = try DoubleRatchet.open(
          bytes, isKeyExchange: isKeyExchange, sessions: opened.sessions, own: own, limits: limits)
        throw FuzzFinding(description: "a message is opened twice")
      } catch {
        try require(error as? RatchetError == .duplicate, "a second copy: \(error)")
      }
    }
  }

  /// A stored session is refused, or has this form alone, and can be used.
  private static func store(_ bytes: [UInt8]) throws {
    guard let state = try? RatchetState(encoded: bytes) else { return }
    try require(state.encoded == bytes, "a session has two forms")
    let (own, _) = try devices.get()
    _ = state.keepingSkipped(atMost: 1)
    guard let (message, next) = try? DoubleRatchet.seal([1, 2, 3], state, own: own) else { return }
    try require(try RatchetState(encoded: next.encoded) == next, "a session is not read again")
    // It comes back to its writer, who is not its receiver.
    _ = try? DoubleRatchet.open(
      message.bytes, isKeyExchange: message.isKeyExchange, sessions: [state], own: own)
  }

  /// Two devices write, read in any order, and begin sessions: so few that nothing is forgotten, so
  /// that each message is read once, whatever came before it.
  private static func converse(_ input: inout FuzzInput) throws {
    let devices = [try RatchetDevice(1), try RatchetDevice(2)]
    try devices[0].begin(with: devices[1])
    var begun = 1
    var waiting: [(to: RatchetDevice, message: DoubleRatchet.SealedKey, text: String)] = []
    var read: [(to: RatchetDevice, message: DoubleRatchet.SealedKey)] = []
    for step in 0..<64 where !input.rest.isEmpty {
      let choice = input.choice(of: 8)
      switch choice {
      case 0, 1:
        guard !devices[choice].sessions.isEmpty else { continue }
        let text = "text \(step)"
        waiting.append((devices[1 - choice], try devices[choice].seal(text), text))
      case 2, 3:
        guard !waiting.isEmpty else { continue }
        let index = choice == 2 ? 0 : input.choice(of: waiting.count)
        let (to, message, text) = waiting.remove(at: index)
        let opened = try to.open(message)
        try require(opened == Array(text.utf8), "another text is read")
        read.append((to, message))
      case 4:
        guard !waiting.isEmpty else { continue }
        let (to, message, text) = waiting[input.choice(of: waiting.count)]
        let bit = Int(input.byte()) << 8 | Int(input.byte())
        var bytes = message.bytes
        bytes[bit / 8 % bytes.count] ^= 1 << (bit % 8)
        let opened = try? to.opening(bytes, isKeyExchange: message.isKeyExchange)
        // The code of a key exchange does not bind the number of the device.
        try require(
          opened.map { message.isKeyExchange && $0.material == Array(text.utf8) } ?? true,
          "a message that was changed is read")
      case 5:
        guard !read.isEmpty else { continue }
        let (to, message) = read[input.choice(of: read.count)]
        do {
          _ = try to.opening(message.bytes, isKeyExchange: message.isKeyExchange)
          throw FuzzFinding(description: "a message is opened twice")
        } catch {
          try require(error as? RatchetError == .duplicate, "a second copy: \(error)")
        }
      case 6:
        guard begun < 6 else { continue }
        begun += 1
        let from = input.choice(of: 2)
        try devices[from].begin(with: devices[1 - from])
      default:
        for device in devices {
          device.sessions = try device.sessions.map { try RatchetState(encoded: $0.encoded) }
        }
      }
    }
  }
}

/// A device with its sessions with another one. Its keys follow from a seed.
private final class RatchetDevice {
  let own: OwnKeys
  var sessions: [RatchetState] = []
  private var numbers: SeededNumbers

  init(_ seed: UInt8) throws {
    var numbers = SeededNumbers(seed)
    func draw() -> [UInt8] { (0..<32).map { _ in UInt8(numbers.next(below: 256)) } }
    own = OwnKeys(
      identity: try IdentityKey(seed: draw()), registrationID: UInt32(seed),
      signedPreKeys: [1: draw()], preKeys: [1: draw(), 2: draw()])
    self.numbers = numbers
  }

  private func draw(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(numbers.next(below: 256)) }
  }

  func begin(with other: RatchetDevice) throws {
    let signed = try KeyAgreement.publicKey(of: other.own.signedPreKeys[1] ?? [])
    let bundle = PreKeyBundle(
      identityKey: other.own.identity.publicKey, signedPreKeyID: 1, signedPreKey: signed,
      signedPreKeySignature: try other.own.identity.signForMontgomery([5] + signed),
      preKeys: try other.own.preKeys.sorted { $0.key < $1.key }.map {
        .init(id: $0.key, key: try KeyAgreement.publicKey(of: $0.value))
      })
    let state = try DoubleRatchet.begin(with: bundle, own: own, random: draw)
    sessions = DoubleRatchet.makingCurrent(state, of: sessions)
  }

  func seal(_ text: String) throws -> DoubleRatchet.SealedKey {
    let (message, next) = try DoubleRatchet.seal(Array(text.utf8), sessions[0], own: own)
    sessions[0] = next
    return message
  }

  func opening(_ bytes: [UInt8], isKeyExchange: Bool) throws -> DoubleRatchet.Opened {
    try DoubleRatchet.open(
      bytes, isKeyExchange: isKeyExchange, sessions: sessions, own: own, random: draw)
  }

  @discardableResult
  func open(_ message: DoubleRatchet.SealedKey) throws -> [UInt8] {
    let opened = try opening(message.bytes, isKeyExchange: message.isKeyExchange)
    sessions = opened.sessions
    return opened.material
  }
}
