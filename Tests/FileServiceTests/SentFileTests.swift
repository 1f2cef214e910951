import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import FileService

/// Files that are none, have odd names, or do not stay what they are.
@Suite struct SentFileTests {
  private let rose = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }

  @Test func `what is no file is refused at once`() async throws {
    let files = try await FileFixture()
    let pipe = files.folder.path("pipe")
    mkfifo(pipe, 0o600)
    for (path, key) in [
      (files.folder.path("nothing"), "error.files.missing"),
      (files.folder.root.path, "error.files.folder"), ("/dev/null", "error.files.noFile"),
      (pipe, "error.files.noFile"), (try files.write([], to: "empty"), "error.files.empty"),
    ] {
      let error = await #expect(throws: NatterError.self) {
        try await files.queue.share(path, with: FileFixture.bob)
      }
      #expect(error?.key == key, "\(path)")
    }
    #expect(await files.queue.transfers(in: nil).isEmpty)
    await files.stop()
  }

  /// Makes a file whose name are these bytes.
  private func make(_ bytes: [UInt8], named name: [UInt8], in folder: TemporaryFolder) throws {
    let path = Array(folder.root.path.utf8) + [UInt8(ascii: "/")] + name
    let descriptor = open(
      path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0 && Foundation.write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
  }

  @Test func `a file whose name is no UTF-8 is found, and offered under a name that can be read`()
    async throws
  {
    let files = try await FileFixture()
    let server = try UploadServer()
    _ = await files.connect { server.slot($0) }
    try make(
      rose, named: Array("r".utf8) + [0xF6, 0xE4] + Array("se.png".utf8), in: files.folder)
    try make([1], named: Array("rse.png".utf8), in: files.folder)
    // As programs read it that take each byte for a character, and as others do.
    for (count, name) in ["r\u{FFFD}se.png", "r\u{FFFD}\u{FFFD}se.png"].enumerated() {
      let transfer = try await files.queue.share(
        files.folder.path(name), with: FileFixture.bob)
      #expect(await files.end(of: transfer.id) == .done)
      #expect(await files.messages.sent.count == count + 1)
      #expect(await files.messages.sent.last?.file.name == name)
      // What shows it again is given the file itself.
      let sent = try await files.database.outbox.enqueue(
        body: "x", file: await files.messages.sent.last?.file, reply: nil, to: FileFixture.bob,
        from: FileFixture.alice, originID: try #require(transfer.originID), at: Date())
      #expect(await files.queue.localPath(of: sent.message) == files.folder.path(name))
      let listed = try await FileHistory(store: files.database.transfers)
        .files(FileFilter(), at: .newest, limit: 1)
      #expect(listed.map(\.localPath) == [files.folder.path(name)])
    }
    #expect(server.kept.value.values.first == rose && server.kept.value.count == 1)
    // One that is called just so is that one; of two that read the same nobody can say which is
    // meant.
    let own = try files.write([2, 3], to: "l\u{FFFD}.png")
    try make(rose, named: [UInt8(ascii: "l"), 0xE9] + Array(".png".utf8), in: files.folder)
    #expect(try SourceFile(own).byteCount == 2)
    try make(rose, named: Array("r".utf8) + [0xFC] + Array("se.png".utf8), in: files.folder)
    let error = await #expect(throws: NatterError.self) {
      try await files.queue.share(files.folder.path("r\u{FFFD}se.png"), with: FileFixture.bob)
    }
    #expect(error?.key == "error.files.twoNames")
    await files.stop()
  }

  @Test func `a file that vanishes before it is sent is reported`() async throws {
    let files = try await FileFixture()
    let path = try files.write(rose, to: "rose.png")
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    unlink(path)
    _ = await files.connect { _ in throw StanzaError(.cancel, .notAllowed) }
    #expect(await files.failure(of: transfer.id) == "error.files.missing")
    await files.stop()
  }

  @Test func `a file that vanishes while it is sent is sent whole, also with another slot`()
    async throws
  {
    let files = try await FileFixture()
    let path = try files.write(rose, to: "rose.png")
    let breaks = Observed(1)
    let server = try UploadServer { _ in
      unlink(path)
      guard breaks.value > 0 else { return nil }
      breaks.update { $0 -= 1 }
      return .reset(afterBodyBytes: 50_000)
    }
    _ = await files.connect { server.slot($0) }
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    #expect(await files.end(of: transfer.id) == .done)
    #expect(access(path, F_OK) != 0)
    #expect(server.kept.value.values.map { $0 } == [rose])
    #expect(await files.messages.sent.count == 1)
    await files.stop()
  }

  @Test(arguments: [true, false])
  func `a file that grows or shrinks on the way is not offered`(grows: Bool) async throws {
    let files = try await FileFixture()
    let path = try files.write(rose, to: "rose.png")
    let server = try UploadServer()
    _ = await files.connect { name in
      truncate(path, grows ? 300_000 : 100_000)
      return server.slot(name)
    }
    let transfer = try await files.queue.share(path, with: FileFixture.bob)
    #expect(await files.failure(of: transfer.id) == "error.files.changed")
    #expect(await files.messages.sent.isEmpty)
    await files.stop()
  }
}
