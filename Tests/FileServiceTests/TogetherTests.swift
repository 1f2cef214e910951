import Foundation
import MessagingService
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import FileService

/// Files that are sent together, and what goes with them.
@Suite struct TogetherTests {
  /// A server that keeps what is put; the files of some names never get an answer.
  private final class UploadServer: Sendable {
    let kept = Observed<[String: [UInt8]]>([:])
    /// Names of files that are to wait.
    let held: Observed<Set<String>>
    let peer: HTTPPeer

    init(holding names: Set<String> = []) throws {
      let held = Observed(names)
      self.held = held
      peer = try HTTPPeer { [kept] request in
        switch request.method {
        case "PUT":
          let name = String(request.target.split(separator: "/").last ?? "")
          if held.value.contains(name) { return .stall() }
          kept.update { $0[request.target] = request.body }
          return .answer(201)
        case "HEAD":
          guard let bytes = kept.value[request.target] else { return .answer(404) }
          return .answer(200, headers: [("Content-Length", "\(bytes.count)")])
        default: return .answer(404)
        }
      }
    }

    func slot(_ name: String) -> XEP0363Slot {
      let url = "\(peer.address)/\(UInt32.random(in: 0 ... .max))/\(name)"
      return XEP0363Slot(put: url, get: url, headers: [])
    }
  }

  private func ids(_ results: [Result<FileTransfer, NatterError>]) throws -> [FileTransfer] {
    try results.map { try $0.get() }
  }

  @Test func `files that are sent together are offered in the order in which they were named`()
    async throws
  {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    // The first are the largest: they are there last.
    let sizes = [3_000_000, 1_000_000, 300_000, 10, 9, 8, 7, 6, 5, 4]
    var paths: [String] = []
    for size in sizes {
      paths.append(
        try files.write((0..<size).map { UInt8(truncatingIfNeeded: $0) }, to: "t\(size)"))
    }
    let sent = try ids(await files.queue.share(paths, with: FileFixture.bob))
    for transfer in sent { #expect(await files.end(of: transfer.id) == .done) }
    #expect(await files.messages.sent.map(\.file.byteCount) == sizes)
    await files.stop()
  }

  @Test func `one that fails or is held keeps those behind it no longer`() async throws {
    let files = try await FileFixture(standstill: .milliseconds(300))
    let server = try UploadServer(holding: ["a"])
    _ = await files.connect { server.slot($0) }
    let paths = try ["a", "b"].map { try files.write(Array($0.utf8), to: $0) }
    let sent = try ids(await files.queue.share(paths, with: FileFixture.bob))
    guard case .failed = await files.end(of: sent[0].id) else {
      Issue.record("it did not fail")
      return
    }
    #expect(await files.end(of: sent[1].id) == .done)
    await files.stop()
  }

  @Test func `a transfer that waits for those before it does not wake the others that do`()
    async throws
  {
    let files = try await FileFixture()
    let server = try UploadServer(holding: ["a"])
    _ = await files.connect { server.slot($0) }
    let paths = try ["a", "b", "c", "d"].map { try files.write(Array($0.utf8), to: $0) }
    let sent = try ids(await files.queue.share(paths, with: FileFixture.bob))
    try await until { await files.queue.inOrder.count == 3 }
    // One more who waits is not woken by another that begins to.
    let (slots, slot) = AsyncStream<Void>.makeStream()
    await files.queue.wait(with: slot)
    await files.queue.admit(sent[1].id, .resting)
    #expect(await files.queue.inOrder.count == 4)
    server.held.update { $0 = [] }
    try await files.queue.cancel(sent[0].id)
    for await _ in slots {}
    for transfer in sent.dropFirst() { #expect(await files.end(of: transfer.id) == .done) }
    await files.stop()
  }

  @Test func `what is named twice goes up once`() async throws {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let paths = try ["one", "two", "three"].map { try files.write(bytes, to: $0) }
    let sent = try ids(await files.queue.share(paths, with: FileFixture.bob))
    for transfer in sent { #expect(await files.end(of: transfer.id) == .done) }
    #expect(server.peer.requests.count { $0.method == "PUT" } == 1)
    let offered = await files.messages.sent.map(\.file)
    #expect(Set(offered.map(\.address)).count == 1)
    #expect(offered.map(\.name) == ["one", "two", "three"])
    await files.stop()
  }

  @Test func `one that cannot be sent is reported, and the others go`() async throws {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    let path = try files.write([1], to: "one")
    let results = await files.queue.share(
      [files.folder.path("none"), path], with: FileFixture.bob)
    #expect(throws: NatterError.self) { try results[0].get() }
    #expect(await files.end(of: try results[1].get().id) == .done)
    await files.stop()
  }

  @Test func `a text follows its own file directly`() async throws {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    var sent: [FileTransfer] = []
    for number in 1...6 {
      let path = try files.write([UInt8(number)], to: "f\(number)")
      sent.append(
        try await files.queue.share(path, with: FileFixture.bob, text: "w\(number)"))
    }
    for transfer in sent { #expect(await files.end(of: transfer.id) == .done) }
    let order = await files.messages.order
    #expect(order.count == 12)
    for (index, id) in order.enumerated() where !id.hasSuffix("-words") {
      #expect(order[index + 1] == id + "-words")
    }
    await files.stop()
  }

  @Test func `a server that says when to come again is not asked before`() async throws {
    let count = Observed(0)
    let kept = Observed(0)
    let peer = try HTTPPeer { request in
      switch request.method {
      case "PUT":
        // It is asked before the body, too.
        if request.body.isEmpty { return .answer(201) }
        count.update { $0 += 1 }
        if count.value == 1 { return .answer(503, headers: [("Retry-After", "7")]) }
        if count.value == 2 { return .answer(503, headers: [("Retry-After", "1")]) }
        kept.update { $0 = request.body.count }
        return .answer(201)
      default: return .answer(200, headers: [("Content-Length", "\(kept.value)")])
      }
    }
    let files = try await FileFixture()
    _ = await files.connect { name in
      let url = "\(peer.address)/\(name)"
      return XEP0363Slot(put: url, get: url, headers: [])
    }
    let path = try files.write([1, 2, 3], to: "rose")
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(files.pauses.value == [.seconds(7), .seconds(4)])
    await files.stop()
  }

  @Test func `a picture is offered with its width and height`() async throws {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    let picture =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 2, 0x80, 0, 0, 1, 0xE0] + [UInt8](repeating: 7, count: 40)
    let path = try files.write(picture, to: "rose.png")
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    #expect(await files.end(of: transfer.id) == .done)
    let file = try #require(await files.messages.sent.first?.file)
    #expect(file.width == 640)
    #expect(file.height == 480)
    let metadata = FilePayload.encode(file).first?.first("file", XEP0447FileSharing.metadata)
    #expect(metadata?.first("width", XEP0447FileSharing.metadata)?.text == "640")
    #expect(metadata?.first("height", XEP0447FileSharing.metadata)?.text == "480")
    await files.stop()
  }
}

extension TransferQueue {
  fileprivate func wait(with slot: AsyncStream<Void>.Continuation) { inOrder.append(slot) }
}
