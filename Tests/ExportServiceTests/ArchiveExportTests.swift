import Foundation
import JSONLines
import NatterCore
import System
import TestSupport
import Testing
import XMPP

@testable import ExportService

/// The archive of an account, byte by byte.
@Suite struct ArchiveExportTests {
  /// A database that is a text.
  private struct FakeStore: ExportStoring {
    var source = FakeSource(Sample.message("hi"))
    var contents = "the database"
    var paths: [String] = []
    var isFull = false

    let schema = 8
    func writeCopy(to path: String) async throws -> any ExportSource {
      try Data(contents.utf8).write(to: URL(filePath: path))
      if isFull { throw ExportFailure.file(PrivateFile.Failure(path, errno: ENOSPC)) }
      return source
    }
    func downloadedPaths() async throws -> [String] { paths }
  }

  private struct Entry {
    let name: String
    let contents: [UInt8]
    var text: String { String(decoding: contents, as: UTF8.self) }
  }

  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder("archive") }

  /// Writes an archive and reads it block by block.
  private func entries(
    of store: FakeStore, includesFiles: Bool = false
  ) async throws -> (entries: [Entry], summary: ArchiveExport.Summary) {
    let file = try ExportFile(folder.path("a.tar"), mayReplace: false)
    let summary = try await ArchiveExport(of: store, at: Sample.start, includesFiles: includesFiles)
      .write(to: file)
    try file.commit()
    #expect(folder.files.filter { $0.hasPrefix("a.") } == ["a.tar"])
    let bytes = Array(try Data(contentsOf: folder.url("a.tar")))
    #expect(bytes.count % 512 == 0)
    var (entries, index) = ([Entry](), 0)
    while index < bytes.count, bytes[index] != 0 {
      let header = Array(bytes[index..<(index + 512)])
      let name = String(decoding: header.prefix(100).prefix { $0 != 0 }, as: UTF8.self)
      let digits = String(decoding: header[124..<135], as: UTF8.self)
      let size = try #require(Int(digits, radix: 8))
      // Each header is the one for its name and size: also its checksum.
      #expect(header == TarHeader(name: name, size: size, modified: 1_795_860_000)?.bytes)
      let start = index + 512
      entries.append(Entry(name: name, contents: Array(bytes[start..<(start + size)])))
      let end = start + (size + 511) / 512 * 512
      #expect(bytes[(start + size)..<end].allSatisfy { $0 == 0 })
      index = end
    }
    // Two empty blocks, and nothing else.
    #expect(bytes.count == index + 1024 && bytes[index...].allSatisfy { $0 == 0 })
    return (entries, summary)
  }

  private func digest(_ bytes: [UInt8]) throws -> String {
    let file = try ExportFile(folder.path("hashed"), mayReplace: false)
    try file.write(bytes)
    return try file.digest(from: 0, byteCount: bytes.count).map { String(format: "%02x", $0) }
      .joined()
  }

  @Test func `the description is first, and has the digests of the parts`() async throws {
    let entries = try await entries(of: FakeStore()).entries
    #expect(entries.map(\.name) == ["manifest.json", "store.db", "messages.jsonl"])
    #expect(entries[1].text == "the database")
    #expect(
      entries[2].text.split(separator: "\n").map { String($0.prefix(24)) } == [
        #"{"natter-export":1,"acco"#, #"{"id":"1","account":"me@"#,
      ])
    let store = try digest(Array("the database".utf8))
    let messages = try digest(entries[2].contents)
    #expect(
      entries[0].text
        == #"{"natter-archive":1,"schema":8,"account":"me@example.org","#
        + #""at":"2026-11-28T10:00:00.000000Z","parts":{"store.db":"\#(store)","#
        + #""messages.jsonl":"\#(messages)"}}"# + "\n")
  }

  @Test func `files of the user's beside the archive stay as they are`() async throws {
    let names = ["a.tar.part", "a.tar.part.db"]
    for name in names { try folder.write("the user's", to: name) }
    let file = try ExportFile(folder.path("a.tar"), mayReplace: false)
    _ = try await ArchiveExport(of: FakeStore(), at: Sample.start, includesFiles: false)
      .write(to: file)
    try file.commit()
    #expect(folder.files.sorted() == ["a.tar"] + names)
    for name in names { #expect(folder.text(name) == "the user's") }
  }

  @Test(arguments: [0, 511, 512, 513, 300_000])
  func `a part of any length ends at a block`(count: Int) async throws {
    let contents = String(repeating: "x", count: count)
    let entries = try await entries(of: FakeStore(contents: contents)).entries
    #expect(entries.count == 3 && entries[1].text == contents)
  }

  @Test func `downloaded files have their digests as names, each content once`() async throws {
    try folder.write("one", to: "files/a")
    try folder.write("one", to: "files/b")
    try folder.write("", to: "files/empty")
    let store = FakeStore(
      paths: ["a", "missing", "b", "empty", "../files"].map { folder.path("files/\($0)") })
    let without = try await entries(of: store)
    #expect(without.entries.count == 3 && without.summary == ArchiveExport.Summary())
    try FileManager.default.removeItem(at: folder.url("a.tar"))
    let (entries, summary) = try await entries(of: store, includesFiles: true)
    #expect(summary == ArchiveExport.Summary(files: 2, missingFiles: 2))
    #expect(
      try entries.dropFirst(3).map(\.name) == [
        "files/" + digest(Array("one".utf8)), "files/" + digest([]),
      ])
    #expect(entries.dropFirst(3).map(\.text) == ["one", ""])
    // Each path has the digest of its file.
    let manifest = try JSONValue(parsing: entries[0].contents)
    let files = try #require(manifest["files"]?.elements)
    #expect(files.map { $0["path"]?.string } == store.paths)
    let (one, none) = (try digest(Array("one".utf8)), String(repeating: "0", count: 64))
    #expect(files.map { $0["sha256"]?.string } == [one, none, one, try digest([]), none])
  }

  @Test func `files that the description has no room for count as missing`() async throws {
    try folder.write("one", to: "files/a")
    let store = FakeStore(paths: ["a", "b"].map { folder.path("files/\($0)") })
    var export = ArchiveExport(of: store, at: Sample.start, includesFiles: true)
    export.descriptionLimit = 0
    let file = try ExportFile(folder.path("a.tar"), mayReplace: false)
    #expect(try await export.write(to: file) == ArchiveExport.Summary(files: 0, missingFiles: 2))
    file.abandon()
  }

  @Test func `a copy without room is reported as the archive, and leaves nothing beside it`()
    async throws
  {
    do {
      let file = try ExportFile(folder.path("a.tar"), mayReplace: false)
      let full = PrivateFile.Failure(folder.path("a.tar"), errno: ENOSPC)
      await #expect(throws: ExportFailure.file(full)) {
        try await ArchiveExport(
          of: FakeStore(isFull: true), at: Sample.start, includesFiles: false
        ).write(to: file)
      }
    }
    #expect(folder.files == [])
  }

  @Test func `a cancelled archive leaves nothing`() async throws {
    let path = folder.path("a.tar")
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) {
        let file = try ExportFile(path, mayReplace: false)
        _ = try await ArchiveExport(of: FakeStore(), at: Sample.start, includesFiles: false)
          .write(to: file)
      }
    }.value
    #expect(folder.files == [])
  }

  @Test func `python reads an archive`() async throws {
    try folder.write("one", to: "files/a")
    _ = try await entries(
      of: FakeStore(paths: [folder.path("files/a")]), includesFiles: true)
    let script = """
      import hashlib, json, sys, tarfile
      with tarfile.open(sys.argv[1]) as tar:
          parts = {m.name: tar.extractfile(m).read() for m in tar if m.isreg() and m.mode == 0o600}
      manifest = json.loads(parts['manifest.json'])
      print(len(parts), all(hashlib.sha256(parts[n]).hexdigest() == d
          for n, d in manifest['parts'].items()))
      """
    let run = try await CommandRun.check("python3", ["-c", script, folder.path("a.tar")])
    #expect(run.text == "4 True\n")
  }
}
