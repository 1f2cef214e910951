import API
import Crypto
import Foundation
import HTTP
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// Automatic downloads.
@Suite struct UnaskedDownloadTests {
  @Test
  func
    `nothing is fetched unasked, unless the person has said so, and then not from strangers or the clear`()
    async throws
  {
    for limit in [0, 1_000_000] {
      let files = try await FileFixture(automaticLimit: limit)
      _ = try await files.database.roster.replaceContacts(
        [Contact(jid: FileFixture.bob, name: nil, subscription: .both)], version: nil)
      let address = "https://nowhere.invalid/rose.png"
      let eve = JID(local: "eve", domain: "example.org")
      for (file, sender) in [
        (SharedFile(address: address, byteCount: 1_000_001), FileFixture.bob),
        (SharedFile(address: address), FileFixture.bob),
        (SharedFile(address: "http://nowhere.invalid/a", byteCount: 10), FileFixture.bob),
        (SharedFile(address: address, byteCount: 11), eve),
        (SharedFile(address: address, byteCount: 10), FileFixture.bob),
      ] {
        let message = try await files.offer(file, from: sender)
        files.hub.publish(.messagesStored([message]))
      }
      // The last of them: events are received in order.
      if limit > 0 {
        #expect(await files.news.waits(upTo: .seconds(60)) { $0.count == 1 })
      }
      let begun = files.news.value.values.map { $0.byteCount }
      #expect(begun == (limit > 0 ? [10] : []))
      await files.stop()
    }
  }

  /// A server whose files are as large as the test says, whatever was announced before.
  private final class LargeFiles: FileTransporting {
    let byteCount: Int
    /// The size limit of each download.
    let limits = Observed<[Int]>([])

    init(byteCount: Int) { self.byteCount = byteCount }

    func put(
      _ descriptor: CInt, byteCount: Int, mediaType: String?, to slot: XEP0363Slot,
      onBegin: @Sendable (any TransferHolding) -> Void,
      onProgress: @escaping @Sendable (Int) -> Void
    ) async throws { throw NatterError(.refused, "error.files.noService") }

    func get(
      _ address: String, into descriptor: CInt, held: Int, validator: String?, sizeLimit: Int,
      onBegin: @Sendable (any TransferHolding) -> Void,
      onProgress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> Int {
      limits.update { $0.append(sizeLimit) }
      guard byteCount <= sizeLimit else {
        throw APIError.transport(.tooLarge(limit: sizeLimit))
      }
      let bytes = [UInt8](repeating: 7, count: byteCount)
      #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
      return byteCount
    }

    func leadsToThisMachine(_ address: String) -> Bool { false }
    func agree(to host: String) {}
    func describe(_ address: String) async throws -> RemoteFile { RemoteFile(byteCount: nil) }
  }

  @Test
  func `what is fetched unasked ends at the limit, whatever its sender said, until it is wanted`()
    async throws
  {
    let server = LargeFiles(byteCount: 50_000)
    let files = try await FileFixture(automaticLimit: 10_000, transport: server)
    _ = try await files.database.roster.replaceContacts(
      [Contact(jid: FileFixture.bob, name: nil, subscription: .both)], version: nil)
    let message = try await files.offer(
      SharedFile(
        address: "https://a.example/rose.png", byteCount: 10,
        digests: [.sha256(try FileFixture.digest([UInt8](repeating: 7, count: 50_000)))]))
    files.hub.publish(.messagesStored([message]))
    #expect(
      await files.news.waits(upTo: .seconds(60)) { $0.values.contains(where: \.state.isOver) })
    let transfer = try #require(files.news.value.values.first)
    #expect(await files.failure(of: transfer.id) == "error.http.tooLarge")
    #expect(files.contents("rose.png") == nil)
    // Somebody who wants it can have it.
    let again = try await files.queue.fetch(message, to: nil)
    #expect(again.id == transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    #expect(files.contents("rose.png")?.count == 50_000)
    #expect(server.limits.value == [10_000, .max])
    await files.stop()
  }

  @Test
  func `the limit of what is fetched unasked outlives the program, and ends when it is wanted`()
    async throws
  {
    let address = "https://nowhere.invalid/rose.png"
    let first = try await FileFixture(automaticLimit: 10_000)
    _ = try await first.database.roster.replaceContacts(
      [Contact(jid: FileFixture.bob, name: nil, subscription: .both)], version: nil)
    let message = try await first.offer(
      SharedFile(
        address: address, byteCount: 10,
        digests: [.sha256(try FileFixture.digest([UInt8](repeating: 7, count: 50_000)))]))
    first.hub.publish(.messagesStored([message]))
    #expect(await first.news.waits(upTo: .seconds(60)) { !$0.isEmpty })
    let id = try #require(first.news.value.keys.first)
    await first.stop()
    var stored = try #require(try await first.database.transfers.transfers().first)
    #expect(stored.sizeLimit == 10_000)
    stored.state = .waiting
    // The size that is announced meanwhile, or set since, does not count.
    stored.byteCount = 50_000
    try await first.database.transfers.save(stored)
    let server = LargeFiles(byteCount: 50_000)
    let second = try await FileFixture(
      database: first.database, folder: first.folder, transport: server)
    #expect(await second.failure(of: id) == "error.http.tooLarge")
    _ = try await second.queue.fetch(message, to: nil)
    #expect(await second.news.waits(upTo: .seconds(60)) { $0[id]?.state == .done })
    #expect(server.limits.value == [10_000, .max])
    await second.stop()
  }
}
