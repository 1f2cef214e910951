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

/// The stored part of an incomplete file, and its continuation.
@Suite struct PartTests {
  private let rose = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 17) }
  private let lily = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 29) }

  private func digest(_ bytes: [UInt8]) throws -> String {
    hex(try CryptoLibrary().hash(bytes, by: .sha256))
  }

  private func contents(_ files: FileFixture, _ name: String) -> [UInt8]? {
    (try? Data(contentsOf: files.folder.url("downloads/\(name)"))).map { [UInt8]($0) }
  }

  private func names(_ files: FileFixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: files.folder.path("downloads")).sorted()
  }

  /// A server that returns ranges, reports no versions, and interrupts every download as long as it
  /// is configured to.
  private func peer(_ bytes: [UInt8], breaks: Observed<Bool>, knowsHead: Bool = true) throws
    -> HTTPPeer
  {
    try HTTPPeer { request in
      if request.method == "HEAD" {
        return knowsHead
          ? .answer(200, headers: [("Content-Length", "\(bytes.count)")]) : .answer(405)
      }
      if breaks.value {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n"
        return .raw(Array(head.utf8) + bytes.prefix(100_000))
      }
      guard let range = request.headers["range"],
        let start = Int(range.dropFirst("bytes=".count).dropLast())
      else { return .answer(200, body: bytes) }
      guard start < bytes.count else {
        return .answer(416, headers: [("Content-Range", "bytes */\(bytes.count)")])
      }
      return .answer(
        206, headers: [("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")],
        body: Array(bytes[start...]))
    }
  }

  @Test(arguments: [404, 403, 500]) func `of a download that brings nothing nothing stays`(
    status: Int
  ) async throws {
    let peer = try HTTPPeer { _ in .answer(status) }
    let files = try await FileFixture()
    let target = TargetFile(path: files.folder.path("downloads/rose.png"), part: "one")
    let downloader = Downloader(
      transport: APIClient(transport: CurlTransport()),
      checksums: Checksums(crypto: CryptoLibrary()), sleep: { _ in },
      room: { _ in nil })
    await #expect(throws: NatterError.self) {
      try await downloader.fetch(
        from: [peer.address + "/rose.png"], to: target, expected: [],
        held: Downloader.Held(source: peer.address + "/rose.png", validator: nil),
        onVersion: { _ in }, onBegin: { _ in }, onProgress: { _, _ in })
    }
    #expect(try names(files) == [])
  }

  /// Stores a download of which `held` is here, as a run of the program before left it.
  private func leave(
    _ held: [UInt8], of address: String, digests: [FileDigest], in files: FileFixture
  ) async throws -> FileTransfer {
    try FileManager.default.createDirectory(
      at: files.folder.url("downloads"), withIntermediateDirectories: true)
    let stored = try await files.database.transfers.add(
      FileTransfer(
        id: .init(0), direction: .download, conversation: FileFixture.bob,
        path: files.folder.path("downloads/rose.png"), name: "rose.png", digests: digests,
        address: address, begun: Date(timeIntervalSince1970: 0), part: "x"))
    try Data(held).write(to: files.folder.url("downloads/.natter-x.part"))
    return stored
  }

  @Test func `another part than the one that was asked for has the whole fetched anew`()
    async throws
  {
    let before = try await past()
    let bytes = rose
    let peer = try HTTPPeer { request in
      if request.method == "HEAD" {
        return .answer(200, headers: [("Content-Length", "\(bytes.count)")])
      }
      guard request.headers["range"] != nil else { return .answer(200, body: bytes) }
      return .answer(
        206, headers: [("Content-Range", "bytes 0-999/\(bytes.count)")], body: Array(bytes[..<1000])
      )
    }
    let left = try await leave(
      Array(bytes[..<100_000]), of: peer.address + "/rose.png",
      digests: [.sha256(try digest(bytes))],
      in: before)
    let files = try await FileFixture(database: before.database, folder: before.folder)
    await files.queue.load()
    #expect(await files.end(of: left.id) == .done)
    #expect(contents(files, "rose.png") == bytes)
    #expect(
      peer.requests.filter { $0.method == "GET" }.map { $0.headers["range"] != nil } == [
        true, false,
      ])
    await files.stop()
  }

  /// One that has ended, with what it left.
  private func past() async throws -> FileFixture {
    let files = try await FileFixture()
    await files.stop()
    return files
  }

  @Test func `two accounts that share a folder do not share a part`() async throws {
    let breaks = Observed(true)
    let (roses, lilies) = (try peer(rose, breaks: breaks), try peer(lily, breaks: breaks))
    let alice = try await FileFixture()
    let other = try await FileFixture(folder: alice.folder)
    let first = try await alice.queue.fetch(
      try await alice.offer(
        SharedFile(address: roses.address + "/rose.png", digests: [.sha256(try digest(rose))])),
      to: nil)
    let second = try await other.queue.fetch(
      try await other.offer(
        SharedFile(address: lilies.address + "/lily.png", digests: [.sha256(try digest(lily))])),
      to: nil)
    #expect(first.id == second.id)
    for (files, transfer) in [(alice, first), (other, second)] {
      #expect(await files.failure(of: transfer.id) == "error.http.incomplete")
      await files.stop()
    }
    #expect(try names(alice).count == 2)
    breaks.update { $0 = false }
    for (files, transfer, name) in [(alice, first, "rose"), (other, second, "lily")] {
      let again = try await FileFixture(database: files.database, folder: files.folder)
      await again.queue.retry(transfer.id)
      #expect(await again.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
      #expect(contents(again, "\(name).png") == (name == "rose" ? rose : lily))
      await again.stop()
    }
    for peer in [roses, lilies] {
      #expect(peer.requests.last?.headers["range"] == "bytes=100000-")
    }
    #expect(try names(alice) == ["lily.png", "rose.png"])
  }

  @Test(arguments: [true, false])
  func `a server that has no more than is here has it whole, or is asked for all of it`(
    isWhole: Bool
  ) async throws {
    let peer = try peer(rose, breaks: Observed(false), knowsHead: false)
    let files = try await past()
    let stored = try await leave(
      isWhole ? rose : lily + lily, of: peer.address + "/rose.png",
      digests: [.sha256(try digest(rose))],
      in: files)
    let again = try await FileFixture(database: files.database, folder: files.folder)
    #expect(await again.end(of: stored.id) == .done)
    #expect(contents(again, "rose.png") == rose)
    let ranges = peer.requests.filter { $0.method == "GET" }.map { $0.headers["range"] }
    #expect(ranges == (isWhole ? ["bytes=300000-"] : ["bytes=600000-", nil]))
    await again.stop()
  }
}
