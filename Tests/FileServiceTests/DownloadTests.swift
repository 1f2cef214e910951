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

@Suite struct DownloadTests {
  private let rose = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 17) }

  private func digest(_ bytes: [UInt8]) throws -> String {
    hex(try CryptoLibrary().hash(bytes, by: .sha256))
  }

  private func contents(_ files: FileFixture, _ name: String) -> [UInt8]? {
    (try? Data(contentsOf: files.folder.url("downloads/\(name)"))).map { [UInt8]($0) }
  }

  private func names(_ files: FileFixture) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: files.folder.path("downloads"))) ?? [])
      .sorted()
  }

  /// A server that gives one file, whole or from a place on.
  private func peer(_ bytes: [UInt8], breaksAfter: Int? = nil) throws -> HTTPPeer {
    let count = Observed(0)
    return try HTTPPeer { request in
      var headers = [("Content-Type", "image/png"), ("ETag", "\"v1\"")]
      if request.method == "HEAD" {
        return .answer(200, headers: headers + [("Content-Length", "\(bytes.count)")])
      }
      if let breaksAfter, count.value == 0 {
        count.update { $0 += 1 }
        let head =
          "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(bytes.count)\r\n\r\n"
        return .raw(Array(head.utf8) + bytes.prefix(breaksAfter))
      }
      guard let range = request.headers["range"],
        let start = Int(range.dropFirst("bytes=".count).dropLast())
      else { return .answer(200, headers: headers, body: bytes) }
      headers.append(("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)"))
      return .answer(206, headers: headers, body: Array(bytes[start...]))
    }
  }

  @Test func `a file is fetched, checked and named`() async throws {
    let files = try await FileFixture()
    let peer = try peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/x/rose.png", name: "rose.png", mediaType: "image/png",
        byteCount: rose.count, digest: .sha256(try digest(rose))))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(contents(files, "rose.png") == rose)
    #expect(names(files) == ["rose.png"])
    #expect(await files.queue.localPath(of: message) == files.folder.path("downloads/rose.png"))
    // What is here already is not fetched again.
    let again = try await files.queue.fetch(message, to: nil)
    #expect(again.state == .done)
    #expect(peer.requests.count { $0.method == "GET" } == 1)
    await files.stop()
  }

  @Test func `nothing is overwritten`() async throws {
    let files = try await FileFixture()
    let peer = try peer(rose)
    try FileManager.default.createDirectory(
      at: files.folder.url("downloads"), withIntermediateDirectories: true)
    try Data([1]).write(to: files.folder.url("downloads/rose.png"))
    try FileManager.default.createSymbolicLink(
      atPath: files.folder.path("downloads/rose (2).png"), withDestinationPath: "/nowhere")
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(contents(files, "rose.png") == [1])
    #expect(contents(files, "rose (3).png") == rose)
    #expect(await files.queue.localPath(of: message)?.hasSuffix("rose (3).png") == true)
    await files.stop()
  }

  @Test(arguments: [
    ("../../etc/passwd", "passwd"), ("/etc/shadow", "shadow"), ("a\nb\u{1B}[31m.png", "ab[31m.png"),
    (".bashrc", "bashrc"), ("-rf", "rf"), ("..", "file"), ("", "file"),
    ("a\u{202E}gnp.exe", "agnp.exe"),
    ("C:\\Windows\\x.dll", "x.dll"), ("  spaced .txt ", "spaced .txt"),
    ("con:a|b?.txt", "con_a_b_.txt"),
    (String(repeating: "ä", count: 300) + ".jpg", String(repeating: "ä", count: 98) + ".jpg"),
  ])
  func `a name is made safe`(name: String, safe: String) {
    #expect(SharedFile(address: "https://a.example", name: name).safeName == safe)
  }

  @Test func `a name comes from the address where the sender gives none`() {
    let file = SharedFile(address: "https://a.example/x/photo%20one%2F..%0a.jpg?sig=a/b")
    #expect(file.safeName == ".jpg".dropFirst() || file.safeName == "jpg")
    #expect(SharedFile(address: "https://a.example/x/a%20b.jpg").safeName == "a b.jpg")
    #expect(SharedFile(address: "https://a.example/").safeName == "file")
  }

  @Test func `a broken download goes on from where it was`() async throws {
    let files = try await FileFixture()
    let peer = try peer(rose, breaksAfter: 120_000)
    let message = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", digest: .sha256(try digest(rose))))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(contents(files, "rose.png") == rose)
    let ranges = peer.requests.filter { $0.method == "GET" }.map { $0.headers["range"] }
    #expect(ranges == [nil, "bytes=120000-"])
    #expect(peer.requests.last?.headers["if-range"] == "\"v1\"")
    await files.stop()
  }

  @Test func `it goes on after a restart, too`() async throws {
    let first = try await FileFixture()
    let gone = try HTTPPeer { request in
      request.method == "HEAD"
        ? .answer(200, headers: [("ETag", "\"v1\""), ("Content-Length", "300000")])
        : .raw(
          Array("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n".utf8)
            + [UInt8](repeating: 0, count: 0), closes: false)
    }
    let message = try await first.offer(SharedFile(address: gone.address + "/rose.png"))
    let transfer = try await first.queue.fetch(message, to: nil)
    #expect(await gone.hears { $0.method == "GET" })
    await first.stop()
    // As if half of it had come.
    let name = try #require(transfer.part)
    let part = first.folder.path("downloads/.natter-\(name).part")
    try Data(rose.prefix(100_000)).write(to: URL(filePath: part))
    let peer = try peer(rose)
    var stored = try #require(try await first.database.transfers.transfers().first)
    #expect(stored.state == .waiting)
    stored.address = peer.address + "/rose.png"
    stored.validator = "\"v1\""
    try await first.database.transfers.save(stored)
    let second = try await FileFixture(database: first.database, folder: first.folder)
    #expect(await second.end(of: transfer.id) == .done)
    #expect(contents(second, "rose.png") == rose)
    #expect(peer.requests.last?.headers["range"] == "bytes=100000-")
    await second.stop()
  }

  @Test func `a part of another version is thrown away`() async throws {
    let files = try await FileFixture()
    let peer = try peer(rose)
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    try FileManager.default.createDirectory(
      at: files.folder.url("downloads"), withIntermediateDirectories: true)
    await files.stop()
    let transfer = try await files.database.transfers.add(
      FileTransfer(
        id: .init(0), direction: .download, conversation: FileFixture.bob,
        path: files.folder.path("downloads/rose.png"), name: "rose.png",
        address: peer.address + "/rose.png", message: message.id, validator: "\"v0\"",
        begun: Date(timeIntervalSince1970: 0), part: "x"))
    try Data([9, 9, 9]).write(to: files.folder.url("downloads/.natter-x.part"))
    let second = try await FileFixture(database: files.database, folder: files.folder)
    #expect(await second.end(of: transfer.id) == .done)
    await second.stop()
    #expect(contents(files, "rose.png") == rose)
  }

  @Test func `what is not what was promised is removed`() async throws {
    let files = try await FileFixture()
    let peer = try peer(rose)
    let message = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", digest: .sha256(try digest([1, 2, 3]))))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == "error.files.hash")
    #expect(names(files) == [])
    #expect(await files.queue.localPath(of: message) == nil)
    await files.stop()
  }

  @Test(arguments: [
    (FileDigest.Algorithm.sha512, HashFunction.sha512), (.sha3With256, .sha3With256),
    (.sha3With512, .sha3With512), (.blake2b512, .blake2b512),
  ])
  func `what a sender has hashed in another way is checked, too`(
    algorithm: FileDigest.Algorithm, function: HashFunction
  ) async throws {
    func digest(_ bytes: [UInt8]) throws -> FileDigest {
      FileDigest(algorithm, hex(try CryptoLibrary().hash(bytes, by: function)))
    }
    let files = try await FileFixture()
    let peer = try peer(rose)
    let wrong = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", digest: try digest([1, 2, 3])))
    let first = try await files.queue.fetch(wrong, to: nil)
    #expect(await files.failure(of: first.id) == "error.files.hash")
    #expect(names(files) == [])
    let right = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", digest: try digest(rose)))
    #expect(right.file?.digest?.algorithm == algorithm)
    let second = try await files.queue.fetch(right, to: nil)
    #expect(await files.end(of: second.id) == .done)
    #expect(contents(files, "rose.png") == rose)
    await files.stop()
  }

  @Test func `a file that the disk has no room for is not begun, and can go elsewhere`()
    async throws
  {
    let files = try await FileFixture(room: 1000)
    let peer = try peer(rose)
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
    #expect(names(files) == [])
    // Another disk, with room for it.
    let other = try await FileFixture(
      database: files.database, folder: files.folder, room: 400_000)
    let again = try await other.queue.fetch(message, to: files.folder.path("elsewhere") + "/")
    #expect(again.id == transfer.id)
    #expect(await other.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    let there = try Data(contentsOf: files.folder.url("elsewhere/rose.png"))
    #expect([UInt8](there) == rose)
    #expect(names(files) == [])
    await other.stop()
    await files.stop()
  }

  @Test(arguments: [(10 as Int?, "error.files.hash"), (nil, "error.files.endless")])
  func `what ends nowhere ends at what its sender told, or before the disk is full`(
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
    #expect(names(files) == [])
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

  @Test func `a folder that cannot be written is told`() async throws {
    let files = try await FileFixture()
    try Data([1]).write(to: files.folder.url("downloads"))
    let peer = try peer(rose)
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
    func describe(_ address: String) async throws -> RemoteFile {
      RemoteFile(byteCount: bytes.count, mediaType: nil, validator: "\"v1\"")
    }
  }

  @Test func `a disk that fills is told, what has come is kept, and it goes on once there is room`()
    async throws
  {
    let disk = SmallDisk(rose, room: 120_000)
    let files = try await FileFixture(transport: disk)
    let message = try await files.offer(
      SharedFile(address: "https://a.example/rose.png", digest: .sha256(try digest(rose))))
    let transfer = try await files.queue.fetch(message, to: nil)
    guard case .failed(let error)? = await files.end(of: transfer.id) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.key == "error.files.diskFull" && error.kind == .storage)
    // Of the file itself there is nothing yet: only its part, hidden.
    let part = ".natter-\(try #require(transfer.part)).part"
    #expect(names(files) == [part])
    #expect(contents(files, part) == Array(rose.prefix(120_000)))
    #expect(await files.queue.localPath(of: message) == nil)
    disk.room.update { $0 = .max }
    await files.queue.retry(transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    #expect(disk.held.value == [0, 120_000])
    #expect(contents(files, "rose.png") == rose)
    #expect(names(files) == ["rose.png"])
    await files.stop()
  }

  @Test func `a part that a full disk left goes when nobody wants the file any more`() async throws
  {
    let disk = SmallDisk(rose, room: 5)
    let files = try await FileFixture(transport: disk)
    let message = try await files.offer(SharedFile(address: "https://a.example/rose.png"))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == "error.files.diskFull")
    try await files.queue.cancel(transfer.id)
    #expect(names(files) == [])
    await files.stop()
  }

  @Test func `a place can be named: a folder, or a file`() async throws {
    let files = try await FileFixture()
    let peer = try peer(rose)
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    try files.folder.makeFolder("here")
    for (place, name) in [
      (files.folder.path("here"), "here/rose.png"), (files.folder.path("b.png"), "b.png"),
      (files.folder.path("new") + "/", "new/rose.png"),
    ] {
      let transfer = try await files.queue.fetch(message, to: place)
      // The second is copied from the first.
      if transfer.state != .done { #expect(await files.end(of: transfer.id) == .done) }
      #expect((try? Data(contentsOf: files.folder.url(name)))?.count == rose.count)
    }
    await files.stop()
  }

  @Test func `what is here already is copied to another place, whatever became of its server`()
    async throws
  {
    let files = try await FileFixture()
    let peer = try peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", byteCount: rose.count,
        digest: .sha256(try digest(rose))))
    let first = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: first.id) == .done)
    let asked = peer.requests.count
    let copy = try await files.queue.fetch(message, to: files.folder.path("copies/mine.png"))
    #expect(copy.state == .done)
    #expect(copy.path == files.folder.path("copies/mine.png"))
    #expect(try Data(contentsOf: files.folder.url("copies/mine.png")) == Data(rose))
    // Nothing is overwritten, and nothing else lies there.
    let second = try await files.queue.fetch(message, to: files.folder.path("copies/mine.png"))
    #expect(second.path == files.folder.path("copies/mine (2).png"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: files.folder.path("copies")).count == 2)
    #expect(peer.requests.count == asked)
    await files.stop()
  }

  @Test func `a copy that was changed here is not what was offered: it is fetched`() async throws {
    let files = try await FileFixture()
    let peer = try peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", byteCount: rose.count,
        digest: .sha256(try digest(rose))))
    let first = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: first.id) == .done)
    try Data([UInt8](repeating: 1, count: rose.count)).write(
      to: URL(filePath: files.news.value[first.id]?.path ?? ""))
    let copy = try await files.queue.fetch(message, to: files.folder.path("mine.png"))
    #expect(await files.end(of: copy.id) == .done)
    #expect(try Data(contentsOf: files.folder.url("mine.png")) == Data(rose))
    await files.stop()
  }

  @Test func `a file of which no size was told has one once it is here`() async throws {
    let files = try await FileFixture()
    let peer = try peer(rose)
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    #expect(message.file?.size == nil)
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(await files.messageNews.waits(upTo: .seconds(60)) { !$0.isEmpty })
    #expect(files.messageNews.value.map(\.id) == [message.id])
    let stored = try await files.queue.files(in: FileFixture.bob, limit: 1).first?.file
    #expect(stored?.size == rose.count)
    // What its sender told it was not.
    #expect(stored?.byteCount == nil)
    #expect(try await files.database.transfers.totals(of: FileFilter()).byteCount == rose.count)
    await files.stop()
  }

  @Test func `one that is cancelled leaves nothing`() async throws {
    let files = try await FileFixture()
    let peer = try HTTPPeer { request in
      request.method == "HEAD"
        ? .answer(200, headers: [("Content-Length", "1000")])
        : .raw(
          Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc".utf8), closes: false)
    }
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await peer.hears { $0.method == "GET" })
    try await files.queue.cancel(transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id] == nil })
    await files.stop()
    #expect(names(files) == [])
    #expect(try await files.database.transfers.transfers().isEmpty)
  }

  // MARK: Unasked

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
      // The last of them: what is told is taken in order.
      if limit > 0 {
        #expect(await files.news.waits(upTo: .seconds(60)) { $0.count == 1 })
      }
      let begun = files.news.value.values.map { $0.byteCount }
      #expect(begun == (limit > 0 ? [10] : []))
      await files.stop()
    }
  }

  /// A server whose files are as large as the test says, whatever was told of them before.
  private final class LargeFiles: FileTransporting {
    let byteCount: Int
    /// What each download was limited to.
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
        digest: .sha256(try digest([UInt8](repeating: 7, count: 50_000)))))
    files.hub.publish(.messagesStored([message]))
    #expect(
      await files.news.waits(upTo: .seconds(60)) { $0.values.contains(where: \.state.isOver) })
    let transfer = try #require(files.news.value.values.first)
    #expect(await files.failure(of: transfer.id) == "error.http.tooLarge")
    #expect(contents(files, "rose.png") == nil)
    // Somebody who wants it can have it.
    let again = try await files.queue.fetch(message, to: nil)
    #expect(again.id == transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    #expect(contents(files, "rose.png")?.count == 50_000)
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
        digest: .sha256(try digest([UInt8](repeating: 7, count: 50_000)))))
    first.hub.publish(.messagesStored([message]))
    #expect(await first.news.waits(upTo: .seconds(60)) { !$0.isEmpty })
    let id = try #require(first.news.value.keys.first)
    await first.stop()
    var stored = try #require(try await first.database.transfers.transfers().first)
    #expect(stored.sizeLimit == 10_000)
    stored.state = .waiting
    // What is told of it while it comes, or set since, does not count.
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
