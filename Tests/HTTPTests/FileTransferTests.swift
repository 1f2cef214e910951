import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// The progress that a transfer reported to a test.
private final class Heard: Sendable {
  let all = Observed<[TransferProgress]>([])
  var control: TransferControl { TransferControl { [all] one in all.update { $0.append(one) } } }
}

/// Three million bytes, no two thousand of them alike.
private let megabytes = [UInt8](unsafeUninitializedCapacity: 3_000_000) { buffer, count in
  for index in 0..<3_000_000 {
    buffer[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8)
  }
  count = 3_000_000
}

@Suite struct FileTransferTests {
  private let transport = CurlTransport()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("http") }

  private func address(_ peer: HTTPPeer, _ target: String = "/file") throws -> WebAddress {
    try #require(WebAddress(peer.address + target))
  }

  private func open(_ name: String, _ flags: Int32) throws -> Int32 {
    let descriptor = Foundation.open(folder.path(name), flags, 0o600)
    try #require(descriptor >= 0)
    return descriptor
  }

  private func source(_ bytes: [UInt8]) throws -> Int32 {
    try Data(bytes).write(to: URL(filePath: folder.path("source")))
    return try open("source", O_RDONLY)
  }

  private func sending(
    _ bytes: [UInt8], byteCount: Int? = nil, to peer: HTTPPeer,
    limits: HTTPRequest.TimeLimits = .transfer, control: TransferControl? = nil
  ) async throws -> Result<HTTPResponse, HTTPError> {
    let file = try source(bytes)
    defer { close(file) }
    let request = HTTPRequest(
      .put, try address(peer), headers: ["Content-Type": "text/plain"],
      body: .file(descriptor: file, byteCount: byteCount ?? bytes.count), timeLimits: limits)
    do throws(HTTPError) {
      return .success(try await transport.send(request, control: control))
    } catch { return .failure(error) }
  }

  private func fetching(
    from peer: HTTPPeer, offset: Int = 0, headers: HTTPHeaders = [:], limit: Int = 1 << 30,
    held: [UInt8] = [], limits: HTTPRequest.TimeLimits = .transfer,
    control: TransferControl? = nil
  ) async throws -> (Result<HTTPResponse, HTTPError>, file: [UInt8]) {
    try Data(held).write(to: URL(filePath: folder.path("target")))
    let file = try open("target", O_RDWR)
    defer { close(file) }
    let request = HTTPRequest(
      .get, try address(peer), headers: headers,
      destination: .file(descriptor: file, offset: offset), timeLimits: limits, sizeLimit: limit)
    let result: Result<HTTPResponse, HTTPError>
    do throws(HTTPError) {
      result = .success(try await transport.send(request, control: control))
    } catch { result = .failure(error) }
    return (result, [UInt8](try Data(contentsOf: URL(filePath: folder.path("target")))))
  }

  // MARK: Sending

  @Test func `a file is sent as it is, with its length and without waiting to be asked`()
    async throws
  {
    let peer = try HTTPPeer { _ in .answer(201) }
    let heard = Heard()
    let result = try await sending(megabytes, to: peer, control: heard.control)
    #expect(try result.get().status == 201)
    let asked = try #require(peer.requests.first)
    #expect(asked.method == "PUT")
    #expect(asked.body == megabytes)
    #expect(asked.headers["expect"] == nil)
    #expect(asked.headers["transfer-encoding"] == nil)
    #expect(asked.headers["content-length"] == "3000000")
    #expect(asked.headers["content-type"] == "text/plain")
    #expect(heard.all.value.last == TransferProgress(byteCount: 3_000_000, total: 3_000_000))
  }

  @Test func `files that stall hold up no other request to their server`() async throws {
    // More than any limit of connections would be, and over plain HTTP, as the built-in server
    // speaks it.
    let peer = try HTTPPeer { request in
      request.target == "/slow" ? .stall(afterBodyBytes: 10) : .answer(201)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      let file = try source(megabytes)
      defer { close(file) }
      let slow = HTTPRequest(
        .put, try address(peer, "/slow"), body: .file(descriptor: file, byteCount: megabytes.count),
        timeLimits: .transfer)
      for number in 1...8 {
        group.addTask { [transport] in
          _ = try? await transport.send(slow, control: nil)
        }
        try #require(await peer.hears(upTo: .seconds(20)) { $0.connection == number })
      }
      let small = HTTPRequest(
        .put, try address(peer, "/small"), body: .file(descriptor: file, byteCount: 5),
        timeLimits: .init(total: .seconds(30), standstill: .seconds(30)))
      #expect(try await transport.send(small, control: nil).status == 201)
      let answer = try await transport.send(
        HTTPRequest(
          .head, try address(peer, "/small"),
          timeLimits: .init(total: .seconds(30), standstill: .seconds(30))), control: nil)
      #expect(answer.status == 201)
      group.cancelAll()
    }
  }

  @Test func `a file that has shrunk ends the request`() async throws {
    let peer = try HTTPPeer { _ in .answer(201) }
    let result = try await sending([1, 2, 3], byteCount: 10, to: peer)
    #expect(throws: HTTPError.unreadable(errno: 0)) { try result.get() }
  }

  @Test func `of a file that has grown no more is sent than was announced`() async throws {
    let peer = try HTTPPeer { _ in .answer(201) }
    let result = try await sending([1, 2, 3, 4], byteCount: 3, to: peer)
    #expect(try result.get().status == 201)
    #expect(peer.requests.first?.body == [1, 2, 3])
  }

  @Test func `a server that takes no more at nine tenths is given up`() async throws {
    let bytes = [UInt8](repeating: 7, count: 30 << 20)
    let peer = try HTTPPeer { _ in .stall(afterBodyBytes: 27 << 20) }
    let result = try await sending(
      bytes, to: peer, limits: .init(total: nil, standstill: .seconds(1)))
    #expect(throws: HTTPError.stalled(host: "127.0.0.1")) { try result.get() }
  }

  @Test func `a connection reset in the middle of a file`() async throws {
    let peer = try HTTPPeer { _ in .reset(afterBodyBytes: 1_000_000) }
    let result = try await sending([UInt8](repeating: 7, count: 30 << 20), to: peer)
    #expect(throws: HTTPError.broken(host: "127.0.0.1")) { try result.get() }
  }

  @Test func `a refusal before the file has gone is heard`() async throws {
    let peer = try HTTPPeer { _ in .early(413, body: Array("too much".utf8)) }
    let result = try await sending([UInt8](repeating: 7, count: 10 << 20), to: peer)
    let response = try result.get()
    #expect(response.status == 413)
    #expect(response.body == Array("too much".utf8))
  }

  @Test func `a yes before the file has gone is none`() async throws {
    let peer = try HTTPPeer { _ in
      .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    }
    let result = try await sending([UInt8](repeating: 7, count: 30 << 20), to: peer)
    let error = #expect(throws: HTTPError.self) { try result.get() }
    #expect(error == .incomplete(host: "127.0.0.1") || error == .broken(host: "127.0.0.1"))
  }

  // MARK: Receiving

  @Test func `a reply goes into the file`() async throws {
    let peer = try HTTPPeer { _ in .answer(200, body: megabytes) }
    let heard = Heard()
    let (result, file) = try await fetching(
      from: peer, held: Array("old, and longer than nothing".utf8), control: heard.control)
    let response = try result.get()
    #expect(response.body == [])
    #expect(response.written?.offset == 0)
    #expect(response.written?.byteCount == 3_000_000)
    #expect(file == megabytes)
    #expect(heard.all.value.last == TransferProgress(byteCount: 3_000_000, total: 3_000_000))
  }

  @Test func `an empty reply makes an empty file`() async throws {
    let peer = try HTTPPeer { _ in .answer(200) }
    let (result, file) = try await fetching(from: peer, held: [1, 2, 3])
    #expect(try result.get().written?.byteCount == 0)
    #expect(file == [])
  }

  @Test func `a part goes to its offset`() async throws {
    let peer = try HTTPPeer { _ in
      // The second number is out by one, as Prosody's is.
      .answer(206, headers: [("Content-Range", "bytes 3-6/6")], body: [4, 5, 6])
    }
    let (result, file) = try await fetching(
      from: peer, offset: 3, headers: ["Range": "bytes=3-"], held: [1, 2, 3, 9, 9, 9, 9, 9])
    #expect(try result.get().written?.offset == 3)
    #expect(file == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a server without ranges starts again from the beginning`() async throws {
    let peer = try HTTPPeer { _ in .answer(200, body: [1, 2, 3, 4]) }
    let (result, file) = try await fetching(
      from: peer, offset: 3, headers: ["Range": "bytes=3-"], held: [9, 9, 9, 9, 9, 9])
    #expect(try result.get().written?.offset == 0)
    #expect(file == [1, 2, 3, 4])
  }

  @Test(arguments: ["bytes 0-2/6", "bytes */6", "items 3-5/6", ""])
  func `a part that was not asked for changes nothing`(range: String) async throws {
    let peer = try HTTPPeer { _ in
      .answer(206, headers: [("Content-Range", range)], body: [4, 5, 6])
    }
    let (result, file) = try await fetching(from: peer, offset: 3, held: [1, 2, 3])
    guard case .failure(.wrongRange) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(file == [1, 2, 3])
  }

  @Test func `the text of a refusal does not go into the file`() async throws {
    let peer = try HTTPPeer { _ in .answer(404, body: Array("no such file".utf8)) }
    let (result, file) = try await fetching(from: peer, held: [1, 2, 3])
    let response = try result.get()
    #expect(response.body == Array("no such file".utf8))
    #expect(response.written == nil)
    #expect(file == [1, 2, 3])
  }

  @Test func `a file over the limit is refused before it is written`() async throws {
    let peer = try HTTPPeer { _ in .answer(200, body: [UInt8](repeating: 1, count: 5000)) }
    let (result, file) = try await fetching(from: peer, limit: 4999, held: [9])
    #expect(throws: HTTPError.tooLarge(limit: 4999)) { try result.get() }
    #expect(file == [9])
    let silent = try HTTPPeer { _ in
      .raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 65, count: 5000))
    }
    let (second, _) = try await fetching(from: silent, limit: 4999)
    #expect(throws: HTTPError.tooLarge(limit: 4999)) { try second.get() }
  }

  @Test func `what came before the connection broke is kept`() async throws {
    let peer = try HTTPPeer { _ in
      .raw(
        Array("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".utf8)
          + [UInt8](repeating: 5, count: 40000))
    }
    let (result, file) = try await fetching(from: peer)
    #expect(throws: HTTPError.incomplete(host: "127.0.0.1")) { try result.get() }
    #expect(file == [UInt8](repeating: 5, count: 40000))
  }

  @Test func `a full disk is reported`() async throws {
    let peer = try HTTPPeer { _ in .answer(200, body: megabytes) }
    let full = Foundation.open("/dev/full", O_RDWR)
    defer { close(full) }
    let request = HTTPRequest(
      .get, try address(peer), destination: .file(descriptor: full, offset: 0), sizeLimit: 1 << 30)
    let error = await #expect(throws: HTTPError.self) { try await transport.send(request) }
    guard case .unwritable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `the last that came before a halt is reported`() async throws {
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n".utf8)
    let body = [UInt8](repeating: 5, count: 4_000_000)
    let peer = try HTTPPeer { _ in .halting(head + body, after: head.count + 1_000_000) }
    let reported = Observed<Int>(0)
    let work = Task {
      try await fetching(
        from: peer, control: TransferControl { one in reported.update { $0 = one.byteCount } })
    }
    #expect(await reported.waits(upTo: .seconds(60)) { $0 == 1_000_000 })
    peer.go()
    _ = try await work.value
    #expect(reported.value == 4_000_000)
  }

  @Test func `a reply that stops coming is given up`() async throws {
    let peer = try HTTPPeer { _ in
      .halting(
        Array("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n".utf8)
          + [UInt8](repeating: 5, count: 2000), after: 500)
    }
    let (result, _) = try await fetching(
      from: peer, limits: .init(total: nil, standstill: .seconds(1)))
    #expect(throws: HTTPError.stalled(host: "127.0.0.1")) { try result.get() }
    peer.go()
  }

  // MARK: Pausing

  @Test func `a paused file waits and then goes on`() async throws {
    let bytes = [UInt8](repeating: 7, count: 20 << 20)
    let peer = try HTTPPeer { _ in .answer(201) }
    let heard = Heard()
    let control = heard.control
    control.pause()
    #expect(control.isPaused)
    async let result = sending(bytes, to: peer, control: control)
    // The server has accepted, and gets nothing.
    while peer.connectionCount == 0 { await Task.yield() }
    #expect(heard.all.value.allSatisfy { $0.byteCount < bytes.count })
    control.resume()
    #expect(try await result.get().status == 201)
    #expect(peer.requests.first?.body.count == bytes.count)
  }

  @Test func `a download pauses and goes on`() async throws {
    let size = 30 << 20
    let peer = try HTTPPeer { _ in .answer(200, body: [UInt8](repeating: 3, count: size)) }
    let box = Mutex<TransferControl?>(nil)
    let heard = Observed<[TransferProgress]>([])
    let control = TransferControl { progress in
      if heard.value.isEmpty { box.withLock { $0 }?.pause() }
      heard.update { $0.append(progress) }
    }
    box.withLock { $0 = control }
    async let result = fetching(from: peer, control: control)
    #expect(await heard.waits(upTo: .seconds(60)) { !$0.isEmpty })
    #expect(control.isPaused)
    #expect(heard.value.allSatisfy { $0.byteCount < size })
    control.resume()
    let (response, file) = try await result
    #expect(try response.get().status == 200)
    #expect(file.count == size)
    box.withLock { $0 = nil }
  }

  @Test func `lengths and ranges are asked for of the file itself, texts as the server likes`()
    async throws
  {
    let peer = try HTTPPeer { _ in
      .answer(200, headers: [("Content-Length", "3")], body: [1, 2, 3])
    }
    _ = try await transport.send(HTTPRequest(.head, try address(peer)), control: nil)
    _ = try await fetching(from: peer, headers: ["Range": "bytes=1-"])
    _ = try await transport.send(HTTPRequest(.get, try address(peer)), control: nil)
    let asked = peer.requests.map { $0.headers["accept-encoding"] }
    #expect(asked.prefix(2) == ["identity", "identity"])
    #expect(asked.last??.contains("gzip") == true)
  }
}
