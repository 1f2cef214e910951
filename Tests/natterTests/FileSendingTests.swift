import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

@Suite struct FileSendingTests {
  private static let alice = JID(local: "alice", domain: "example.org")
  private static let bob = JID(local: "bob", domain: "example.org")

  /// A message of the file, or its text.
  private static func message(_ number: Int64, _ originID: String, _ delivery: Delivery) -> Message
  {
    Message(
      id: .init(number), conversation: bob, sender: alice, direction: .outgoing, body: originID,
      sentAt: Date(timeIntervalSince1970: 0), originID: originID, delivery: delivery)
  }

  private func sending() -> FileSending {
    FileSending(
      transfer: FileTransfer(
        id: .init(1), direction: .upload, conversation: Self.bob, path: "/a.txt", name: "a.txt",
        originID: "m1", state: .done, begun: Date(timeIntervalSince1970: 0), text: "look"),
      format: ItemFormat(localizer: Localizer(tag: "en", texts: [:]), account: Self.alice)
    ) { _, _ in }
  }

  @Test func `a file of an earlier run is accepted once the server has its messages`() async {
    let (events, send) = AsyncStream<DomainEvent>.makeStream()
    let sending = sending()
    send.yield(.messagesChanged([Self.message(2, "m1-words", .sent)]))
    send.finish()
    // The events end before the server has the file.
    let outcome = await sending.follow(
      events,
      since: [Self.message(1, "m1", .queued), Self.message(2, "m1-words", .queued)])
    guard case .timedOut = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let (more, sendMore) = AsyncStream<DomainEvent>.makeStream()
    sendMore.yield(.messagesChanged([Self.message(1, "m1", .sent)]))
    sendMore.finish()
    let next = await self.sending().follow(
      more, since: [Self.message(1, "m1", .queued), Self.message(2, "m1-words", .sent)])
    guard case .accepted = next else {
      Issue.record("\(next)")
      return
    }
  }

  @Test
  func `a file of an earlier run whose messages are removed or refused is waited for no more`()
    async
  {
    let (events, end) = AsyncStream<DomainEvent>.makeStream()
    // One that waited would end without an outcome of its own.
    end.finish()
    let removed = await sending().follow(events, since: [])
    guard case .accepted = removed else {
      Issue.record("\(removed)")
      return
    }
    let refused = await sending().follow(
      events, since: [Self.message(1, "m1", .failed(reason: "no such room"))])
    guard case .failed("no such room") = refused else {
      Issue.record("\(refused)")
      return
    }
  }
}
