import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

// What line mode says before it does what may not be meant: a file that may run commands, a room
// instead of a person.
extension PlainSessionTests {
  private func offer(
    _ number: Int64, _ name: String, from sender: JID, at path: String?
  ) throws -> OfferedFile {
    let message = Message(
      id: .init(number), conversation: bob, sender: sender,
      direction: sender == alice ? .outgoing : .incoming, body: "https://a.example/\(number)",
      sentAt: Date(timeIntervalSince1970: 0), originID: "o\(number)",
      file: SharedFile(
        address: "https://a.example/\(number)", name: name, mediaType: nil, byteCount: 10))
    return try #require(OfferedFile(message, localPath: path))
  }

  private func session(
    _ lines: Lines, _ opened: Lines, _ files: [OfferedFile]
  ) async throws -> PlainSession {
    let session = try await session(lines) { ports in
      ports.files = FakeFiles(files)
      ports.paths.open = { path, _ in opened.all.append(path) }
      ports.paths.mayRun = { $0.hasSuffix(".desktop") }
    }
    session.handle(.messagesStored(files.map(\.message)))
    return session
  }

  @Test func `a file that may run commands is opened only by the same command again`() async throws
  {
    let (lines, opened) = (Lines(), Lines())
    let session = try await session(
      lines, opened,
      [
        offer(1, "run.desktop", from: bob, at: "/down/run.desktop"),
        offer(2, "other.desktop", from: bob, at: "/down/other.desktop"),
        offer(3, "rose.png", from: bob, at: "/down/rose.png"),
        offer(4, "mine.desktop", from: alice, at: "/home/alice/mine.desktop"),
      ])
    #expect(await session.take("/open 1"))
    #expect(opened.all.isEmpty)
    #expect(
      lines.all.last
        == "/down/run.desktop can run commands on this computer. If you know what it does, "
        + "repeat the command to open it.")
    // No other line is a "yes", nor is the command for another file.
    for line in ["", "/chat \(bob)", "/open 2"] {
      #expect(await session.take(line))
      #expect(opened.all.isEmpty)
    }
    #expect(lines.all.last?.hasPrefix("/down/other.desktop can run commands") == true)
    #expect(await session.take("/open 1"))
    #expect(opened.all == ["/down/run.desktop"])
    // What only shows something, and what is the user's own, needs no second word.
    for line in ["/open 3", "/open 4"] { #expect(await session.take(line)) }
    #expect(opened.all.dropFirst() == ["/down/rose.png", "/home/alice/mine.desktop"])
  }

  @Test func `one that was fetched to be opened waits for the same command, too`() async throws {
    let (lines, opened) = (Lines(), Lines())
    let offered = try offer(1, "run.desktop", from: bob, at: nil)
    let session = try await session(lines, opened, [offered])
    #expect(await session.take("/open 1"))
    let fetched = FileTransfer(
      id: .init(101), direction: .download, conversation: bob, path: "/down/run.desktop",
      name: "run.desktop", message: .init(1), state: .done, begun: Date(timeIntervalSince1970: 0))
    session.handle(.transfersChanged([fetched]))
    try await until { lines.all.last?.contains("can run commands on this computer") == true }
    #expect(opened.all.isEmpty)
    #expect(await session.take("/open 1"))
    session.handle(.transfersChanged([fetched]))
    try await until { opened.all == ["/down/run.desktop"] }
  }

  @Test(arguments: ["/chat den@rooms.example.org", "/msg den@rooms.example.org SECRET"])
  func `an unknown address that is a room's is reported as one, and nothing is sent there`(
    line: String
  ) async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database) { $0.rooms = FakeRooms() }
    #expect(await session.take(line))
    #expect(
      lines.all.last
        == "den@rooms.example.org is a room. To join it: /join den@rooms.example.org")
    #expect(session.current == nil)
    #expect(try await database.conversations.conversations().isEmpty)
    #expect(try await database.outbox.queued().isEmpty)
    // A person at another server is written to, whatever that server is.
    #expect(await session.take(line.replacing("rooms.example.org", with: "example.org")))
    #expect(session.current == JID(local: "den", domain: "example.org"))
  }

  @Test func `a room that once refused a message is still reported as one`() async throws {
    let lines = Lines()
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database) { $0.rooms = FakeRooms() }
    let room = JID(local: "den", domain: "rooms.example.org")
    _ = try await database.conversations.open(room, kind: .direct)
    try await database.conversations.hide(room)
    #expect(await session.take("/chat den@rooms.example.org"))
    #expect(lines.all.last?.contains("/join den@rooms.example.org") == true, "\(lines.all)")
    #expect(session.current == nil)
  }
}
