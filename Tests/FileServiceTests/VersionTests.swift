import Crypto
import Foundation
import HTTP
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// Downloads that break off while the file on the server becomes another one, or that a server ends
/// early.
@Suite struct VersionTests {
  private let rose = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 17) }
  private let lily = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 29) }

  /// A server with a file, and the properties of its answers.
  private struct UploadServer {
    var bytes: [UInt8]
    /// The header that distinguishes versions, of each version; `nil`: none does.
    var version: (name: String, value: String)?
    /// The header that replies to HEAD have instead.
    var headVersion: (name: String, value: String)?
    /// The number of bytes of the file before the connection ends; `nil`: all.
    var gives: Int?
    /// Indicates whether replies announce their length.
    var sendsLength = true
    var knowsRanges = true
  }

  private static let old: (name: String, value: String) = (
    "Last-Modified", "Sat, 21 Nov 2026 08:00:00 GMT"
  )
  private static let new: (name: String, value: String) = (
    "Last-Modified", "Sun, 22 Nov 2026 08:00:00 GMT"
  )

  /// A server that knows ranges and no `If-Range`.
  private func peer(_ server: Observed<UploadServer>) throws -> HTTPPeer {
    try HTTPPeer { request in
      let now = server.value
      var headers = [now.version].compactMap { $0 }.map { ($0.name, $0.value) }
      if request.method == "HEAD" {
        headers = [now.headVersion ?? now.version].compactMap { $0 }.map { ($0.name, $0.value) }
        if now.sendsLength { headers.append(("Content-Length", "\(now.bytes.count)")) }
        return .raw(
          Array(
            "HTTP/1.1 200 OK\r\n\(headers.map { "\($0): \($1)\r\n" }.joined())\r\n".utf8))
      }
      var start = 0
      if now.knowsRanges, let range = request.headers["range"] {
        start = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
        headers.append(
          ("Content-Range", "bytes \(start)-\(now.bytes.count - 1)/\(now.bytes.count)"))
      }
      let body = now.bytes[start...]
      if now.sendsLength { headers.append(("Content-Length", "\(body.count)")) }
      let head =
        "HTTP/1.1 \(start > 0 ? "206 Partial Content" : "200 OK")\r\n"
        + headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
      return .raw(Array(head.utf8) + body.prefix(max(0, (now.gives ?? .max) - start)))
    }
  }

  private func digest(_ bytes: [UInt8]) throws -> String {
    hex(try CryptoLibrary().hash(bytes, by: .sha256))
  }

  private func contents(_ files: FileFixture) -> [UInt8]? {
    (try? Data(contentsOf: files.folder.url("downloads/rose.png"))).map { [UInt8]($0) }
  }

  private func names(_ files: FileFixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: files.folder.path("downloads"))
  }

  private func ranges(_ peer: HTTPPeer) -> [String?] {
    peer.requests.filter { $0.method == "GET" }.map { $0.headers["range"] }
  }

  /// Fetches a file of which no attempt brings more than a third, lets the server change, and tries
  /// again.
  private func fetch(
    _ server: UploadServer, digests: [FileDigest] = [], byteCount: Int? = nil,
    then change: @Sendable (inout UploadServer) -> Void
  ) async throws -> (files: FileFixture, peer: HTTPPeer, before: Int) {
    let files = try await FileFixture()
    let server = Observed(server)
    server.update { $0.gives = 100_000 }
    let peer = try peer(server)
    let message = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", byteCount: byteCount, digests: digests))
    let transfer = try await files.queue.fetch(message, to: nil)
    guard case .failed(let error)? = await files.end(of: transfer.id) else {
      Issue.record("it did not fail")
      return (files, peer, 0)
    }
    #expect(error.retry == .automatic)
    let before = peer.requests.count { $0.method == "GET" }
    server.update {
      $0.gives = nil
      change(&$0)
    }
    await files.queue.retry(transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    await files.stop()
    return (files, peer, before)
  }

  @Test func `a part goes on where a date shows that the file is the same`() async throws {
    let (files, peer, before) = try await fetch(
      UploadServer(bytes: rose, version: Self.old, knowsRanges: true)
    ) { _ in }
    #expect(contents(files) == rose)
    #expect(ranges(peer).count == before + 1 && ranges(peer).last != .some(nil))
    #expect(peer.requests.last?.headers["if-range"] == Self.old.value)
  }

  @Test func `a part of a file with another date is thrown away`() async throws {
    let (files, peer, before) = try await fetch(UploadServer(bytes: rose, version: Self.old)) {
      [lily] in
      ($0.bytes, $0.version) = (lily, Self.new)
    }
    #expect(contents(files) == lily)
    #expect(Array(ranges(peer).dropFirst(before)) == [nil])
  }

  @Test func `a rest of another version than was asked for is thrown away`() async throws {
    // A cache still reports the old one, and the server does not know If-Range.
    let (files, peer, before) = try await fetch(UploadServer(bytes: rose, version: Self.old)) {
      [lily] in
      ($0.bytes, $0.version, $0.headVersion) = (lily, Self.new, Self.old)
    }
    #expect(contents(files) == lily)
    #expect(ranges(peer).count == before + 2 && ranges(peer).last == .some(nil))
  }

  @Test(arguments: [nil, "W/\"v1\""])
  func `where neither the server nor the sender distinguishes versions it begins anew`(
    weakTag: String?
  ) async throws {
    let (files, peer, _) = try await fetch(
      UploadServer(bytes: rose, version: weakTag.map { (name: "ETag", value: $0) })
    ) { [lily] in
      $0.bytes = lily
    }
    #expect(contents(files) == lily)
    #expect(ranges(peer).allSatisfy { $0 == nil })
  }

  @Test(arguments: [true, false])
  func `a reply that has no length and ends early is no whole file`(hasDigest: Bool) async throws {
    let (files, peer, _) = try await fetch(
      UploadServer(bytes: rose, version: Self.old, sendsLength: false),
      digests: hasDigest ? [.sha256(try digest(rose))] : [], byteCount: rose.count
    ) { _ in }
    #expect(contents(files) == rose)
    // What had come was kept.
    #expect(ranges(peer).first == .some(nil) && ranges(peer).dropFirst().allSatisfy { $0 != nil })
    #expect(try names(files) == ["rose.png"])
  }

  @Test func `a file that stays shorter than announced is not saved, however often it is tried`()
    async throws
  {
    let files = try await FileFixture()
    let peer = try peer(
      Observed(UploadServer(bytes: rose, gives: 150_000, sendsLength: false, knowsRanges: false)))
    let message = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", byteCount: rose.count))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == "error.files.incomplete")
    let failures = files.states.value.count { if case .failed = $0 { true } else { false } }
    await files.queue.retry(transfer.id)
    #expect(
      await files.states.waits(upTo: .seconds(60)) {
        $0.count { if case .failed = $0 { true } else { false } } > failures
      })
    #expect(files.news.value[transfer.id]?.byteCount == rose.count)
    #expect(contents(files) == nil)
    await files.stop()
  }

  @Test func `one that is given up at its last moment is not reported as saved`() async throws {
    let (isStoring, mayGo) = (Observed(false), Observed(false))
    let database = try await AccountDatabase.inMemory()
    let files = try await FileFixture(
      database: database,
      store: HookedTransferStore.slow(
        database.transfers, delayed: .done, isStoring: isStoring, mayGo: mayGo))
    let peer = try peer(Observed(UploadServer(bytes: rose)))
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await isStoring.waits(upTo: .seconds(60)) { $0 })
    try await files.queue.cancel(transfer.id)
    mayGo.update { $0 = true }
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id] == nil })
    let next = try await files.queue.fetch(message, to: nil)
    #expect(next.id != transfer.id)
    #expect(await files.end(of: next.id) == .done)
    // The states are collected beside the news.
    #expect(await files.states.waits(upTo: .seconds(60)) { $0.contains(.done) })
    await files.stop()
    #expect(files.states.value.count { $0 == .done } == 1)
    #expect(try names(files).count == 1)
  }

  @Test(arguments: [false, true])
  func `what lies on this machine is fetched unasked only from the built-in server`(isLocal: Bool)
    async throws
  {
    let files = try await FileFixture(automaticLimit: 1_000_000, takesOwnMachine: isLocal)
    _ = try await files.database.roster.replaceContacts(
      [Contact(jid: FileFixture.bob, name: nil, subscription: .both)], version: nil)
    let peer = try peer(Observed(UploadServer(bytes: rose)))
    for address in [
      peer.address + "/rose.png", "https://127.0.0.1:1/forged.png",
      "https://[::ffff:127.0.0.1]:1/forged.png", "https://nowhere.invalid/last.png",
    ] {
      let message = try await files.offer(SharedFile(address: address, byteCount: rose.count))
      files.hub.publish(.messagesStored([message]))
    }
    #expect(
      await files.news.waits(upTo: .seconds(60)) {
        $0.values.contains { $0.name == "last.png" }
          && (!isLocal || $0.values.contains { $0.name == "rose.png" && $0.state == .done })
      })
    #expect(files.news.value.values.contains { $0.name == "rose.png" } == isLocal)
    #expect(!files.news.value.values.contains { $0.name == "forged.png" })
    await files.stop()
  }

  @Test(arguments: [200_000, 400_000])
  func `a file of another size than its sender announced is not the described one`(reported: Int)
    async throws
  {
    let files = try await FileFixture()
    let peer = try peer(Observed(UploadServer(bytes: rose)))
    let message = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", byteCount: reported))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == "error.files.hash")
    #expect(try names(files) == [])
    await files.stop()
  }
}
