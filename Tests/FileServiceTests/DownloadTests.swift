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
  private let rose = FileFixture.rose

  @Test func `a file is fetched, checked and named`() async throws {
    let files = try await FileFixture()
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/x/rose.png", name: "rose.png", mediaType: "image/png",
        byteCount: rose.count, digests: [.sha256(try FileFixture.digest(rose))]))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(files.contents("rose.png") == rose)
    #expect(files.names == ["rose.png"])
    #expect(await files.queue.localPath(of: message) == files.folder.path("downloads/rose.png"))
    // What is here already is not fetched again.
    let again = try await files.queue.fetch(message, to: nil)
    #expect(again.state == .done)
    #expect(peer.requests.count { $0.method == "GET" } == 1)
    await files.stop()
  }

  @Test func `nothing is overwritten`() async throws {
    let files = try await FileFixture()
    let peer = try FileFixture.peer(rose)
    try FileManager.default.createDirectory(
      at: files.folder.url("downloads"), withIntermediateDirectories: true)
    try Data([1]).write(to: files.folder.url("downloads/rose.png"))
    try FileManager.default.createSymbolicLink(
      atPath: files.folder.path("downloads/rose (2).png"), withDestinationPath: "/nowhere")
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(files.contents("rose.png") == [1])
    #expect(files.contents("rose (3).png") == rose)
    #expect(await files.queue.localPath(of: message)?.hasSuffix("rose (3).png") == true)
    await files.stop()
  }

  @Test(arguments: [
    ("../../etc/passwd", "passwd"), ("/etc/shadow", "shadow"), ("a\nb\u{1B}[31m.png", "ab[31m.png"),
    (".bashrc", "bashrc"), ("-rf", "rf"), ("..", "file"), ("", "file"),
    ("a\u{202E}gnp.exe", "agnp.exe"),
    ("C:\\Windows\\x.dll", "x.dll"), ("  spaced .txt ", "spaced .txt"),
    ("con:a|b?.txt", "con_a_b_.txt"),
    // A scalar that forms one character with the one before it.
    ("x/\u{200C}../\u{200C}../\u{200C}evil.desktop", "evil.desktop"),
    ("..\\\u{E0041}..\\\u{E0041}evil", "evil"), ("a/\u{301}b.png", "b.png"),
    ("-\u{301}rf", "rf"), (".\u{301}bashrc", "bashrc"), ("/\u{200D}/\u{20DD}", "file"),
    (String(repeating: "ä", count: 300) + ".jpg", String(repeating: "ä", count: 98) + ".jpg"),
  ])
  func `a name is made safe`(name: String, safe: String) {
    #expect(SharedFile(address: "https://a.example", name: name).safeName == safe)
  }

  @Test func `a file whose name begins with a mark is in its folder`() {
    let target = TargetFile(path: "/tmp/downloads/\u{301}x.png", part: "1")
    #expect(target.folder == "/tmp/downloads")
    #expect(target.partPath == "/tmp/downloads/.natter-1.part")
  }

  @Test func `a folder whose name begins with a mark is made in its parent`() throws {
    let folder = try TemporaryFolder("marks")
    let target = TargetFile(path: folder.path("new") + "/\u{301}x/rose.png", part: "1")
    close(try target.openPart().descriptor)
    #expect(access(target.partPath, F_OK) == 0 && access(folder.path("new"), F_OK) == 0)
  }

  @Test func `a name comes from the address where the sender gives none`() {
    let file = SharedFile(address: "https://a.example/x/photo%20one%2F..%0a.jpg?sig=a/b")
    #expect(file.safeName == ".jpg".dropFirst() || file.safeName == "jpg")
    #expect(SharedFile(address: "https://a.example/x/a%20b.jpg").safeName == "a b.jpg")
    #expect(SharedFile(address: "https://a.example/").safeName == "file")
  }

  @Test func `a broken download goes on from where it was`() async throws {
    let files = try await FileFixture()
    let peer = try FileFixture.peer(rose, breaksAfter: 120_000)
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", digests: [.sha256(try FileFixture.digest(rose))])
    )
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(files.contents("rose.png") == rose)
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
    let peer = try FileFixture.peer(rose)
    var stored = try #require(try await first.database.transfers.transfers().first)
    #expect(stored.state == .waiting)
    stored.address = peer.address + "/rose.png"
    stored.validator = "\"v1\""
    try await first.database.transfers.save(stored)
    let second = try await FileFixture(database: first.database, folder: first.folder)
    #expect(await second.end(of: transfer.id) == .done)
    #expect(second.contents("rose.png") == rose)
    #expect(peer.requests.last?.headers["range"] == "bytes=100000-")
    await second.stop()
  }

  @Test func `a part of another version is thrown away`() async throws {
    let files = try await FileFixture()
    let peer = try FileFixture.peer(rose)
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
    #expect(files.contents("rose.png") == rose)
  }

  @Test func `what is not what was promised is removed`() async throws {
    let files = try await FileFixture()
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", digests: [.sha256(try FileFixture.digest([1, 2, 3]))]))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == "error.files.hash")
    #expect(files.names == [])
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
    let peer = try FileFixture.peer(rose)
    let wrong = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", digests: [try digest([1, 2, 3])]))
    let first = try await files.queue.fetch(wrong, to: nil)
    #expect(await files.failure(of: first.id) == "error.files.hash")
    #expect(files.names == [])
    let right = try await files.offer(
      SharedFile(address: peer.address + "/rose.png", digests: [try digest(rose)]))
    #expect(right.file?.digests.map(\.algorithm) == [algorithm])
    let second = try await files.queue.fetch(right, to: nil)
    #expect(await files.end(of: second.id) == .done)
    #expect(files.contents("rose.png") == rose)
    await files.stop()
  }

  @Test func `a destination can be named: a folder, or a file`() async throws {
    let files = try await FileFixture()
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    try files.folder.makeFolder("here")
    for (position, name) in [
      (files.folder.path("here"), "here/rose.png"), (files.folder.path("b.png"), "b.png"),
      (files.folder.path("new") + "/", "new/rose.png"),
    ] {
      let transfer = try await files.queue.fetch(message, to: position)
      // The second is copied from the first.
      if transfer.state != .done { #expect(await files.end(of: transfer.id) == .done) }
      #expect((try? Data(contentsOf: files.folder.url(name)))?.count == rose.count)
    }
    await files.stop()
  }

  @Test func `a file that is here already is copied elsewhere, whatever became of its server`()
    async throws
  {
    let files = try await FileFixture()
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", byteCount: rose.count,
        digests: [.sha256(try FileFixture.digest(rose))]))
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
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", byteCount: rose.count,
        digests: [.sha256(try FileFixture.digest(rose))]))
    let first = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: first.id) == .done)
    try Data([UInt8](repeating: 1, count: rose.count)).write(
      to: URL(filePath: files.news.value[first.id]?.path ?? ""))
    let copy = try await files.queue.fetch(message, to: files.folder.path("mine.png"))
    #expect(await files.end(of: copy.id) == .done)
    #expect(try Data(contentsOf: files.folder.url("mine.png")) == Data(rose))
    await files.stop()
  }

  @Test func `a file without an announced size has one once it is here`() async throws {
    let files = try await FileFixture()
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(SharedFile(address: peer.address + "/rose.png"))
    #expect(message.file?.size == nil)
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(await files.messageNews.waits(upTo: .seconds(60)) { !$0.isEmpty })
    #expect(files.messageNews.value.map(\.id) == [message.id])
    let stored = try await files.queue.files(in: FileFixture.bob, limit: 1).first?.file
    #expect(stored?.size == rose.count)
    // It differs from the sender's description.
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
    #expect(files.names == [])
    #expect(try await files.database.transfers.transfers().isEmpty)
  }
}
