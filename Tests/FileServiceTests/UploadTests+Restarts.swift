import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// Over lost connections and restarts.
extension UploadTests {
  @Test func `without a connection it waits for one`() async throws {
    let files = try await FileFixture()
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    #expect(await files.queue.transfers(in: FileFixture.bob).map(\.state) == [.waiting])
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    #expect(await files.end(of: transfer.id) == .done)
    await files.stop()
  }

  @Test func `what was not done is done after a restart, with one message`() async throws {
    let first = try await FileFixture()
    let transfer = try await first.queue.share(
      try first.write(rose, to: "rose.png"), with: FileFixture.bob)
    await first.stop()
    let second = try await FileFixture(database: first.database, folder: first.folder)
    let server = try UploadServer()
    _ = await second.connect { server.slot($0) }
    #expect(await second.end(of: transfer.id) == .done)
    #expect(await second.messages.sent.map(\.originID) == [try #require(transfer.originID)])
    await second.stop()
    let third = try await FileFixture(database: first.database, folder: first.folder)
    #expect(await third.queue.transfers(in: nil).isEmpty)
    await third.stop()
  }

  @Test func `a paused file does not move until it may`() async throws {
    let files = try await FileFixture()
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    await files.queue.pause(transfer.id)
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    #expect(await files.queue.transfers(in: FileFixture.bob).map(\.state) == [.paused])
    #expect(server.peer.requests.isEmpty)
    await files.queue.resume(transfer.id)
    #expect(await files.end(of: transfer.id) == .done)
    await files.stop()
  }

  @Test func `one that is cancelled is forgotten`() async throws {
    let server = try UploadServer { _ in .stall(afterBodyBytes: 10) }
    let files = try await FileFixture()
    _ = await files.connect { server.slot($0) }
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    #expect(await server.peer.hears { $0.method == "PUT" })
    try await files.queue.cancel(transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id] == nil })
    #expect(try await files.database.transfers.transfers().isEmpty)
    #expect(await files.messages.sent.isEmpty)
    // The way is free for others.
    let next = try await FileFixture(database: files.database, folder: files.folder)
    await files.stop()
    await next.stop()
  }
}
