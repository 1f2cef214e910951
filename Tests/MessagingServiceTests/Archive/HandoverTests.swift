import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Sessions that begin with what the server had kept and end before the archive is read: what other
/// clients took between them is missing there.
@Suite struct HandoverTests {
  private func away() async throws -> (fixture: ArchiveFixture, archive: ScriptedArchive) {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...20))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(
      fixture.entries(21...60) + [carol(61, fixture)] + fixture.entries(62...100))
    return (fixture, archive)
  }

  private func carol(_ number: Int, _ fixture: ArchiveFixture) -> ScriptedArchive.Entry {
    fixture.entry(number, from: fixture.carol.with(resource: "x"))
  }

  /// A message with a text, of which no conversation has any.
  private func invitation(_ fixture: ArchiveFixture) -> ScriptedArchive.Entry {
    let element = Element(
      "message", Namespace.client,
      ["from": "room@rooms.example.org", "to": fixture.account.description, "id": "i"],
      [
        Element("body", Namespace.client, text: "Come in"),
        Element(
          "x", "http://jabber.org/protocol/muc#user", [:],
          [
            Element(
              "invite", "http://jabber.org/protocol/muc#user", ["from": fixture.carol.description])
          ]),
      ])
    return .init(id: "i", stamp: ArchiveFixture.stamp(61), message: MessageStanza(element))
  }

  /// A session in a program of its own, that ends before the archive says anything.
  private func handOver(
    _ batches: [[ScriptedArchive.Entry]], _ fixture: ArchiveFixture,
    _ archive: ScriptedArchive
  ) async -> ArchiveService {
    let receiver = fixture.receiver()
    let synchronizer = fixture.synchronizer(memory: fixture.database.archiveProgress)
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await synchronizer.channelOpened(archive)
    for batch in batches {
      let kept = batch.map { fixture.delayed($0) }
      await synchronizer.receive(kept, storedBy: receiver)
    }
    return synchronizer
  }

  private func hole(_ after: Int, _ before: Int) -> HistoryHole {
    HistoryHole(after: ArchiveFixture.stamp(after), before: ArchiveFixture.stamp(before))
  }

  @Test func `before each of them something may be missing, until the archive has answered`()
    async throws
  {
    let (fixture, archive) = try await away()
    var synchronizer = await handOver(
      [fixture.entries(31...33), fixture.entries(34...40)], fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob) == [hole(20, 31)])
    await synchronizer.sessionEnded()
    synchronizer = await handOver([fixture.entries(51...60)], fixture, archive)
    let both = [hole(20, 31), hole(40, 51)]
    #expect(try await synchronizer.holes(in: fixture.bob) == both)
    // When the user scrolls there, a notice says that the catch-up fills it.
    #expect(try await synchronizer.fetchMissing(in: both[1], of: fixture.bob) == .offline)
    await synchronizer.sessionEnded()
    // A session that gets nothing delivered, in a run of its own.
    synchronizer = await handOver([], fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob) == both)
    await synchronizer.sessionEnded()
    synchronizer = await handOver(
      [[invitation(fixture)], [carol(61, fixture)], fixture.entries(71...72)],
      fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob) == both + [hole(60, 71)])

    await synchronizer.sessionStarted(.fixture, over: archive)
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
    #expect(try await fixture.numbers() == Array(1...60) + Array(62...100))
    #expect(
      try await fixture.database.archiveProgress.offlineDeliveries() == OfflineDeliveryLog())
  }

  @Test func `what comes again, not acknowledged, goes on where the session before ended`()
    async throws
  {
    let (fixture, archive) = try await away()
    await handOver([fixture.entries(31...40)], fixture, archive).sessionEnded()
    let synchronizer = await handOver([fixture.entries(38...45)], fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob) == [hole(20, 31)])
  }

  @Test(arguments: [false, true])
  func `a session that goes on, here or in another run, begins nothing anew`(isTakenUp: Bool)
    async throws
  {
    let (fixture, archive) = try await away()
    var synchronizer = await handOver([fixture.entries(31...40)], fixture, archive)
    if isTakenUp {
      await synchronizer.sessionEnded()
      synchronizer = await handOver([], fixture, archive)
      await synchronizer.sessionTakenUp(underWay: [])
    } else {
      await archive.fail(from: await archive.queries.count, with: ChannelError.notConnected)
      await synchronizer.sessionStarted(.fixture, over: archive)
      await synchronizer.sessionStarted(.fixture, over: archive)
    }
    let more = fixture.entries(41...45).map { fixture.delayed($0) }
    await synchronizer.receive(more, storedBy: fixture.receiver())
    #expect(try await synchronizer.holes(in: fixture.bob) == [hole(20, 31)])
  }

  @Test(arguments: [false, true])
  func `one that was cut off begins with what comes then, if nothing was delivered before`(
    wasDelivered: Bool
  ) async throws {
    let (fixture, archive) = try await away()
    let synchronizer = await handOver([fixture.entries(31...40)], fixture, archive)
    await synchronizer.sessionEnded()
    await synchronizer.channelOpened(archive)
    if wasDelivered {
      let first = fixture.entries(45...46).map { fixture.delayed($0) }
      await synchronizer.receive(first, storedBy: fixture.receiver())
    }
    await synchronizer.sessionEnded()
    await synchronizer.channelOpened(archive)
    await synchronizer.sessionTakenUp(underWay: [])
    let kept = fixture.entries(51...60).map { fixture.delayed($0) }
    await synchronizer.receive(kept, storedBy: fixture.receiver())
    let border = wasDelivered ? 45 : 51
    #expect(try await synchronizer.holes(in: fixture.bob) == [hole(20, 31), hole(40, border)])
  }

  @Test
  func `an archive that fails is not asked again at once when the user looks at what is missing`()
    async throws
  {
    let (fixture, archive) = try await away()
    await archive.fail(from: await archive.queries.count, with: ChannelError.notConnected)
    let synchronizer = await handOver([fixture.entries(31...40)], fixture, archive)
    await synchronizer.sessionStarted(.fixture, over: archive)
    let start = ArchiveFixture.stamp(200)
    for (seconds, asked) in [(0.0, 0.0), (1, 0), (4, 0), (6, 6), (10, 6)] {
      fixture.clock.set(start + seconds)
      #expect(try await synchronizer.fetchMissing(in: hole(20, 31), of: fixture.bob) == .offline)
      #expect(await synchronizer.retriedAt == start + asked)
    }
  }

  @Test func `times are those that are stored here, whatever the clock says`() async throws {
    let (fixture, archive) = try await away()
    // Behind the server's: a delivered message is stored with the time of its arrival.
    fixture.clock.set(ArchiveFixture.stamp(25))
    await handOver([fixture.entries(31...33), fixture.entries(34...40)], fixture, archive)
      .sessionEnded()
    fixture.clock.set(ArchiveFixture.stamp(28))
    let synchronizer = await handOver(
      [fixture.entries(51...53), fixture.entries(54...60)], fixture, archive)
    #expect(try await synchronizer.holes(in: fixture.bob).count == 2)
    let numbers = try await fixture.numbers()
    let last = try await synchronizer.holes(in: fixture.bob).last
    let ends = try await fixture.database.timeline.latest(100, in: fixture.bob)
      .filter { $0.position.time == last?.after || $0.position.time == last?.before }.map(\.body)
    #expect(numbers == Array(1...20) + Array(31...40) + Array(51...60))
    #expect(ends.count == 2 && ends[0].contains("40") && ends[1].contains("51"))
  }

  @Test func `the newest deliveries are kept`() {
    var delivered = OfflineDeliveryLog()
    for number in 0..<30 {
      let isBorder = delivered.take(
        from: ArchiveFixture.stamp(number * 10), to: ArchiveFixture.stamp(number * 10 + 5),
        isFirst: true)
      #expect(isBorder == (number > 0))
    }
    let last = ArchiveFixture.stamp(299)
    let isLate = delivered.take(from: last, to: last, isFirst: false)
    #expect(!isLate)
    #expect(delivered.borders == (10..<30).map { ArchiveFixture.stamp($0 * 10) })
    #expect(delivered.last == ArchiveFixture.stamp(299))
  }
}
