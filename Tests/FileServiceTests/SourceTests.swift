import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// Files with several sources (XEP-0447), of which some do not return them.
@Suite struct SourceTests {
  private let rose = FileFixture.rose

  /// The reason why the first source does not return the file.
  enum Trouble: String, CaseIterable, Sendable {
    case gone, forbidden, faulty, broken, unreachable, unknownHost, clearText, another, shorter
  }

  /// An address that does not give the file, and what answers there.
  private func first(_ trouble: Trouble) throws -> (address: String, peer: HTTPPeer?) {
    func answering(_ reply: @escaping @Sendable (HTTPPeer.Request) -> HTTPPeer.Reply) throws
      -> (String, HTTPPeer?)
    {
      let peer = try HTTPPeer { reply($0) }
      return (peer.address + "/rose.png", peer)
    }
    switch trouble {
    case .gone: return try answering { _ in .answer(404) }
    case .forbidden: return try answering { _ in .answer(403) }
    case .faulty: return try answering { _ in .answer(500) }
    case .broken:
      return try answering { [rose] request in
        let head =
          "HTTP/1.1 200 OK\r\nETag: \"b\"\r\nContent-Length: \(rose.count)\r\n\r\n"
        return .raw(Array(head.utf8) + (request.method == "HEAD" ? [] : rose.prefix(100_000)))
      }
    case .unreachable: return ("http://127.0.0.1:\(try LoopbackPort.free())/rose.png", nil)
    case .unknownHost: return ("https://nowhere.invalid/rose.png", nil)
    case .clearText: return ("http://nowhere.invalid/rose.png", nil)
    case .another:
      let peer = try FileFixture.peer(rose.reversed())
      return (peer.address + "/rose.png", peer)
    case .shorter:
      let peer = try FileFixture.peer(Array(rose.prefix(1000)))
      return (peer.address + "/rose.png", peer)
    }
  }

  @Test(arguments: Trouble.allCases)
  func `where one address does not give the file the next is asked, without a pause`(
    trouble: Trouble
  ) async throws {
    let files = try await FileFixture()
    let (address, broken) = try first(trouble)
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: address, name: "rose.png", byteCount: rose.count,
        digests: [.sha256(try FileFixture.digest(rose))],
        otherAddresses: [peer.address + "/rose.png"]))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(files.contents("rose.png") == rose)
    #expect(files.names == ["rose.png"])
    #expect(files.pauses.value == [])
    if let broken { #expect(broken.requests.count <= 2) }
    // The download continues at the next source where the digest shows that it is the same file.
    if trouble == .broken {
      let range = peer.requests.last { $0.method == "GET" }?.headers["range"]
      #expect(range == "bytes=100000-")
    }
    await files.stop()
  }

  @Test func `without a digest nothing is put together of what two addresses have`() async throws {
    let files = try await FileFixture()
    // The same name for a version says nothing where somebody else gives it.
    let (other, lily) = (try FileFixture.peer(rose), [UInt8](rose.reversed()))
    let broken = try HTTPPeer { request in
      let head =
        "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(lily.count)\r\n\r\n"
      return .raw(Array(head.utf8) + (request.method == "HEAD" ? [] : lily.prefix(100_000)))
    }
    let message = try await files.offer(
      SharedFile(
        address: broken.address + "/rose.png", byteCount: rose.count,
        otherAddresses: [other.address + "/rose.png"]))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(files.contents("rose.png") == rose)
    #expect(other.requests.allSatisfy { $0.headers["range"] == nil })
    await files.stop()
  }

  @Test
  func `without a digest a server that gives some of it at a time is asked until it has given all`()
    async throws
  {
    let files = try await FileFixture()
    let peer = try HTTPPeer { [rose] request in
      let version = [("ETag", "\"v1\"")]
      guard request.method != "HEAD" else {
        return .answer(200, headers: version + [("Content-Length", "\(rose.count)")])
      }
      let start = request.headers["range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let head =
        "HTTP/1.1 \(start > 0 ? "206 Partial Content" : "200 OK")\r\nETag: \"v1\"\r\n"
        + "Content-Range: bytes \(start)-\(rose.count - 1)/\(rose.count)\r\n"
        + "Content-Length: \(rose.count - start)\r\n\r\n"
      return .raw(Array(head.utf8) + rose[start...].prefix(40_000))
    }
    let other = try FileFixture.peer([UInt8](rose.reversed()))
    let message = try await files.offer(
      SharedFile(
        address: peer.address + "/rose.png", byteCount: rose.count,
        otherAddresses: [other.address + "/rose.png"]))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(files.contents("rose.png") == rose)
    #expect(other.requests.isEmpty)
    await files.stop()
  }

  @Test func `where all fail those that may yet give it are asked again, and the others not`()
    async throws
  {
    let files = try await FileFixture()
    let gone = try HTTPPeer { _ in .answer(404) }
    let isBack = Observed(false)
    let faulty = try HTTPPeer { [rose] request in
      guard isBack.value else {
        if request.method == "GET" { isBack.update { $0 = true } }
        return request.method == "GET"
          ? .answer(503) : .answer(200, headers: [("Content-Length", "\(rose.count)")])
      }
      return request.method == "HEAD"
        ? .answer(200, headers: [("Content-Length", "\(rose.count)")]) : .answer(200, body: rose)
    }
    let message = try await files.offer(
      SharedFile(
        address: gone.address + "/rose.png", byteCount: rose.count,
        otherAddresses: [faulty.address + "/rose.png"]))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(files.contents("rose.png") == rose)
    #expect(files.pauses.value.count == 1)
    #expect(gone.requests.count == 1)
    await files.stop()
  }

  @Test func `a file that no address has fails with the clearest of their errors`() async throws {
    let files = try await FileFixture()
    let gone = try HTTPPeer { _ in .answer(404) }
    let forbidden = try HTTPPeer { _ in .answer(403) }
    let message = try await files.offer(
      SharedFile(
        address: gone.address + "/rose.png", otherAddresses: [forbidden.address + "/rose.png"]))
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.failure(of: transfer.id) == "error.http.gone")
    #expect(files.pauses.value == [])
    await files.stop()
  }

  @Test func `the other addresses outlive the program`() async throws {
    let first = try await FileFixture()
    let peer = try FileFixture.peer(rose)
    let message = try await first.offer(
      SharedFile(
        address: "https://nowhere.invalid/rose.png", name: "rose.png",
        otherAddresses: [peer.address + "/rose.png"]))
    await first.stop()
    let transfer = try await first.queue.fetch(message, to: nil)
    let second = try await FileFixture(database: first.database, folder: first.folder)
    #expect(await second.end(of: transfer.id) == .done)
    #expect(second.contents("rose.png") == rose)
    await second.stop()
  }

  @Test func `a download from the second address goes on there after a restart`() async throws {
    let first = try await FileFixture()
    let gone = try HTTPPeer { _ in .answer(404) }
    let isBroken = Observed(true)
    let second = try HTTPPeer { [rose] request in
      guard request.method != "HEAD" else {
        return .answer(
          200, headers: [("ETag", "\"v1\""), ("Content-Length", "\(rose.count)")])
      }
      if isBroken.value {
        let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(rose.count)\r\n\r\n"
        return .raw(Array(head.utf8) + rose.prefix(100_000))
      }
      guard request.headers["range"] == "bytes=100000-" else { return .answer(404) }
      return .answer(
        206,
        headers: [
          ("ETag", "\"v1\""), ("Content-Range", "bytes 100000-\(rose.count - 1)/\(rose.count)"),
        ], body: Array(rose[100_000...]))
    }
    // Without a digest, only the server and its name of the file show that the rest belongs to it.
    let message = try await first.offer(
      SharedFile(
        address: gone.address + "/rose.png", byteCount: rose.count,
        otherAddresses: [second.address + "/rose.png"]))
    let transfer = try await first.queue.fetch(message, to: nil)
    #expect(await first.failure(of: transfer.id) == "error.http.incomplete")
    await first.stop()
    isBroken.update { $0 = false }
    let asked = gone.requests.count
    let again = try await FileFixture(database: first.database, folder: first.folder)
    await again.queue.retry(transfer.id)
    #expect(await again.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    #expect(again.contents("rose.png") == rose)
    #expect(gone.requests.count == asked)
    await again.stop()
  }

  @Test func `an automatic download does not use this machine as a second address either`()
    async throws
  {
    let files = try await FileFixture(automaticLimit: 1_000_000)
    _ = try await files.database.roster.replaceContacts(
      [Contact(jid: FileFixture.bob, name: nil, subscription: .both)], version: nil)
    let peer = try FileFixture.peer(rose)
    let message = try await files.offer(
      SharedFile(
        address: "https://nowhere.invalid/rose.png", byteCount: rose.count,
        otherAddresses: [peer.address + "/rose.png"]))
    files.hub.publish(.messagesStored([message]))
    #expect(
      await files.news.waits(upTo: .seconds(60)) { $0.values.contains(where: \.state.isOver) })
    #expect(peer.requests.isEmpty)
    // Who asks for it has it from there.
    let transfer = try await files.queue.fetch(message, to: nil)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    #expect(files.contents("rose.png") == rose)
    await files.stop()
  }
}
