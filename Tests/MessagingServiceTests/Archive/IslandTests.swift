import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Live messages that arrive while the archive is read: a range of their own until the two meet.
@Suite struct IslandTests {
  private let fixture: ArchiveFixture
  private let archive: ScriptedArchive

  init() async throws {
    fixture = try await ArchiveFixture()
    archive = ScriptedArchive(
      account: fixture.account, entries: fixture.entries(1...3), pageLimit: 3)
    fixture.clock.set(ArchiveFixture.stamp(3))
    await fixture.signIn(to: archive).sessionEnded()
  }

  /// The receipt for the account's own `m0`: in the archive, and not a message.
  private var receipt: ScriptedArchive.Entry {
    let element = Element(
      "message", Namespace.client,
      ["type": "chat", "from": "\(fixture.bob)/x", "to": fixture.account.description],
      [Element("received", Namespace.receipts, ["id": "m0"])])
    return .init(id: "r0", stamp: ArchiveFixture.stamp(10), message: MessageStanza(element))
  }

  /// A session that has begun and has not asked the archive yet.
  private func session() async -> (
    ArchiveService, @Sendable (ScriptedArchive.Entry, Bool) async -> Void
  ) {
    let (receiver, synchronizer) = (fixture.receiver(), fixture.synchronizer { _ in })
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.channelOpened(archive)
    return (
      synchronizer,
      { @Sendable [fixture] entry, isDelayed in
        fixture.clock.set(fixture.now + 1)
        let stanza = isDelayed ? fixture.delayed(entry) : fixture.live(entry)
        await synchronizer.receive([stanza], storedBy: receiver)
      }
    )
  }

  @Test(arguments: [false, true])
  func `messages read after live ones are put behind them, though more has come since`(
    isLate: Bool
  ) async throws {
    let (synchronizer, arrive) = await session()
    for number in 4...6 {
      await archive.append([fixture.entry(number)])
      await arrive(fixture.entry(number), false)
    }
    // Still in transit when the archive contains them; the ones that follow them are there.
    await archive.append((7...9).map { fixture.entry($0) } + [receipt])
    await arrive(receipt, false)
    if isLate { await archive.append([fixture.entry(11)]) }
    if isLate { await arrive(fixture.entry(11), false) }
    await synchronizer.sessionStarted(.fixture, over: archive)
    for number in 7...9 { await arrive(fixture.entry(number), false) }
    #expect(try await fixture.numbers() == Array(1...9) + (isLate ? [11] : []))
    await synchronizer.check()
    #expect(try await fixture.numbers() == Array(1...9) + (isLate ? [11] : []))
  }

  /// Some servers archive a message a moment after they deliver it.
  @Test func `the only page of an archive is before a live message that it lacks`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...5))
    let (receiver, synchronizer) = (fixture.receiver(), fixture.synchronizer())
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.channelOpened(archive)
    fixture.clock.set(fixture.now + 1)
    await synchronizer.receive([fixture.live(fixture.entry(6))], storedBy: receiver)
    await synchronizer.sessionStarted(.fixture, over: archive)
    #expect(try await fixture.numbers() == Array(1...6))
    // What was there before the first login is not new.
    let bob = try await fixture.database.conversations.conversation(fixture.bob)
    #expect(bob?.unread == 1)
  }

  /// A session that goes on over other connections for minutes before its archive is asked.
  @Test func `messages read after those the server had kept are put behind them`() async throws {
    let (synchronizer, arrive) = await session()
    fixture.clock.set(ArchiveFixture.stamp(7))
    for number in 4...6 {
      await archive.append([fixture.entry(number)])
      await arrive(fixture.entry(number), true)
    }
    await archive.append((7...9).map { fixture.entry($0) } + [receipt])
    await arrive(receipt, false)
    await synchronizer.sessionStarted(.fixture, over: archive)
    #expect(try await fixture.numbers() == Array(1...9))
  }

  /// The server sends again what was on its way when the connection broke, behind what came
  /// meanwhile.
  @Test
  func
    `what is missing between what was sent again and what came before it stays known to be missing`()
    async throws
  {
    let (synchronizer, arrive) = await session()
    await archive.append(fixture.entries(4...20))
    for number in [20] + Array(4...9) { await arrive(fixture.entry(number), false) }
    // The connection breaks after the archive has returned those.
    await archive.fail(from: await archive.queries.count + 3, with: ChannelError.notConnected)
    await synchronizer.sessionStarted(.fixture, over: archive)
    await synchronizer.sessionEnded()
    await archive.recover()
    let (next, _) = await session()
    await next.sessionStarted(.fixture, over: archive)
    await next.fillHoles()
    let numbers = try await fixture.numbers()
    #expect(numbers.sorted() == Array(1...20))
    #expect(numbers.filter { $0 != 20 } == Array(1...19))
  }

  @Test func `what is missing before what comes between two pages stays known to be missing`()
    async throws
  {
    let (synchronizer, arrive) = await session()
    fixture.clock.set(ArchiveFixture.stamp(7))
    await archive.append(fixture.entries(4...20))
    await arrive(fixture.entry(4), true)
    // The first that comes live comes behind the first page, and the line breaks.
    let asked = await archive.queries.count
    await archive.fail(from: asked + 2, with: ChannelError.notConnected)
    await archive.before { [fixture] number in
      if number == asked + 2 { await arrive(fixture.entry(20), false) }
    }
    await synchronizer.sessionStarted(.fixture, over: archive)
    await synchronizer.sessionEnded()
    await archive.before(nil)
    await archive.recover()
    let (next, _) = await session()
    await next.sessionStarted(.fixture, over: archive)
    await next.fillHoles()
    #expect(try await fixture.numbers() == Array(1...20))
  }
}
