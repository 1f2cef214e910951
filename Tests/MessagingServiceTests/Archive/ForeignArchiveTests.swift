import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// The answers of servers where XEP-0313 leaves the choice to them (server-quirks.md, "Prosody" and
/// "ejabberd").
@Suite struct ForeignArchiveTests {
  /// An archive of a server whose ids are positions in everything that it has, whatever the query.
  private actor ForeignArchive: StanzaChannel {
    /// Indicates whether a full address counts as the bare one; otherwise it finds only that
    /// resource.
    let takesBare: Bool
    /// Indicates whether only an empty page is reported as the last one.
    let endsEmpty: Bool
    private(set) var entries: [ScriptedArchive.Entry]
    private(set) var asked: Set<JID> = []
    private(set) var positions: [XEP0059Request.Position] = []
    private let rest: ScriptedArchive

    init(
      _ account: JID, _ entries: [ScriptedArchive.Entry], takesBare: Bool = true,
      endsEmpty: Bool = false
    ) {
      (self.entries, self.takesBare, self.endsEmpty) = (entries, takesBare, endsEmpty)
      rest = ScriptedArchive(account: account)
    }

    func append(_ new: [ScriptedArchive.Entry]) { entries += new }
    func send(_ stanza: Element) async { await rest.send(stanza) }
    func request(_ iq: Element, timeout: Duration) async throws -> Element {
      try await rest.request(iq, timeout: timeout)
    }

    /// Returns a page of the account's own archive, whatever `archive` is.
    func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) -> XEP0313Page {
      asked.insert(archive)
      positions.append(query.page.position)
      func matches(_ entry: ScriptedArchive.Entry) -> Bool {
        if let start = query.start, entry.stamp < start { return false }
        if let end = query.end, entry.stamp > end { return false }
        guard let peer = query.with else { return true }
        let isWide = takesBare || peer.isBare
        return [entry.message.from, entry.message.to].contains {
          (isWide ? $0?.bare : $0) == (isWide ? peer.bare : peer)
        }
      }
      func position(_ id: String) -> Int? { entries.firstIndex { $0.id == id } }
      var found = entries.indices.filter { matches(entries[$0]) }
      let count = found.count
      var isBackwards = false
      switch query.page.position {
      case .first: break
      case .last: isBackwards = true
      case .after(let id): found = found.filter { $0 > position(id) ?? -1 }
      case .before(let id):
        isBackwards = true
        found = found.filter { $0 < position(id) ?? .max }
      }
      let limit = min(query.page.limit, 50)
      let page = isBackwards ? found.suffix(limit) : found.prefix(limit)
      return XEP0313Page(
        results: page.map {
          XEP0313Result(
            id: entries[$0].id, stamp: entries[$0].stamp, message: entries[$0].message)
        }, isComplete: endsEmpty ? page.isEmpty : page.count == found.count, count: count)
    }
  }

  private func signIn(_ fixture: ArchiveFixture, to archive: ForeignArchive) async
    -> ArchiveService
  {
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.signIn(to: archive)
    return synchronizer
  }

  private let room = JID(local: "hill", domain: "rooms.example.org")

  @Test func `an empty page is an end, before the first and after the last, and moves nothing`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ForeignArchive(fixture.account, fixture.entries(1...100), endsEmpty: true)
    var synchronizer = await signIn(fixture, to: archive)
    while try await synchronizer.fetchOlder(in: fixture.bob) == .fetched {}
    #expect(try await fixture.numbers() == Array(1...100))
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .beginning)
    await synchronizer.sessionEnded()
    // Nothing came since: the page after the last has neither a first nor a last.
    synchronizer = await signIn(fixture, to: archive)
    await synchronizer.sessionEnded()
    let known = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(known.map(\.end.id) == ["a100"])
    let past = try await fixture.database.archiveRanges.ranges(
      of: fixture.account, with: fixture.bob)
    #expect(past.map(\.start.id) == ["a1"] && past.map(\.reachesBeginning) == [true])
    await archive.append(fixture.entries(101...103))
    synchronizer = await signIn(fixture, to: archive)
    await synchronizer.fillHoles()
    #expect(try await fixture.numbers() == Array(1...103))
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
    #expect(await archive.positions.allSatisfy { $0 != .after("") && $0 != .before("") })
  }

  @Test(arguments: [true, false])
  func
    `private words are found by a full address, taken for all of the room's or for one occupant's`(
      takesBare: Bool
    ) async throws
  {
    let fixture = try await ArchiveFixture()
    _ = try await fixture.database.bookmarks.openConversation(of: room, name: nil)
    func whispers(_ numbers: ClosedRange<Int>, _ nick: String) -> [ScriptedArchive.Entry] {
      numbers.map { number in
        let entry = fixture.entry(number, from: room.with(resource: nick))
        var element = entry.message.element
        element.append(Element("x", XEP0045.user))
        return .init(id: entry.id, stamp: entry.stamp, message: MessageStanza(element))
      }
    }
    let archive = ForeignArchive(
      fixture.account,
      whispers(1...30, "bob") + whispers(31...90, "carol") + whispers(91...120, "bob")
        + fixture.entries(121...200), takesBare: takesBare)
    let synchronizer = await signIn(fixture, to: archive)
    let bob = try #require(room.with(resource: "bob"))
    let carol = try #require(room.with(resource: "carol"))
    while try await synchronizer.fetchOlder(in: bob) == .fetched {}
    #expect(try await fixture.numbers(in: bob) == Array(1...30) + Array(91...120))
    while try await synchronizer.fetchOlder(in: carol) == .fetched {}
    #expect(try await fixture.numbers(in: carol) == Array(31...90))
    #expect(try await fixture.numbers(in: room) == [])
    #expect(await archive.asked == [fixture.account])
  }

  @Test func `the id of another conversation's message is a position in this one, too`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    // All that is known when it begins is of bob.
    let archive = ForeignArchive(
      fixture.account,
      (1...200).map { fixture.entry($0, from: $0.isMultiple(of: 2) ? fixture.carol : fixture.bob) }
        + fixture.entries(201...260))
    let synchronizer = await signIn(fixture, to: archive)
    #expect(try await fixture.numbers(in: fixture.carol) == [])
    while try await synchronizer.fetchOlder(in: fixture.carol) == .fetched {}
    #expect(
      try await fixture.numbers(in: fixture.carol) == Array(stride(from: 2, through: 200, by: 2)))
    while try await synchronizer.fetchOlder(in: fixture.bob) == .fetched {}
    #expect(
      try await fixture.numbers()
        == Array(stride(from: 1, through: 199, by: 2)) + Array(201...260))
  }

  @Test func `who answers for others with one's own archive is not believed, and people not asked`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ForeignArchive(fixture.account, fixture.entries(1...20))
    let synchronizer = await signIn(fixture, to: archive)
    for person in [fixture.bob, fixture.carol] {
      _ = try await synchronizer.fetchOlder(in: person)
    }
    #expect(await archive.asked == [fixture.account])
    // One that was entered as a room, and is a person of this server.
    let dave = JID(local: "dave", domain: "example.org")
    fixture.rooms.set(RoomMembership(nick: "alice", visit: 1), of: dave)
    await synchronizer.roomEntered(
      dave, as: RoomMembership(nick: "alice", visit: 1), hasArchive: true)
    _ = try await synchronizer.fetchOlder(in: dave)
    #expect(await archive.asked == [fixture.account, dave])
    #expect(try await fixture.numbers(in: dave) == [])
    #expect(try await fixture.numbers() == Array(1...20))
  }
}
