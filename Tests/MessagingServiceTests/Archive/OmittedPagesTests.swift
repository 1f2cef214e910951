import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Pages of which no result could be read: one sender can fill whole pages of an archive with them.
/// They are not the archive's end.
@Suite struct OmittedPagesTests {
  @Test func `what came after them is read at the next session`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...20))
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.sessionEnded()
    await archive.append(fixture.entries(21...140))
    await archive.leaveOut(Set((21...125).map { "a\($0)" }))
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.bodies() == fixture.texts(1...20) + fixture.texts(126...140))
  }

  @Test func `what came before them is read when the user scrolls`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...200))
    await archive.leaveOut(Set((31...150).map { "a\($0)" }))
    let synchronizer = await fixture.signIn(to: archive)
    var calls = 0
    while calls < 20, try await synchronizer.fetchOlder(in: fixture.bob) == .fetched { calls += 1 }
    #expect(try await fixture.bodies() == fixture.texts(1...30) + fixture.texts(151...200))
  }

  /// An archive that returns the same pages for ever, and nothing that can be read.
  private actor Circle: StanzaChannel {
    private let length: Int
    private var count = 0

    init(length: Int) { self.length = length }

    func send(_ stanza: Element) {}
    func request(_ iq: Element, timeout: Duration) throws -> Element {
      throw ChannelError.timedOut
    }
    func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) -> XEP0313Page {
      count += 1
      return XEP0313Page(results: [], isComplete: false, oldest: "b\(count % length)", newest: "a9")
    }
  }

  @Test(arguments: [2, Int.max])
  func `pages by time that go in circles, or on and on, come to an end`(length: Int) async throws {
    let search = ArchivePageByTime(
      archive: JID(local: "alice", domain: "example.org"), peer: nil,
      channel: Circle(length: length))
    let point = ArchivePosition(id: "a5", at: Date(timeIntervalSince1970: 1_000_000))
    #expect(try await search.page(endingAt: point)?.results == [])
  }

  @Test func `a page that ends where the one before did is the end`() {
    let known = ArchivePosition(id: "a1", at: Date(timeIntervalSince1970: 1_000_000))
    var walk = ArchiveWalk(from: known)
    let omitted = XEP0313Page(results: [], isComplete: false, oldest: "a2", newest: "a9")
    #expect(walk.take(omitted, tolerance: 60) == .next)
    #expect(walk.query(limit: 50) == XEP0313Query(.after("a9"), limit: 50))
    #expect(walk.take(omitted, tolerance: 60) == .last)
    #expect(ArchiveContact(of: omitted, with: known, tolerance: 60) == .none)
    let nothing = XEP0313Page(results: [], isComplete: false)
    #expect(ArchiveContact(of: nothing, with: known, tolerance: 60) == .beginning)
  }
}
