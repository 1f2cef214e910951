import Foundation
import NatterCore
import Testing
import XMPP

@testable import Storage

@Suite struct TransferStoreTests {
  private let bob = JID(local: "bob", domain: "example.org", resource: nil)

  private func transfer(_ state: FileTransfer.TransferStatus) -> FileTransfer {
    FileTransfer(
      id: .init(0), direction: .upload, conversation: bob, path: "/tmp/a b", name: "a b",
      mediaType: "text/plain", byteCount: 5, digests: [.sha256("ab")], address: "https://x/y",
      service: JID(local: nil, domain: "upload.example.org", resource: nil), message: .init(3),
      originID: "o", state: state, validator: "\"t\"", begun: Date(timeIntervalSince1970: 7))
  }

  @Test func `all that is known of a transfer comes back`() async throws {
    let store = try await AccountDatabase.inMemory().transfers
    let failure = NatterError(
      .refused, "error.files.slot", ["reason": "a\nb", "size": "", "x": "=\\"])
    for state: FileTransfer.TransferStatus in [.waiting, .paused, .done, .failed(failure)] {
      let added = try await store.add(transfer(state))
      #expect(try await store.transfers().last?.id == added.id)
      var expected = transfer(state)
      guard let read = try await store.transfers().last else { continue }
      if case .failed(let error) = read.state {
        #expect(error.key == failure.key)
        #expect(error.arguments == ["reason": "a b", "size": "", "x": "=\\"])
        expected.state = read.state
      }
      #expect(read.path == expected.path && read.digests == expected.digests)
      #expect(read.state == expected.state && read.validator == expected.validator)
      #expect(read.service == expected.service && read.message == expected.message)
      #expect(read.begun == expected.begun && read.originID == expected.originID)
    }
  }

  @Test(arguments: [
    (nil, nil), ("W/\"1\"", nil), (nil, "https://z/y"), ("\"t\"", "https://z/y"),
  ])
  func `where a part came from is kept with its version`(validator: String?, source: String?)
    async throws
  {
    let store = try await AccountDatabase.inMemory().transfers
    var one = try await store.add(transfer(.waiting))
    (one.validator, one.source) = (validator, source)
    try await store.save(one)
    #expect(try await store.transfers() == [one])
    #expect(try await store.add(one).source == source)
  }

  @Test func `what runs waits when it is read again, and a removed one is gone`() async throws {
    let store = try await AccountDatabase.inMemory().transfers
    var one = try await store.add(transfer(.running))
    #expect(try await store.transfers().map(\.state) == [.waiting])
    one.state = .done
    one.name = "c"
    try await store.save(one)
    #expect(try await store.transfers() == [one])
    try await store.remove(one.id)
    #expect(try await store.transfers() == [])
    let next = try await store.add(transfer(.waiting))
    #expect(next.id > one.id)
  }

  @Test func `the same content at the same service is found when it is done`() async throws {
    let store = try await AccountDatabase.inMemory().transfers
    let service = try #require(JID(parsing: "upload.example.org"))
    _ = try await store.add(transfer(.waiting))
    #expect(try await store.upload(sha256: "ab", byteCount: 5, service: service) == nil)
    let done = try await store.add(transfer(.done))
    #expect(try await store.upload(sha256: "ab", byteCount: 5, service: service) == done)
    #expect(try await store.upload(sha256: "ab", byteCount: 6, service: service) == nil)
    #expect(try await store.upload(sha256: "ab", byteCount: 5, service: bob) == nil)
  }

  @Test func `messages keep the files they offer, and are found by them`() async throws {
    let account = try await AccountDatabase.inMemory()
    let file = SharedFile(
      address: "https://x/y", name: "a\nb", mediaType: "image/png", byteCount: 5,
      digests: [FileDigest(.sha3With512, "ab"), .sha256("cd")],
      width: 640, height: 480, otherAddresses: ["https://z/y", "http://z/y"])
    for index in 0..<4 {
      _ = try await account.messages.insert([
        IncomingMessage(
          conversation: bob, sender: bob, body: "\(index)",
          sentAt: Date(timeIntervalSince1970: Double(index)), originID: "\(index)",
          file: index.isMultiple(of: 2) ? file : nil)
      ]) { _ in true }
    }
    let sent = try await account.outbox.enqueue(
      body: file.address, file: file, reply: nil, to: bob, from: bob, originID: "own",
      at: Date(timeIntervalSince1970: 9))
    #expect(sent.message.file == file)
    #expect(try await account.outbox.queued().first?.file == file)
    let found = try await account.transfers.fileMessages(in: bob, limit: 9)
    #expect(found.map(\.body) == ["https://x/y", "2", "0"])
    #expect(found.allSatisfy { $0.file == file })
    #expect(try await account.transfers.fileMessages(in: bob, limit: 1).count == 1)
    #expect(
      try await account.timeline.latest(9, in: bob).map { $0.file == nil } == [
        false, true, false, true, false,
      ])
  }

  @Test func `the small picture of a message is kept apart from it`() async throws {
    let account = try await AccountDatabase.inMemory()
    let file = SharedFile(address: "https://x/y", width: 640, height: 480, thumbnail: [0, 1, 2])
    let stored = try await account.messages.insert([
      IncomingMessage(
        conversation: bob, sender: bob, body: "x", sentAt: Date(timeIntervalSince1970: 1),
        originID: "a", file: file)
    ]) { _ in true }
    #expect(stored.messages[0].file == file.withoutThumbnail)
    #expect(try await account.timeline.latest(1, in: bob)[0].file == file.withoutThumbnail)
    #expect(try await account.transfers.thumbnail(of: stored.messages[0].id) == [0, 1, 2])
    #expect(try await account.transfers.thumbnail(of: .init(99)) == nil)
  }

  @Test func `the received size of a file counts only where its sender gave none`() async throws {
    let account = try await AccountDatabase.inMemory()
    for (index, reported) in [nil, 7].enumerated() {
      let stored = try await account.messages.insert([
        IncomingMessage(
          conversation: bob, sender: bob, body: "x",
          sentAt: Date(timeIntervalSince1970: Double(index)), originID: "\(index)",
          file: SharedFile(address: "https://x/y", byteCount: reported))
      ]) { _ in true }
      let found = try await account.transfers.found(9, of: stored.messages[0].id)
      #expect(found?.file?.size == (reported == nil ? 9 : nil))
      #expect(try await account.transfers.found(9, of: stored.messages[0].id) == nil)
    }
  }
}
