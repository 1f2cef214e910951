import Crypto
import Foundation
import TestSupport
import Testing
import XML
import XMPP

@testable import LocalServer

@Suite struct ServerUploadTests {
  @Test func `a slot is known again by its token, for its size and its time`() throws {
    let now = Observed(1000)
    let uploadSlot = UploadSlot(
      address: "http://127.0.0.1:1", crypto: CryptoLibrary(), now: { now.value })
    let slot = try uploadSlot.slot(name: "a b/ü.png", byteCount: 5)
    #expect(slot.put.hasSuffix("/a%20b%2F%C3%BC.png"))
    let id = slot.put.split(separator: "/")[3]
    let token = try #require(slot.headers.first).value
    #expect(uploadSlot.byteCount(id: id, authorization: token) == 5)
    #expect(uploadSlot.byteCount(id: "other", authorization: token) == nil)
    #expect(uploadSlot.byteCount(id: id, authorization: token + "0") == nil)
    #expect(uploadSlot.byteCount(id: id, authorization: token.replacing(".5.", with: ".6.")) == nil)
    #expect(uploadSlot.byteCount(id: id, authorization: "") == nil)
    now.update { $0 += 301 }
    #expect(uploadSlot.byteCount(id: id, authorization: token) == nil)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nA: b", "PUT /x?y HTTP/1.0", "GET / HTTP/1.1\r\nContent-Length: 5",
  ])
  func `a head is read`(text: String) { #expect(WebRequest(head: Array(text.utf8)) != nil) }

  @Test(arguments: [
    "", "GET /", "GET http://x/ HTTP/1.1", "GET / HTTP/2", "GET / HTTP/1.1\r\nrubbish",
  ])
  func `what is no head is none`(text: String) {
    #expect(WebRequest(head: Array(text.utf8)) == nil)
  }

  @Test func `what was put a month ago is removed, and nothing else`() throws {
    let folder = try TemporaryFolder("uploads")
    let now = 1_900_000_000
    func put(_ name: String, daysAgo: Double) throws {
      try folder.write("x", to: name)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(now) - daysAgo * 86_400)],
        ofItemAtPath: folder.path(name))
    }
    for (name, age) in [
      ("a1", 31.0), ("a1.type", 31), ("b2", 29), ("b2.type", 29), ("c3.part", 2), ("d4.part", 0.5),
    ] { try put(name, daysAgo: age) }
    try folder.makeFolder("kept")
    let uploadSlot = UploadSlot(address: "http://127.0.0.1:1", crypto: CryptoLibrary())
    UploadHandler(uploadSlot: uploadSlot, folder: folder.root.path).removeOld(now: now)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted() == [
        "b2", "b2.type", "d4.part", "kept",
      ])
    UploadHandler(uploadSlot: uploadSlot, folder: folder.path("nowhere")).removeOld(now: now)
  }

  /// Asks with curl, as somebody else's client would.
  private func curl(_ arguments: [String]) async throws -> String {
    try await CommandRun.check("curl", ["-sS", "-m", "20"] + arguments).text
  }

  @Test(.requires(.openssl))
  func `a file is put, and had by others, whole or in part`() async throws {
    let directory = TestServer.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try await TestServer.start(in: directory, try TestServer.settings())
    let client = try await server.client("alice")
    let answer = try await client.ask(
      "get", to: "localhost",
      Element(
        "request", XEP0363Slot.namespace,
        ["filename": "a.txt", "size": "10", "content-type": "text/plain"]))
    let slot = try #require(answer.first("slot", XEP0363Slot.namespace).flatMap { XEP0363Slot($0) })
    let header = "Authorization: " + (slot.headers.first?.value ?? "")
    let file = directory.appending(path: "source.txt").path
    try Data("0123456789".utf8).write(to: URL(filePath: file))
    func put(_ more: [String]) async throws -> String {
      try await curl(["-o", "/dev/null", "-w", "%{http_code}", "-T", file] + more + [slot.put])
    }
    #expect(try await put([]) == "401")
    try Data("01234".utf8).write(to: URL(filePath: file))
    #expect(try await put(["-H", header]) == "413")
    try Data("0123456789".utf8).write(to: URL(filePath: file))
    #expect(try await put(["-H", header, "-H", "Content-Type: text/plain"]) == "201")
    #expect(try await put(["-H", header]) == "409")
    #expect(try await curl([slot.get]) == "0123456789")
    #expect(try await curl(["-r", "7-", slot.get]) == "789")
    #expect(try await curl(["-w", "%{http_code}", "-r", "10-", slot.get]) == "416")
    let head = try await curl(["-I", slot.get])
    #expect(head.contains("Content-Length: 10") && head.contains("Content-Type: text/plain"))
    let root = slot.get.split(separator: "/").prefix(2).joined(separator: "//")
    for path in ["/", "/upload/../server.db", "/upload/zz/a", "/upload/%2e%2e/x", "/server.db"] {
      let status = try await curl(
        ["--path-as-is", "-o", "/dev/null", "-w", "%{http_code}", root + path])
      #expect(status == "404", "\(path)")
    }
    client.close()
    try await server.stop()
  }
}
