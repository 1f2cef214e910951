import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// Local messages written while others arrive: only the archive has their order.
@Suite struct CrossingTests {
  private let fixture: ArchiveFixture
  private let archive: ScriptedArchive
  private let receiver: MessageReceiver

  init() async throws {
    fixture = try await ArchiveFixture()
    archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    receiver = fixture.receiver()
    fixture.clock.set(ArchiveFixture.stamp(3))
  }

  private func signIn() async -> ArchiveService {
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.signIn(to: archive, with: receiver)
    await synchronizer.check()
    return synchronizer
  }

  private func own(_ number: Int) -> ScriptedArchive.Entry {
    fixture.entry(number, from: fixture.account.with(resource: "natter"), to: fixture.bob)
  }

  private func type(_ number: Int) async throws {
    fixture.clock.set(fixture.now + 1)
    _ = try await fixture.database.outbox.enqueue(
      body: "text \(number)", to: fixture.bob, from: fixture.account, originID: "m\(number)",
      at: fixture.now)
    try await fixture.database.outbox.markAttempted(["m\(number)"], at: fixture.now)
  }

  private func comes(_ number: Int, to synchronizer: ArchiveService) async {
    fixture.clock.set(fixture.now + 1)
    let stanza = fixture.live(fixture.entry(number))
    await synchronizer.receive([stanza], storedBy: receiver)
  }

  private func isThere(_ number: Int) async throws -> Message {
    try #require(
      try await fixture.database.outbox.setDelivery(.sent, ofOriginID: "m\(number)"))
  }

  @Test func `messages that the server had before are above the one that was typed`() async throws {
    let synchronizer = await signIn()
    try await type(90)
    await archive.append([fixture.entry(4), own(90), fixture.entry(5)])
    await comes(4, to: synchronizer)
    await comes(5, to: synchronizer)
    #expect(try await fixture.numbers() == [1, 2, 3, 90, 4, 5])
    await synchronizer.positionLocal([try await isThere(90)])
    await synchronizer.check()
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 90, 5])
    // Since when it waits stays what it was.
    #expect(try await fixture.database.faults() == [])
  }

  @Test func `what the server had later stays below it`() async throws {
    let synchronizer = await signIn()
    try await type(90)
    await archive.append([own(90), fixture.entry(4)])
    await comes(4, to: synchronizer)
    await synchronizer.positionLocal([try await isThere(90)])
    await synchronizer.check()
    #expect(try await fixture.numbers() == [1, 2, 3, 90, 4])
  }

  @Test func `what was typed after it goes with it`() async throws {
    let synchronizer = await signIn()
    try await type(90)
    try await type(91)
    await archive.append([fixture.entry(4), own(90)])
    await comes(4, to: synchronizer)
    await synchronizer.positionLocal([try await isThere(90)])
    await synchronizer.check()
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 90, 91])
  }

  @Test func `where nothing crossed it the archive is not asked`() async throws {
    let synchronizer = await signIn()
    try await type(90)
    await archive.append([own(90)])
    let asked = await archive.queries.count
    await synchronizer.positionLocal([try await isThere(90)])
    await comes(4, to: synchronizer)
    await synchronizer.check()
    #expect(await archive.queries.count == asked)
    #expect(try await fixture.numbers() == [1, 2, 3, 90, 4])
  }

  @Test func `a program that ends before it was looked at looks at the next start`() async throws {
    let before = await signIn()
    try await type(90)
    await archive.append([fixture.entry(4), own(90)])
    await comes(4, to: before)
    _ = try await isThere(90)
    await before.sessionEnded()
    let synchronizer = await signIn()
    await synchronizer.check()
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 90])
  }

  /// The same where so much was missed meanwhile that it is in an older part of the archive than
  /// what comes live now.
  @Test func `also where it is before a hole`() async throws {
    let before = await signIn()
    try await type(90)
    await archive.append([fixture.entry(4), own(90), fixture.entry(5)])
    await comes(4, to: before)
    await comes(5, to: before)
    _ = try await isThere(90)
    await before.sessionEnded()
    await archive.append(fixture.entries(100...600))
    fixture.clock.set(ArchiveFixture.stamp(600))
    let synchronizer = await signIn()
    await synchronizer.check()
    for _ in 0..<3 { await synchronizer.fillHoles() }
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 90, 5] + Array(100...600))
  }

  /// The newest page is local messages alone, typed before all else: where they are does not show
  /// where that part of the archive begins or ends.
  @Test func `a part that is local messages at first stays below the part before it`() async throws
  {
    let archive = ScriptedArchive(
      account: fixture.account, entries: fixture.entries(1...2), pageLimit: 2)
    fixture.clock.set(ArchiveFixture.stamp(0))
    try await type(11)
    try await type(12)
    fixture.clock.set(ArchiveFixture.stamp(2))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(3...10) + [own(11), own(12)])
    fixture.clock.set(ArchiveFixture.stamp(13))
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.signIn(to: archive, with: receiver)
    // They are behind what is missing before them.
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 5, 6, 11, 12])
    await archive.append(fixture.entries(13...14))
    for number in 13...14 { await comes(number, to: synchronizer) }
    // The connection breaks, and what was in transit comes again behind something newer.
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.sessionResumed()
    await archive.append(fixture.entries(15...16))
    for number in [16, 15] { await comes(number, to: synchronizer) }
    await synchronizer.check()
    for _ in 0..<3 { await synchronizer.fillHoles() }
    #expect(try await fixture.numbers() == Array(1...16))
    #expect(try await fixture.synchronizer().holes(in: fixture.bob).isEmpty)
    #expect(try await fixture.database.faults() == [])
  }
}
