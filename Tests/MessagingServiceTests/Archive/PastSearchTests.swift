import Foundation
import NatterCore
import Testing
import XML
import XMPP

@testable import MessagingService

/// The progress of the search of the archive for senders that no list has.
@Suite struct PastSearchTests {
  private let point = ArchivePosition(id: "a 50", at: Date(timeIntervalSince1970: 1_700_000_000.5))

  @Test func `a page moves it back, and its time never forward`() {
    func page(_ seconds: TimeInterval, isComplete: Bool = false) -> XEP0313Page {
      XEP0313Page(
        results: [
          XEP0313Result(
            id: "a40", stamp: Date(timeIntervalSince1970: seconds),
            message: MessageStanza(Element("message", Namespace.client)))
        ], isComplete: isComplete)
    }
    let earlier = Date(timeIntervalSince1970: 1_600_000_000)
    #expect(
      PastSearch.progress(after: page(1_600_000_000), before: point)
        == .reached(ArchivePosition(id: "a40", at: earlier)))
    #expect(
      PastSearch.progress(after: page(1_800_000_000), before: point)
        == .reached(ArchivePosition(id: "a40", at: point.at)))
    #expect(
      PastSearch.progress(after: page(1_600_000_000, isComplete: true), before: point) == .complete)
  }

  @Test func `a page that does not go back is the end`() {
    let empty = XEP0313Page(results: [], isComplete: false)
    #expect(PastSearch.progress(after: empty, before: point) == .complete)
    let same = XEP0313Page(results: [], isComplete: false, oldest: point.id)
    #expect(PastSearch.progress(after: same, before: point) == .complete)
    let left = XEP0313Page(results: [], isComplete: false, oldest: "a40", newest: "a49")
    #expect(
      PastSearch.progress(after: left, before: point)
        == .reached(ArchivePosition(id: "a40", at: point.at)))
  }

  @Test func `it ends at its reach`() {
    #expect(PastSearch.reaches(point, now: point.at + PastSearch.reach - 1))
    #expect(!PastSearch.reaches(point, now: point.at + PastSearch.reach))
  }
}
