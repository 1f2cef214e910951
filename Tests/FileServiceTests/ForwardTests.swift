import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// A file that somebody sent, sent on to somebody else.
@Suite struct ForwardTests {
  private let carol = JID(local: "carol", domain: "natter.test", resource: nil)
  private let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// A server with one file until it is removed, and a slot for others.
  private func server(_ isThere: Observed<Bool>, afterwards: Int = 404) throws -> HTTPPeer {
    try HTTPPeer { [bytes] request in
      switch request.method {
      case "PUT": .answer(201)
      case "HEAD" where request.target.contains("new"):
        .answer(200, headers: [("Content-Length", "\(bytes.count)")])
      case _ where !isThere.value: .answer(afterwards)
      case "HEAD": .answer(200, headers: [("Content-Length", "\(bytes.count)")])
      default: .answer(200, body: bytes)
      }
    }
  }

  private func offer(_ peer: HTTPPeer, _ files: FileFixture) async throws -> Message {
    try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", name: "rose.png", mediaType: "image/png",
        byteCount: bytes.count))
  }

  @Test func `a file that was not fetched is forwarded by its address, without a request`()
    async throws
  {
    let files = try await FileFixture()
    let peer = try server(Observed(true))
    let message = try await offer(peer, files)
    try await files.queue.forward(message, to: carol)
    try await files.queue.forward(message, to: carol)
    let sent = await files.messages.sent
    #expect(sent.map(\.to) == [carol, carol])
    #expect(sent.allSatisfy { $0.file == message.file })
    #expect(Set(sent.map(\.originID)).count == 2)
    #expect(peer.requests.isEmpty)
    await files.stop()
  }

  @Test func `what is here is sent anew once its server has it no more`() async throws {
    let files = try await FileFixture()
    let isThere = Observed(true)
    let peer = try server(isThere)
    _ = await files.connect { _ in
      XEP0363Slot(put: peer.address + "/new", get: peer.address + "/new")
    }
    let message = try await offer(peer, files)
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    try await files.queue.forward(message, to: carol)
    #expect(await files.messages.sent.last?.file.address == peer.address + "/rose.png")

    isThere.update { $0 = false }
    try await files.queue.forward(message, to: carol)
    let upload = try #require(
      await files.news.waits(upTo: .seconds(60)) { all in
        all.values.contains { $0.direction == .upload && $0.state == .done }
      } ? files.news.value.values.first { $0.direction == .upload } : nil)
    #expect(upload.conversation == carol)
    #expect(await files.messages.sent.last?.file.address == peer.address + "/new")
    #expect(peer.requests.first { $0.method == "PUT" }?.body == bytes)
    await files.stop()
  }

  @Test func `a file that one of its addresses still has is forwarded with all of them`()
    async throws
  {
    let files = try await FileFixture()
    let isThere = Observed(true)
    let (peer, other) = (try server(isThere), try server(Observed(true)))
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", byteCount: bytes.count,
        otherAddresses: [other.address + "/rose.png"]))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    isThere.update { $0 = false }
    try await files.queue.forward(message, to: carol)
    #expect(await files.messages.sent.last?.file.addresses == message.file?.addresses)
    await files.stop()
  }

  @Test func `a server that cannot answer now is taken to have it`() async throws {
    let files = try await FileFixture()
    let isThere = Observed(true)
    let peer = try server(isThere, afterwards: 503)
    let message = try await offer(peer, files)
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    isThere.update { $0 = false }
    try await files.queue.forward(message, to: carol)
    #expect(await files.messages.sent.last?.file == message.file)
    await files.stop()
  }

  @Test func `the history knows what is on this disk, and what was on it`() async throws {
    let files = try await FileFixture()
    let peer = try server(Observed(true))
    let history = FileHistory(store: files.database.transfers)
    let message = try await offer(peer, files)
    #expect(
      try await history.files(FileFilter(), at: .newest, limit: 9).map(\.localPath) == [nil])
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    let path = files.folder.path("downloads/rose.png")
    #expect(
      try await history.files(FileFilter(), at: .newest, limit: 9).map(\.localPath) == [path])
    try FileManager.default.removeItem(atPath: path)
    #expect(
      try await history.files(FileFilter(), at: .newest, limit: 9).map(\.localPath) == [nil])
    await files.stop()
  }
}
