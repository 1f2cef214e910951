import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// A conversation over a connection that breaks, as a server lives through it.
/// One thing after the other: what is asked of the archive waits for what happens meanwhile.
final class FaultyLife: @unchecked Sendable {
  let fixture: ArchiveFixture
  private var random: SeededGenerator
  private let archive: ScriptedArchive
  private var receiver: MessageReceiver
  private var synchronizer: ArchiveService

  /// The states of the connection to the client.
  private enum Line { case up, silent, down }
  private var line = Line.down
  /// Indicates whether the server has a session that can be resumed.
  private var hasSession = false
  /// Sent over a line that was dead, or while there was none: the session's.
  private var unacknowledged: [ScriptedArchive.Entry] = []
  /// Kept for the next session.
  private var kept: [ScriptedArchive.Entry] = []
  /// Delivered, and not acknowledged.
  private var delivered: [ScriptedArchive.Entry] = []
  /// Typed, and not at the server.
  private var typed: [Int] = []
  /// At the server, and not looked at for what crossed it.
  private var acknowledged: [Message] = []
  /// At the server, and not confirmed.
  private var receipts: [Int] = []
  private var time = ArchiveFixture.stamp(0)
  private var count = 0
  private var bodies: [String] = []
  /// How often the archive is looked at in the end: a look reads some pages.
  private var looks = 3

  private let handsOverInParts: Bool
  /// Indicates whether the server's timestamps are more precise than whole seconds.
  private let isPrecise: Bool
  private let breaksComparisons: Bool
  private let talksMeanwhile: Bool
  private let losesAnswers: Bool
  /// Indicates whether stanzas are delayed for a while, and the stanzas of a lost session are sent
  /// again behind the first ones of a new session.
  private let isSlow: Bool
  /// Known limit: what the server hands over is in a gap of which an earlier session read the newer
  /// side, and is below that until the gap is read.
  private let isHandedOverIntoGap: Bool
  /// Typed, and at the server, which has not said so.
  private var unanswered: [Int] = []
  /// Sent over a line that is up, and not there yet.
  private var onItsWay: [ScriptedArchive.Entry] = []

  init(
    seed: UInt64, isExtended: Bool = false, handsOverInParts: Bool = false, isPrecise: Bool = false,
    breaksComparisons: Bool = false, talksMeanwhile: Bool = false, losesAnswers: Bool = false,
    isSlow: Bool = false
  ) async throws {
    self.handsOverInParts = handsOverInParts
    self.isPrecise = isPrecise
    self.breaksComparisons = breaksComparisons
    self.talksMeanwhile = talksMeanwhile
    self.losesAnswers = losesAnswers
    self.isSlow = isSlow
    isHandedOverIntoGap = losesAnswers && seed == 161
    fixture = try await ArchiveFixture()
    random = SeededGenerator(seed: seed)
    archive = ScriptedArchive(
      account: fixture.account, pageLimit: 50, reportsCount: false, isExtended: isExtended)
    fixture.clock.set(time)
    receiver = fixture.receiver()
    synchronizer = fixture.synchronizer(sleep: { _ in })
  }

  func limitPages(to limit: Int) async {
    await archive.limitPages(to: limit)
    looks = 150 / limit
  }

  private var stamp: Date {
    isPrecise ? time : Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
  }

  private func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private func pass(_ seconds: ClosedRange<Double>) {
    time += Double.random(in: seconds, using: &random)
    fixture.clock.set(time)
  }

  func goesOn() async throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<5: try await talk(Int.random(in: 1...(breaksComparisons ? 150 : 60), using: &random))
    case 5:
      if line == .up { line = .silent }
    case 6: pass(1...90)
    case 7, 8:
      line = .down
      pass(0...2)
    case 9:
      // The program ends without a word.
      line = .down
      receiver = fixture.receiver()
      synchronizer = fixture.synchronizer(sleep: { _ in })
      pass(0...5)
      // The session may go on: what was not acknowledged comes again, stored or not.
      unacknowledged = delivered + unacknowledged
      try await connect(resumes: !chance(3), isNew: true)
    default: try await connect(resumes: !chance(3))
    }
  }

  /// Everything gets through, at last.
  func settles() async throws {
    line = .down
    pass(1...5)
    await archive.recover()
    try await connect(resumes: false, breaks: false)
    for _ in 0..<looks {
      await synchronizer.check()
      await synchronizer.fillHoles()
    }
    while try await synchronizer.fetchOlder(in: fixture.bob) == .fetched {}
  }

  // MARK: - What is said

  private func talk(_ number: Int) async throws {
    var batch: [ScriptedArchive.Entry] = []
    for _ in 0..<number {
      pass(0.001...0.05)
      count += 1
      if chance(2) {
        _ = try await fixture.database.outbox.enqueue(
          body: "text \(count)", to: fixture.bob, from: fixture.account,
          originID: "m\(count)", at: time)
        typed.append(count)
        if line == .up { try await sendTyped() }
      } else {
        let entry = await arrive(count, isOwn: false)
        if line == .up { batch.append(entry) } else { miss(entry) }
        if chance(4) {
          await deliver(batch)
          batch = []
          if chance(2) { await confirm() }
        }
      }
    }
    if isSlow, line == .up, chance(3) {
      // What was on its way arrives when more has been said, and the rest of that does not.
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        pass(0.001...0.05)
        count += 1
        batch.append(await arrive(count, isOwn: false))
      }
      let there = Int.random(in: 0...batch.count, using: &random)
      batch[there...].forEach(miss)
      await deliver(Array(batch[..<there]))
      line = .silent
    } else {
      await deliver(batch)
    }
    await confirm()
  }

  /// The archive takes number `number`, now.
  private func arrive(_ number: Int, isOwn: Bool) async -> ScriptedArchive.Entry {
    let own = isOwn ? fixture.account.with(resource: "natter") : nil
    let made = fixture.entry(number, from: own, to: isOwn ? fixture.bob : nil)
    let entry = ScriptedArchive.Entry(
      id: made.id, stamp: stamp, message: made.message)
    bodies.append("text \(number)")
    await archive.append([entry])
    return entry
  }

  private func sendTyped() async throws {
    if losesAnswers, chance(3) {
      for number in typed {
        _ = await arrive(number, isOwn: true)
        try await fixture.database.outbox.markAttempted(["m\(number)"], at: time)
      }
      (unanswered, typed) = (unanswered + typed, [])
      return
    }
    for number in typed {
      _ = await arrive(number, isOwn: true)
      receipts.append(number)
      try await fixture.database.outbox.markAttempted(["m\(number)"], at: time)
      let sent = try await fixture.database.outbox.setDelivery(.sent, ofOriginID: "m\(number)")
      if let sent { acknowledged.append(sent) }
    }
    typed = []
  }

  /// Finds unanswered messages at the server, or in the archive.
  private func findUnanswered() async throws {
    let found = unanswered
    unanswered = []
    for number in found {
      if let sent = try await fixture.database.outbox.setDelivery(
        .sent, ofOriginID: "m\(number)")
      {
        acknowledged.append(sent)
      }
    }
    await synchronizer.positionLocal(acknowledged)
    acknowledged = []
  }

  /// They are kept, too, and nobody sees them.
  private func confirm() async {
    await synchronizer.positionLocal(acknowledged)
    acknowledged = []
    for number in receipts {
      let entry = await receipt(of: number)
      if line == .up { await deliver([entry]) } else { miss(entry) }
    }
    receipts = []
  }

  /// The archive takes what says that number `number` arrived, now.
  private func receipt(of number: Int) async -> ScriptedArchive.Entry {
    let receipt = Element(
      "message", Namespace.client,
      ["type": "chat", "from": "\(fixture.bob)/x", "to": fixture.account.description],
      [Element("received", "urn:xmpp:receipts", ["id": "m\(number)"])])
    let entry = ScriptedArchive.Entry(
      id: "r\(number)", stamp: stamp, message: MessageStanza(receipt))
    await archive.append([entry])
    return entry
  }

  private func deliver(_ entries: [ScriptedArchive.Entry], isLate: Bool = false) async {
    guard !entries.isEmpty else { return }
    let stanzas = entries.map { isLate ? fixture.delayed($0) : fixture.live($0) }
    await synchronizer.receive(stanzas, storedBy: receiver)
    if chance(3) { delivered = [] } else { delivered += entries }
  }

  private func miss(_ entry: ScriptedArchive.Entry) {
    if hasSession { unacknowledged.append(entry) } else { kept.append(entry) }
  }

  // MARK: - Connections

  private func connect(
    resumes: Bool, isNew: Bool = false, breaks: Bool = true
  ) async throws {
    line = .up
    // In the middle of what it reads, the line may break.
    let cut = breaks && chance(2) ? Int.random(in: 1...6, using: &random) : nil
    if let cut {
      await archive.fail(
        from: await archive.queries.count + cut, with: ChannelError.notConnected)
    }
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    if losesAnswers, chance(2) { try await findUnanswered() }
    if resumes, hasSession {
      var late = unacknowledged
      (unacknowledged, delivered) = ([], [])
      if isNew {
        await synchronizer.copies.sessionStarted(.fixture, over: archive)
        await synchronizer.channelOpened(archive)
        await synchronizer.sessionTakenUp(underWay: [])
        await deliver(late)
        try await start(breaks: cut != nil)
        late = []
      } else {
        await synchronizer.sessionResumed()
      }
      // Some servers mark it as delayed, and some do not.
      await deliver(late, isLate: chance(3))
    } else {
      // A server that keeps what a lost session had, or one that leaves it to the archive.
      if chance(2) { kept = unacknowledged + kept }
      (unacknowledged, delivered) = ([], [])
      hasSession = true
      await synchronizer.copies.sessionStarted(.fixture, over: archive)
      await synchronizer.channelOpened(archive)
      let late = kept
      kept = []
      if isSlow, chance(2) {
        pass(0...0.01)
        count += 1
        await deliver([await arrive(count, isOwn: false)])
      }
      if handsOverInParts {
        try await handOver(late)
      } else {
        await deliver(late, isLate: true)
        try await start(breaks: cut != nil)
      }
    }
    if losesAnswers { try await findUnanswered() }
    try await sendTyped()
    if cut == nil {
      if chance(breaksComparisons ? 4 : 2) { await synchronizer.check() }
      if chance(2) { await synchronizer.fillHoles() }
    } else {
      if breaksComparisons, chance(2) { await synchronizer.check() }
      await synchronizer.fillHoles()
      line = .down
      await archive.recover()
    }
  }

  /// The session begins. Things may be said before the archive is asked, and between its pages.
  private func start(breaks: Bool) async throws {
    if talksMeanwhile {
      await sayMeanwhile()
      await archive.before { [weak self] _ in await self?.sayMeanwhile() }
    }
    await synchronizer.sessionStarted(.fixture, over: archive)
    await archive.before(nil)
    if breaks, chance(2) { onItsWay.forEach(miss) } else { await deliver(onItsWay) }
    onItsWay = []
  }

  /// The archive has all of it; the last part comes later.
  private func sayMeanwhile() async {
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      pass(0.001...0.05)
      count += 1
      onItsWay.append(await arrive(count, isOwn: false))
      if chance(6) { onItsWay.append(await receipt(of: count)) }
    }
    let there = Int.random(in: 0...onItsWay.count, using: &random)
    await deliver(Array(onItsWay[..<there]))
    onItsWay.removeFirst(there)
  }

  /// The session begins, and some of `late` comes before it, some before each page of the archive,
  /// and the rest behind them.
  private func handOver(_ late: [ScriptedArchive.Entry]) async throws {
    let size = Int.random(in: 1...40, using: &random)
    let parts = stride(from: 0, to: late.count, by: size).map {
      late[$0..<min($0 + size, late.count)].map { fixture.delayed($0) }
    }
    let rest = Mutex(parts[...])
    let next: @Sendable () async -> Bool = { [receiver, synchronizer] in
      guard let part = rest.withLock({ $0.popFirst() }) else { return false }
      await synchronizer.receive(part, storedBy: receiver)
      return true
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) { _ = await next() }
    await archive.before { _ in _ = await next() }
    await synchronizer.sessionStarted(.fixture, over: archive)
    await archive.before(nil)
    while await next() {
      // Things may go on meanwhile.
      try await positionsHold(late)
    }
    delivered += late
  }

  /// Checks that pending messages are in the order in which they were written, whatever the archive
  /// reported by then, as far as the server's timestamps in whole seconds allow.
  private func positionsHold(_ late: [ScriptedArchive.Entry]) async throws {
    guard !isHandedOverIntoGap else { return }
    let stamps = Dictionary(
      late.compactMap { entry in
        MessageDecoder.text(of: entry.message).map { ($0, entry.stamp) }
      },
      uniquingKeysWith: { first, _ in first })
    let shown = try await fixture.database.timeline.latest(10_000, in: fixture.bob)
    let stored = shown.compactMap { stamps[$0.body] }
    #expect(stored == stored.sorted())
  }

  // MARK: - What came of it

  func isComplete() async throws -> Bool {
    let stored = try await fixture.bodies()
    return stored.count == bodies.count && Set(stored) == Set(bodies)
  }

  /// Returns the messages whose position differs from the archive's.
  func disorder() async throws -> [String] {
    let stored = try await fixture.database.timeline.latest(100_000, in: fixture.bob).map(\.body)
    let positions = Dictionary(uniqueKeysWithValues: zip(bodies, 0...))
    return zip(stored, stored.dropFirst()).compactMap { first, second in
      (positions[first] ?? -1) < (positions[second] ?? -1) ? nil : "\(second) after \(first)"
    }
  }
}
