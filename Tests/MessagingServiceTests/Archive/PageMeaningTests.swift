import Foundation
import NatterCore
import Testing
import XMPP

@testable import MessagingService

/// The meaning of the messages of a page for the user.
@Suite struct PageMeaningTests: ArchiveRuleTests {
  private let bob = JID(local: "bob", domain: "example.org")
  private let carol = JID(local: "carol", domain: "example.org")

  private func message(_ id: Int64, from sender: JID, at seconds: TimeInterval) -> Message {
    Message(
      id: Message.ID(id), conversation: sender, sender: sender, direction: .incoming, body: "hi",
      sentAt: time(seconds), originID: nil)
  }

  @Test func `what was sent since this program last looked is unread`() {
    for meaning in [PageMeaning.news(since: time(100)), .missed(since: time(100))] {
      #expect(meaning.mayBeNews)
      #expect(meaning.countsUnread(at: time(101), answeredAt: nil))
      #expect(!meaning.countsUnread(at: time(100), answeredAt: nil))
    }
    #expect(PageMeaning.missed(since: time(100)).isLate)
    #expect(!PageMeaning.news(since: time(100)).isLate && !PageMeaning.past.isLate)
    #expect(!PageMeaning.past.mayBeNews)
    #expect(!PageMeaning.past.countsUnread(at: time(101), answeredAt: nil))
  }

  @Test func `what the user answered in another client is read`() {
    let meaning = PageMeaning.news(since: time(100))
    #expect(!meaning.countsUnread(at: time(101), answeredAt: time(102)))
    #expect(meaning.countsUnread(at: time(101), answeredAt: time(101)))
  }

  @Test func `what an archive with whole seconds has of the second of the login is news`() {
    let meaning = PageMeaning.begun(at: time(100.5))
    #expect(!meaning.mayBeNews)
    #expect(meaning.countsUnread(at: time(100), answeredAt: nil))
    #expect(meaning.countsUnread(at: time(101), answeredAt: nil))
    #expect(!meaning.countsUnread(at: time(100.25), answeredAt: nil), "it has fractions")
    #expect(!meaning.countsUnread(at: time(99), answeredAt: nil))
    #expect(!PageMeaning.begun(at: time(100)).countsUnread(at: time(100), answeredAt: nil))
  }

  @Test func `only conversations with unread messages have news`() {
    let messages = [
      message(1, from: bob, at: 90), message(2, from: carol, at: 90),
      message(3, from: bob, at: 110), message(4, from: carol, at: 110),
    ]
    func ids(_ meaning: PageMeaning) -> [[Int64]] {
      let sorted = meaning.sorted(messages, unread: [bob])
      return [sorted.news, sorted.missed, sorted.past].map { $0.map(\.id.rawValue) }
    }
    #expect(ids(.news(since: time(100))) == [[1, 3], [4], [2]])
    #expect(ids(.missed(since: time(100))) == [[], [3, 4], [1, 2]])
    #expect(ids(.begun(at: time(100))) == [[1, 3], [], [2, 4]])
    #expect(ids(.past) == [[], [], [1, 2, 3, 4]])
    let late = PageMeaning.missed(since: time(100)).sorted(
      messages, unread: [bob], belowRead: [Message.ID(3)])
    #expect(late.missed.map(\.id.rawValue) == [4])
    #expect(late.past.map(\.id.rawValue) == [1, 2, 3])
  }
}
