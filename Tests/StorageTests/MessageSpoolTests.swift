import Foundation
import NatterCore
import Synchronization
import Testing
import XMPP

@testable import Storage

@Suite struct MessageSpoolTests {
  private func entry(_ id: String, _ body: String, at time: Double) -> MessageSpool.Entry {
    .init(originID: id, recipient: Sample.juliet, body: body, typedAt: Sample.date(time))
  }

  @Test func `what is left is found in the order of typing, until it is taken`() throws {
    let scratch = try Scratch()
    let spool = MessageSpool(besideDatabase: scratch.path("a.db"))
    #expect(spool.entries().isEmpty)
    var second = entry("b-2", "two\n\u{1F600}", at: 2)
    second.attemptedAt = Sample.date(3)
    second.refusal = "nobody has that address"
    try spool.leave(second)
    try spool.leave(entry("a-1", "one", at: 1))
    #expect(spool.entries() == [entry("a-1", "one", at: 1), second])
    for name in ["a-1.json", "b-2.json"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(spool.folder)/\(name)")
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
    try spool.remove(second)
    try spool.remove(second)
    #expect(spool.entries().map(\.body) == ["one"])
  }

  @Test func `what is no message is left alone`() throws {
    let scratch = try Scratch()
    let spool = MessageSpool(besideDatabase: scratch.path("a.db"))
    try spool.prepare()
    try scratch.write(Data("{".utf8), to: "a.db.outbox/half.json")
    try scratch.write(Data("text".utf8), to: "a.db.outbox/note.txt")
    // Under another name it could not be forgotten.
    try scratch.write(
      Data(#"{"id":"x","to":"a@b","body":"c","typed":1}"#.utf8), to: "a.db.outbox/y.json")
    #expect(spool.entries().isEmpty)
    try scratch.write(
      Data(#"{"id":"x","to":"a@b","body":"c","typed":1}"#.utf8), to: "a.db.outbox/x.json")
    #expect(spool.entries().map(\.body) == ["c"])
  }

  @Test func `what cannot be read is reported once, and stays for a later try`() throws {
    let scratch = try Scratch()
    let reports = Mutex<[String]>([])
    let spool = MessageSpool(besideDatabase: scratch.path("a.db"))
      .reporting { line in reports.withLock { $0.append(line) } }
    #expect(spool.entries().isEmpty)
    try spool.leave(entry("b", "two", at: 2))
    // A folder with its name cannot be read by root either.
    let path = spool.folder + "/a.json"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try scratch.write(Data("{".utf8), to: "a.db.outbox/half.json")
    for _ in 1...2 { #expect(spool.entries().map(\.body) == ["two"]) }
    let lines = reports.withLock { $0 }
    #expect(lines.count == 2 && lines.contains { $0.hasPrefix(path + " ") })
    #expect(FileManager.default.fileExists(atPath: spool.folder + "/half.json"))
    try FileManager.default.removeItem(atPath: path)
    try spool.leave(entry("a", "one", at: 1))
    #expect(spool.entries().map(\.body) == ["one", "two"])
  }

  private func file(_ id: String, at time: Double) -> MessageSpool.File {
    .init(
      originID: id, recipient: Sample.juliet, path: "/tmp/a \u{1F600}\n.png", text: nil,
      begun: Sample.date(time))
  }

  @Test func `files are left beside messages, and answered as long as a program waits`() throws {
    let scratch = try Scratch()
    let spool = MessageSpool(besideDatabase: scratch.path("a.db"))
    #expect(spool.files().isEmpty && spool.stopped().isEmpty)
    try spool.leave(file("b-2", at: 2))
    try spool.leave(file("a-1", at: 1))
    try spool.leave(entry("m-1", "one", at: 1))
    #expect(spool.files() == [file("a-1", at: 1), file("b-2", at: 2)])
    #expect(spool.entries().map(\.body) == ["one"])
    try spool.remove(file("b-2", at: 2))
    #expect(spool.files() == [file("a-1", at: 1)])

    try spool.answer(.accepted, to: "a-1")
    #expect(spool.answer(to: "a-1") == nil)
    try spool.expectAnswer(to: "a-1")
    #expect(spool.isAwaited("a-1"))
    #expect(spool.answer(to: "a-1") == .moving(name: "", progress: ""))
    for answer: MessageSpool.Answer in [
      .moving(name: "a", progress: "3 %"), .unusable("x"), .notShared("x"), .refused("x"),
      .waiting("x"), .stopped(isTooLate: true), .accepted,
    ] {
      try spool.answer(answer, to: "a-1")
      #expect(spool.answer(to: "a-1") == answer)
    }
    try spool.stop("a-1")
    #expect(spool.stopped() == ["a-1"])
    spool.forgetAnswers(olderThan: 60)
    #expect(spool.isAwaited("a-1"))
    spool.forgetAnswers(olderThan: 60, now: Date().addingTimeInterval(61))
    #expect(!spool.isAwaited("a-1") && spool.stopped().isEmpty)
    try spool.expectAnswer(to: "a-1")
    spool.forgetAnswers(to: "a-1")
    #expect(!spool.isAwaited("a-1"))
  }

  @Test func `a folder that cannot be made is reported`() throws {
    let scratch = try Scratch()
    try scratch.write(Data(), to: "a.db.outbox")
    let spool = MessageSpool(besideDatabase: scratch.path("a.db"))
    #expect(throws: StorageError.self) { try spool.leave(entry("a", "one", at: 1)) }
  }
}
