import API
import Foundation
import HTTP
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import FileService

@Suite struct UploadTests {
  let rose = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }

  @Test func `a file is uploaded and then offered, with everything known about it`() async throws {
    let files = try await FileFixture()
    let server = try UploadServer()
    let channel = await files.connect {
      server.slot($0, headers: [.init(name: "Authorization", value: "Bearer x")])
    }
    let path = try files.write(rose, to: "rose.png")
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    #expect(await files.end(of: transfer.id) == .done)
    let sent = try #require(await files.messages.sent.first)
    #expect(sent.to == FileFixture.bob)
    #expect(sent.originID == transfer.originID)
    #expect(sent.file.name == "rose.png")
    #expect(sent.file.mediaType == "image/png")
    #expect(sent.file.byteCount == rose.count)
    #expect(sent.file.digests.map(\.algorithm) == [.sha256])
    #expect(sent.file.digests.map(\.hexadecimal.count) == [64])
    let put = try #require(server.peer.requests.first { $0.method == "PUT" })
    #expect(put.body == rose)
    #expect(put.headers["authorization"] == "Bearer x")
    #expect(put.headers["content-type"] == "image/png")
    let request = try #require(
      await channel.requests.first { $0.first("request", XEP0363Slot.namespace) != nil })
    #expect(request.first("request", XEP0363Slot.namespace)?["size"] == "200000")
    await files.stop()
  }

  @Test func `server has it? yes: its address is used and nothing is put; no: it is put again`()
    async throws
  {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    for name in ["a.png", "b.png", "c.png"] {
      let path = try files.write(rose, to: name)
      let transfer = try await files.queue.share(path, with: FileFixture.bob)
      #expect(await files.end(of: transfer.id) == .done)
      // The server forgets it before the last one.
      if name == "b.png" { server.kept.update { $0 = [:] } }
    }
    #expect(server.peer.requests.count { $0.method == "PUT" } == 2)
    let addresses = await files.messages.sent.map(\.file.address)
    #expect(addresses.count == 3)
    #expect(addresses[0] == addresses[1])
    #expect(addresses[1] != addresses[2])
    #expect(await files.messages.sent[1].file.name == "b.png")
    await files.stop()
  }

  @Test(arguments: [true, false])
  func `server has it? only where its address still answers with the same size`(isSame: Bool)
    async throws
  {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    for name in ["a.png", "b.png"] {
      let path = try files.write(rose, to: name)
      let transfer = try await files.queue.share(path, with: FileFixture.bob)
      #expect(await files.end(of: transfer.id) == .done)
      guard name == "a.png", !isSame else { continue }
      // Something else is there by now.
      server.kept.update { kept in kept = kept.mapValues { _ in Array(rose.dropLast()) } }
    }
    #expect(server.peer.requests.count { $0.method == "HEAD" } >= 1)
    #expect(server.peer.requests.count { $0.method == "PUT" } == (isSame ? 1 : 2))
    let addresses = await files.messages.sent.map(\.file.address)
    #expect((addresses.first == addresses.last) == isSame)
    await files.stop()
  }

  @Test func `a broken connection gets another slot`() async throws {
    let count = Observed(0)
    let server = try UploadServer { [count] _ in
      if count.value < 2 {
        count.update { $0 += 1 }
        return .reset(afterBodyBytes: 100_000)
      }
      return nil
    }
    let files = try await FileFixture()
    let slots = Observed<[XEP0363Slot]>([])
    _ = await files.connect { name in
      let slot = server.slot(name)
      slots.update { $0.append(slot) }
      return slot
    }
    let path = try files.write(rose, to: "rose.png")
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(Set(slots.value.map(\.put)).count == 3)
    #expect(await files.messages.sent.count == 1)
    #expect(await files.messages.sent.first?.file.address == slots.value.last?.get)
    await files.stop()
  }

  @Test func `a server that takes no more at nine tenths is left for another slot`() async throws {
    let big = [UInt8](repeating: 7, count: 30 << 20)
    // How often it will still do that.
    let stalls = Observed(1)
    let server = try UploadServer { [stalls] request in
      // What was taken whole is asked about a second time, with its body.
      guard request.body.isEmpty, stalls.value > 0 else { return nil }
      stalls.update { $0 -= 1 }
      return .stall(afterBodyBytes: 27 << 20)
    }
    let files = try await FileFixture(standstill: .seconds(1))
    let slots = Observed<[String]>([])
    _ = await files.connect { name in
      let slot = server.slot(name)
      slots.update { $0.append(slot.put) }
      return slot
    }
    let transfer = try await files.queue.share(
      try files.write(big, to: "big.bin"), with: FileFixture.bob)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(slots.value.count >= 2 && Set(slots.value).count == slots.value.count)
    #expect(await files.messages.sent.count == 1)
    await files.stop()
  }

  /// Ends each upload as libcurl ends one that the server takes no more of, for as long as the test
  /// wants. libcurl itself needs six seconds to call one stalled, which is shown once above.
  private final class StallingTransport: FileTransporting {
    let stalls = Observed(true)
    private let web = APIClient(transport: CurlTransport())

    func put(
      _ descriptor: CInt, byteCount: Int, mediaType: String?, to slot: XEP0363Slot,
      onBegin: @Sendable (any TransferHolding) -> Void,
      onProgress: @escaping @Sendable (Int) -> Void
    ) async throws {
      if stalls.value { throw APIError.transport(.stalled(host: "127.0.0.1")) }
      try await web.put(
        descriptor, byteCount: byteCount, mediaType: mediaType, to: slot, onBegin: onBegin,
        onProgress: onProgress)
    }

    func get(
      _ address: String, into descriptor: CInt, held: Int, validator: String?, sizeLimit: Int,
      onBegin: @Sendable (any TransferHolding) -> Void,
      onProgress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> Int {
      try await web.get(
        address, into: descriptor, held: held, validator: validator, sizeLimit: sizeLimit,
        onBegin: onBegin, onProgress: onProgress)
    }

    func describe(_ address: String) async throws -> RemoteFile { try await web.describe(address) }
    func leadsToThisMachine(_ address: String) -> Bool { web.leadsToThisMachine(address) }
    func agree(to host: String) { web.agree(to: host) }
  }

  @Test func `a server that stops taking data each time is reported, and a retry begins anew`()
    async throws
  {
    let transport = StallingTransport()
    let server = try UploadServer()
    let files = try await FileFixture(transport: transport)
    let slots = Observed<[String]>([])
    _ = await files.connect { name in
      let slot = server.slot(name)
      slots.update { $0.append(slot.put) }
      return slot
    }
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    #expect(await files.failure(of: transfer.id) == "error.http.stalled")
    #expect(slots.value.count == 1 + TransferPauses.all.count)
    #expect(Set(slots.value).count == slots.value.count)
    #expect(await files.messages.sent.isEmpty)
    transport.stalls.update { $0 = false }
    await files.queue.retry(transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    #expect(slots.value.count == 2 + TransferPauses.all.count)
    #expect(await files.messages.sent.count == 1)
    await files.stop()
  }

  @Test(arguments: [
    ("a\nb\u{1B}[31m.png", "ab[31m.png"), ("\u{1B}]0;owned\u{7}x.txt", "]0;ownedx.txt"),
    ("a\u{202E}gnp.exe", "agnp.exe"), ("..\u{2066}..\u{2069}", "file"),
    ("C:\\x.dll", "C:\\x.dll"), ("-rf", "-rf"), (".hidden", ".hidden"),
    ("a b \"q\" é<>:?|*.txt", "a b \"q\" é<>:?|*.txt"), ("...", "file"),
  ])
  func `others are offered a name that is safe, whatever the file is called here`(
    name: String, safe: String
  ) async throws {
    let files = try await FileFixture()
    let server = try UploadServer()
    let channel = await files.connect { server.slot($0) }
    let path = files.folder.root.path + "/" + name
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    try #require(descriptor >= 0 && write(descriptor, "rose", 4) == 4)
    close(descriptor)
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    #expect(transfer.name == safe)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(await files.messages.sent.map(\.file.name) == [safe])
    let asked = await channel.requests.compactMap { $0.first("request", XEP0363Slot.namespace) }
    #expect(asked.map { $0["filename"] } == [safe])
    await files.stop()
  }

  @Test func `a path that goes up and down again offers the name alone`() async throws {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    try files.folder.makeFolder("deep")
    _ = try files.write(rose, to: "rose.png")
    let transfer = try await files.queue.share(
      files.folder.path("deep") + "/../rose.png", with: FileFixture.bob)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(await files.messages.sent.map(\.file.name) == ["rose.png"])
    await files.stop()
  }

  @Test(arguments: [
    (413, "error.http.noRoom"), (507, "error.http.noRoom"), (403, "error.http.forbidden"),
    (400, "error.http.status"), (302, "error.http.status"),
  ])
  func `a server that refuses the file is reported, and nothing is sent`(status: Int, key: String)
    async throws
  {
    let server = try UploadServer { _ in .answer(status, body: Array("Quota reached".utf8)) }
    let files = try await FileFixture()
    _ = await files.connect { server.slot($0) }
    let path = try files.write(rose, to: "rose.png")
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    guard case .failed(let error) = await files.end(of: transfer.id) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.key == key)
    #expect(error.arguments["words"] == "Quota reached")
    #expect(await files.messages.sent.isEmpty)
    #expect(await files.queue.transfers(in: FileFixture.bob).map(\.id) == [transfer.id])
    await files.stop()
  }

  @Test func `a failed one is tried again at the user's request`() async throws {
    let isOpen = Observed(false)
    let server = try UploadServer { [isOpen] _ in isOpen.value ? nil : .answer(413) }
    let files = try await FileFixture()
    _ = await files.connect { server.slot($0) }
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    #expect(await files.failure(of: transfer.id) == "error.http.noRoom")
    isOpen.update { $0 = true }
    await files.queue.retry(transfer.id)
    #expect(await files.news.waits(upTo: .seconds(60)) { $0[transfer.id]?.state == .done })
    #expect(await files.messages.sent.count == 1)
    await files.stop()
  }

  @Test(arguments: [200, 404, 410])
  func `a server that says yes and keeps less, or nothing, is found out`(status: Int) async throws {
    let peer = try HTTPPeer { request in
      request.method == "HEAD"
        ? .answer(status, headers: [("Content-Length", "1000")]) : .answer(201)
    }
    let files = try await FileFixture()
    _ = await files.connect { _ in
      XEP0363Slot(put: peer.address + "/a", get: peer.address + "/a")
    }
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    guard case .failed(let error)? = await files.end(of: transfer.id) else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.key == "error.files.truncated")
    #expect(error.arguments["there"] == (status == 200 ? "1000" : "0"))
    #expect(await files.messages.sent.isEmpty)
    await files.stop()
  }

  @Test(arguments: [
    ("http://example.org/a", "http://example.org/a", "error.http.clearText"),
    ("https://example.org/a", "http://example.org/a", "error.http.clearText"),
    ("file:///etc/passwd", "https://example.org/a", "error.http.address"),
    ("https://me:pw@example.org/a", "https://example.org/a", "error.http.address"),
    ("ftp://example.org/a", "https://example.org/a", "error.http.address"),
  ])
  func `a slot that is not safe is refused before a byte goes`(
    put: String, get: String, key: String
  ) async throws {
    let files = try await FileFixture()
    _ = await files.connect { _ in XEP0363Slot(put: put, get: get) }
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    // The safe half of a pair may be asked for; nobody answers at example.org/a within these tests,
    // and nobody is asked.
    #expect(await files.failure(of: transfer.id) == key)
    await files.stop()
  }

  @Test func `a redirection of what is sent is not followed`() async throws {
    let other = try HTTPPeer { _ in .answer(201) }
    let server = try UploadServer { [address = other.address] _ in
      .answer(307, headers: [("Location", address + "/elsewhere")])
    }
    let files = try await FileFixture()
    _ = await files.connect { server.slot($0) }
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    #expect(await files.failure(of: transfer.id) == "error.http.redirect")
    #expect(other.requests.isEmpty)
    await files.stop()
  }

  @Test func `a host that is not there fails after all attempts`() async throws {
    let port = try LoopbackPort.free()
    let files = try await FileFixture()
    let asked = Observed(0)
    _ = await files.connect { _ in
      asked.update { $0 += 1 }
      return XEP0363Slot(put: "http://127.0.0.1:\(port)/a", get: "http://127.0.0.1:\(port)/a")
    }
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    #expect(await files.failure(of: transfer.id) == "error.http.unreachable")
    #expect(asked.value == 1 + TransferPauses.all.count)
    await files.stop()
  }

  @Test func `a connection that ends before it is safe gets another slot, as a broken one`()
    async throws
  {
    let closing = try MisbehavingServer(.closesAtOnce)
    let files = try await FileFixture()
    let asked = Observed(0)
    _ = await files.connect { _ in
      asked.update { $0 += 1 }
      return XEP0363Slot(put: "https://\(closing.address)/a", get: "https://\(closing.address)/a")
    }
    let transfer = try await files.queue.share(
      try files.write(rose, to: "rose.png"), with: FileFixture.bob)
    #expect(await files.failure(of: transfer.id) == "error.http.handshakeBroken")
    #expect(asked.value == 1 + TransferPauses.all.count)
    await files.stop()
  }

  @Test func `the service's limit is reported before anything is sent`() async throws {
    let files = try await FileFixture()
    let channel = await files.connect(
      { _ in throw StanzaError(.cancel, .notAllowed) }, limit: 100_000)
    let path = try files.write(rose, to: "rose.png")
    let error = await #expect(throws: NatterError.self) {
      try await files.queue.share(path, with: FileFixture.bob)
    }
    #expect(error?.key == "error.files.tooLarge")
    #expect(error?.arguments == ["size": "200000", "limit": "100000"])
    #expect(await channel.requests.allSatisfy { $0.first("request", XEP0363Slot.namespace) == nil })
    await files.stop()
  }

  @Test func `a slot that is refused says why`() async throws {
    let files = try await FileFixture()
    let tooLarge = Element(
      "file-too-large", XEP0363Slot.namespace, [:],
      [Element("max-file-size", XEP0363Slot.namespace, text: "5000")])
    for (error, key) in [
      (StanzaError(.wait, .resourceConstraint, text: "Quota"), "error.files.slot"),
      (
        StanzaError(
          .wait, .resourceConstraint, text: "Quota",
          applicationCondition: Element(
            "retry", XEP0363Slot.namespace, ["stamp": "2017-12-03T23:42:05Z"])),
        "error.files.quota"
      ),
      (
        StanzaError(.modify, .notAcceptable, text: "Big", applicationCondition: tooLarge),
        "error.files.tooLarge"
      ),
    ] {
      _ = await files.connect { _ in throw error }
      let transfer = try await files.queue.share(
        try files.write(rose, to: "rose.png"), with: FileFixture.bob)
      #expect(await files.failure(of: transfer.id) == key)
    }
    await files.stop()
  }

}
