import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import natter

@Suite struct PlainSessionTests {
  private final class Lines {
    var all: [String] = []
  }

  private let alice = JID(local: "alice", domain: "natter.test")
  private let bob = JID(local: "bob", domain: "natter.test")

  private func session(_ lines: Lines, language: String = "en") async throws -> PlainSession {
    let home = try Home()
    let context = try SendCommandTests.context(["--plain"], home: home, language: language)
    let account = Account(jid: alice)
    let database = try await AccountDatabase.inMemory()
    let services = try context.services(
      for: account, database: database, credentials: context.credentials, hub: EventHub())
    return PlainSession(
      account: account,
      ports: PlainSession.PlainPorts(
        timeline: database.messages, conversations: database.conversations,
        roster: database.roster, sending: services.outbox, relating: services.outbox,
        people: services.roster, presence: services.presence,
        connection: services.connection, reading: services.readState,
        rooms: services.rooms, files: services.files,
        absolute: { $0 }, isFile: { _ in false }),
      format: ItemFormat(localizer: context.localizer, account: alice),
      output: { lines.all.append($0) })
  }

  private func message(_ id: Int64, _ body: String, from sender: JID) -> Message {
    Message(
      id: Message.ID(id), conversation: bob, sender: sender,
      direction: sender == alice ? .outgoing : .incoming, body: body,
      sentAt: Date(timeIntervalSince1970: Double(id)), originID: "o\(id)",
      delivery: sender == alice ? .queued : nil)
  }

  @Test func `a message is printed once, whichever ways bring it`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    let own = message(2, "hello", from: alice)
    session.handle(.messagesStored([message(1, "hi", from: bob), own]))
    session.handle(.historyStored([own]))
    session.handle(.messagesStored([own]))
    #expect(lines.all.count { $0.contains("hello") } == 1)
    session.handle(.historyStored([message(3, "from elsewhere", from: alice)]))
    #expect(lines.all.count { $0.contains("from elsewhere") } == 1)
  }

  @Test func `only the first line of a message says who speaks`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    session.handle(
      .messagesStored([message(1, "a\nOnline.\r\ncarol: b\u{2028}c\u{85}d", from: bob)]))
    #expect(lines.all.count == 5)
    #expect(lines.all.first?.hasPrefix("bob@natter.test, to you: a") == true)
    #expect(lines.all.dropFirst().allSatisfy { $0.hasPrefix("| ") })
  }

  @Test func `what is typed goes to nobody until somebody is chosen`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    session.handle(.messagesStored([message(1, "hi", from: bob)]))
    #expect(await session.take("secret"))
    #expect(session.current == nil)
    #expect(lines.all.last == "To whom? /chat JID chooses.")
  }

  @Test func `a name is looked up, and never taken for a server`() async throws {
    let lines = Lines()
    let session = try await session(lines)
    #expect(await session.take("/chat bob"))
    #expect(session.current == nil)
    #expect(lines.all.last?.hasPrefix("Nobody known is called bob.") == true)
    #expect(await session.take("/msg bob hello"))
    #expect(session.current == nil)
    session.handle(.contactsChanged([Contact(jid: bob, name: "Robert")]))
    for name in ["robert", "bob"] {
      #expect(await session.take("/chat \(name)"))
      #expect(session.current == bob)
      session.current = nil
    }
    session.handle(
      .contactsChanged([Contact(jid: JID(local: "bob", domain: "other.test"), name: nil)]))
    #expect(await session.take("/chat bob"))
    #expect(session.current == nil)
    #expect(lines.all.last?.hasPrefix("Several are called bob") == true)
    #expect(await session.take("/chat bob@other.test"))
    #expect(session.current?.domain == "other.test")
  }

  @Test(arguments: [("fr", "quitter", "discuter"), ("zh-Hans", "退出", "聊天")])
  func `a command goes by its name in the person's language, too`(
    language: String, quit: String, chat: String
  ) async throws {
    let lines = Lines()
    let session = try await session(lines, language: language)
    session.handle(.contactsChanged([Contact(jid: bob, name: nil)]))
    #expect(await session.take("/\(chat) bob"))
    #expect(session.current == bob)
    session.current = nil
    #expect(await session.take("/chat bob"))
    #expect(session.current == bob)
    #expect(await !session.take("/\(quit.uppercased())"))
  }
}
