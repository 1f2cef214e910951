import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import natter

// Messages and files that did not go out, and files that came.
extension PlainSessionTests {
  /// A session in which bob was chosen.
  private func talking(_ lines: Lines) async throws -> (PlainSession, AccountDatabase) {
    let database = try await AccountDatabase.inMemory()
    let session = try await session(lines, in: database)
    #expect(await session.take("/chat bob@natter.test"))
    return (session, database)
  }

  @Test func `what was not sent is sent again or dropped, by commands that its line names`()
    async throws
  {
    let lines = Lines()
    let (session, database) = try await talking(lines)
    for text in ["one", "two"] { #expect(await session.take(text)) }
    let queued = try await database.outbox.queued()
    #expect(queued.map(\.body) == ["one", "two"])
    var failed: [Message] = []
    for message in queued {
      failed.append(
        try #require(
          try await database.outbox.setDelivery(
            .failed(reason: "The server refused it."), ofOriginID: message.originID ?? "")))
    }
    session.handle(.messagesChanged(failed))
    #expect(
      lines.all.last
        == "Not sent to bob@natter.test: The server refused it. /retry bob@natter.test sends it "
        + "again, /cancel bob@natter.test discards it.")
    session.current = nil
    #expect(await session.take("/retry"))
    #expect(lines.all.last == "No conversation is open. /chat ADDRESS opens one.")
    #expect(await session.take("/retry bob@natter.test"))
    #expect(lines.all.last == "Retrying 2 messages or files.")
    #expect(try await database.outbox.queued().map(\.body) == ["one", "two"])
    _ = try await database.outbox.setDelivery(
      .failed(reason: "No."), ofOriginID: failed[0].originID ?? "")
    session.current = bob
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Discarded 1 message or file.")
    #expect(try await database.timeline.latest(9, in: bob).map(\.body) == ["two"])
    // Where nothing failed, what waits is taken back.
    #expect(await session.take("/delete"))
    #expect(lines.all.last?.contains("it will not arrive. /delete again") == true, "\(lines.all)")
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Cancelled before it was sent: \"two\"")
    #expect(try await database.timeline.latest(9, in: bob).isEmpty)
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Nothing to cancel here.")
    #expect(await session.take("/retry"))
    #expect(lines.all.last == "No failed messages here.")
  }

  @Test func `what the server refused is printed as that, also when it is reported again later`()
    async throws
  {
    let lines = Lines()
    let (session, database) = try await talking(lines)
    #expect(await session.take("never arrived"))
    let queued = try #require(try await database.outbox.queued().first)
    _ = try await database.outbox.setDelivery(
      .failed(reason: "No."), ofOriginID: queued.originID ?? "")
    let later = Lines()
    let again = try await self.session(later) { ports in
      ports = PlainPorts(
        timeline: database.timeline, searching: ports.searching, conversations: ports.conversations,
        roster: ports.roster, preferences: ports.preferences,
        sending: ports.sending, relating: ports.relating, people: ports.people,
        blocking: ports.blocking, presence: ports.presence, connection: ports.connection,
        reading: ports.reading,
        rooms: ports.rooms, history: ports.history, files: ports.files, paths: ports.paths)
    }
    #expect(await again.take("/chat bob@natter.test"))
    let said = try #require(later.all.firstIndex { $0.contains("never arrived") }, "\(later.all)")
    #expect(
      later.all.dropFirst(said + 1).first?.hasPrefix("Not sent to bob@natter.test: No.") == true)
  }

  @Test func `where there are no files, the list of them says so`() async throws {
    let lines = Lines()
    let session = try await session(lines, beginning: bob) { ports in ports.files = FakeFiles() }
    #expect(await session.take("/files"))
    #expect(lines.all.last == "No files yet. In a chat: /upload")
  }

  @Test func `a file whose retry is refused is not counted as retried`() async throws {
    let lines = Lines()
    let failed = ["/a", "/b"].enumerated().map { index, path in
      FileTransfer(
        id: .init(Int64(index)), direction: .upload, conversation: bob, path: path, name: path,
        state: .failed(NatterError(.unexpected, "error.unexpected")),
        begun: Date(timeIntervalSince1970: 0))
    }
    let files = FakeFiles(moving: failed)
    let session = try await session(lines, beginning: bob) { ports in ports.files = files }
    await files.refuse("/a")
    #expect(await session.take("/retry"))
    #expect(lines.all.last == "Retrying 1 message or file.")
    await files.refuse("/b")
    lines.all = []
    #expect(await session.take("/retry"))
    #expect(lines.all.isEmpty, "\(lines.all)")
  }

  @Test func `files are listed with name, type and size, and opened and kept by their numbers`()
    async throws
  {
    let lines = Lines()
    let files = FakeFiles()
    let opened = Lines()
    let session = try await session(lines) { ports in
      ports.files = files
      ports.paths.open = { path, _ in opened.all.append(path) }
    }
    for number in 1...2 {
      let message = Message(
        id: .init(Int64(number)), conversation: bob, sender: bob, direction: .incoming,
        body: "https://a.example/\(number)", sentAt: Date(timeIntervalSince1970: 0),
        originID: "o\(number)",
        file: SharedFile(
          address: "https://a.example/\(number)", name: "rose\(number).png",
          mediaType: "image/png", byteCount: 12_000, width: 640, height: 480))
      if let offered = OfferedFile(message, localPath: number == 1 ? "/down/rose1.png" : nil) {
        await files.add(offered)
      }
      session.handle(.messagesStored([message]))
      #expect(
        lines.all.last?.contains(
          "file \(number): rose\(number).png, picture, 12 kB, 640x480, https://a.example/\(number)")
          == true)
    }
    // The number stays the same, whatever arrived since, and whatever conversation is current.
    _ = await session.take("/open 1")
    #expect(opened.all == ["/down/rose1.png"])
    _ = await session.take("/save 1 /x/y")
    #expect(await files.calls == ["fetch 1 /x/y"])
    _ = await session.take("/open 2")
    #expect(await files.calls == ["fetch 1 /x/y", "fetch 2 -"])
    session.handle(
      .transfersChanged([
        FileTransfer(
          id: .init(102), direction: .download, conversation: bob, path: "/down/x",
          name: "rose2.png", message: .init(2), state: .done,
          begun: Date(timeIntervalSince1970: 0))
      ]))
    // Whether it may run commands is looked up on the disk first.
    try await until { opened.all.count == 2 }
    #expect(opened.all == ["/down/rose1.png", "/down/x"])
    _ = await session.take("/open 3")
    #expect(
      lines.all.last == "There is no file number 3 here. Without a number, the newest is used.")
  }

  @Test func `files that failed are tried again or dropped, those on their way after a question`()
    async throws
  {
    let lines = Lines()
    let files = FakeFiles()
    let session = try await session(lines) { ports in ports.files = files }
    session.current = bob
    let error = NatterError(.refused, "error.files.noService")
    await files.move([transfer(1, .failed(error)), transfer(2, .running)])
    session.handle(.transfersChanged([transfer(1, .failed(error))]))
    #expect(lines.all.last?.contains("/retry bob@natter.test sends it again") == true)
    #expect(await session.take("/retry"))
    #expect(await files.calls == ["retry 1"])
    #expect(await session.take("/cancel"))
    #expect(await files.calls == ["retry 1", "cancel 1"])
    // The other one moves.
    await files.move([transfer(2, .running)])
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Stop f2.txt? /cancel again confirms.")
    #expect(await session.take("/help"))
    #expect(await session.take("/cancel"))
    #expect(lines.all.last == "Stop f2.txt? /cancel again confirms.")
    #expect(await files.calls == ["retry 1", "cancel 1"])
    #expect(await session.take("/cancel"))
    #expect(await files.calls == ["retry 1", "cancel 1", "cancel 2"])
  }

  private func transfer(_ id: Int64, _ state: FileTransfer.TransferStatus) -> FileTransfer {
    FileTransfer(
      id: .init(id), direction: .upload, conversation: bob, path: "/x/f\(id).txt",
      name: "f\(id).txt", state: state, begun: Date(timeIntervalSince1970: 0))
  }
}
