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

/// Downloads that the disk, the server or the address does not let come.
@Suite struct DownloadTroubleTests {
  private let rose = FileFixture.rose

  @Test func `a file that the disk has no room for is not begun, and can go elsewhere`()
    async throws
  {
    let files = try await FileFixture(room: 1000)
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", byteCount: rose.count))
    let transfer = try await files.queue.fetch(message, to: nil)
    guard case .failed(let error)? = await files.end(of: transfer.id) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.key == "error.files.noRoom" && error.kind == .storage)
    #expect(error.arguments["free"] == "1000" && error.arguments["size"] == "300000")
    #expect(error.arguments["folder"] == files.folder.path("downloads"))
    #expect(peer.requests.allSatisfy { $0.method == "HEAD" })
    #expect(files.names == [])
    // Another disk, with room for it.
    let other = try await FileFixture(
      database: files.database, folder: files.folder, room: 400_000)
    let again = try await other.queue.fetch(message, to: files.folder.path("elsewhere") + "/")
    #expect(again.id == transfer.id)
    #expect(await other.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    let there = try Data(contentsOf: files.folder.url("elsewhere/rose.png"))
    #expect([UInt8](there) == rose)
    #expect(files.names == [])
    await other.stop()
    await files.stop()
  }

  @Test(arguments: [(10 as Int?, "error.files.hash"), (nil, "error.files.endless")])
  func `an endless download ends at the announced size, or before the disk is full`(
    promised: Int?, key: String
  ) async throws {
    let files = try await FileFixture(room: 100_000)
    let silent = try HTTPPeer { [rose] request in
      request.method == "HEAD"
        ? .answer(405) : .raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + rose, closes: false)
    }
    let message = try await files.offer(
      SharedFile(address: silent.address + "/rose.png", byteCount: promised))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == key)
    #expect(files.names == [])
    await files.stop()
  }

  @Test func `a file of more than 4 GiB is fetched like any other`() async throws {
    let length = 5 << 30
    let peer = try HTTPPeer { request in
      request.method == "HEAD"
        ? .answer(200, headers: [("ETag", "\"v1\""), ("Content-Length", "\(length)")])
        : .raw(
          Array("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(length)\r\n\r\nrose".utf8),
          closes: false)
    }
    let files = try await FileFixture(room: 6 << 30)
    let message = try await files.offer(
      SharedFile(address: peer.address + "/rose.iso", byteCount: length))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.progress == 4 })
    #expect(files.news.value[transfer.id]?.byteCount == length)
    try await files.queue.cancel(transfer.id)
    await files.stop()
  }

  @Test(arguments: [
    ("http://example.org/a", "error.http.clearText"),
    ("https://u:p@example.org/a", "error.http.address"),
  ])
  func `an address that is not safe is not asked`(address: String, key: String) async throws {
    let files = try await FileFixture()
    let message = try await files.offer(SharedFile(address: address))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == key)
    await files.stop()
  }

  @Test func `a part that goes while it is fetched leaves no empty file in its name`() async throws
  {
    let folder = try TemporaryFolder("parts")
    let target = TargetFile(path: folder.path("rose.png"), part: "p")
    let (descriptor, _) = try target.openPart()
    close(descriptor)
    target.removePart()
    #expect(throws: NatterError.self) { try target.finish() }
    #expect(folder.files == [])
  }

  @Test func `a folder that cannot be written is reported`() async throws {
    let files = try await FileFixture()
    try Data([1]).write(to: files.folder.url("downloads"))
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == "error.files.unwritable")
    await files.stop()
  }

  /// Writes what fits on a disk that is full after some bytes, until there is room.
  private final class SmallDisk: FileTransporting {
    let bytes: [UInt8]
    let room: Observed<Int>
    let held = Observed<[Int]>([])

    init(_ bytes: [UInt8], room: Int) {
      self.bytes = bytes
      self.room = Observed(room)
    }

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
      self.held.update { $0.append(held) }
      let end = min(bytes.count, room.value)
      if end > held {
        let part = Array(bytes[held..<end])
        #expect(pwrite(descriptor, part, part.count, off_t(held)) == part.count)
      }
      onProgress(end, bytes.count)
      guard end == bytes.count else {
        throw APIError.transport(.unwritable(errno: ENOSPC))
      }
      return end
    }

    func leadsToThisMachine(_ address: String) -> Bool { false }
    func agree(to host: String) {}
    func describe(_ address: String) async throws -> RemoteFile {
      RemoteFile(byteCount: bytes.count, mediaType: nil, validator: "\"v1\"")
    }
  }

  @Test
  func `a disk that fills is reported, what has come is kept, and it goes on once there is room`()
    async throws
  {
    let disk = SmallDisk(rose, room: 120_000)
    let files = try await FileFixture(transport: disk)
    let message = try await files.offer(
      SharedFile(
        address: "https://a.example/rose.png", digests: [.sha256(try FileFixture.digest(rose))]))
    let transfer = try await files.queue.fetch(message, to: nil)
    guard case .failed(let error)? = await files.end(of: transfer.id) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.key == "error.files.diskFull" && error.kind == .storage)
    // Of the file itself there is nothing yet: only its part, hidden.
    let part = ".natter-\(try #require(transfer.part)).part"
    #expect(files.names == [part])
    #expect(files.contents(part) == Array(rose.prefix(120_000)))
    #expect(await files.queue.localPath(of: message) == nil)
    disk.room.update { $0 = .max }
    await files.queue.retry(transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    #expect(disk.held.value == [0, 120_000])
    #expect(files.contents("rose.png") == rose)
    #expect(files.names == ["rose.png"])
    await files.stop()
  }

  @Test func `a part that a full disk left is removed when the file is cancelled`() async throws {
    let disk = SmallDisk(rose, room: 5)
    let files = try await FileFixture(transport: disk)
    let message = try await files.offer(SharedFile(address: "https://a.example/rose.png"))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == "error.files.diskFull")
    try await files.queue.cancel(transfer.id)
    #expect(files.names == [])
    await files.stop()
  }
}
