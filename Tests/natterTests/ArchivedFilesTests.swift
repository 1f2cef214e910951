import Crypto
import ExportService
import Foundation
import ImportService
import JSONLines
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

/// The downloaded files of an archive, in the folder for downloads.
@Suite struct ArchivedFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder("archived")
    try folder.makeFolder("downloads")
  }

  private func digest(_ text: String) throws -> String {
    hex(try CryptoLibrary().hash(Array(text.utf8), by: .sha256))
  }

  /// Writes an archive that has files.
  /// - Parameter files: the paths in its description, and the contents.
  private func archive(_ files: [(path: String, text: String)]) throws -> AccountArchive {
    let lines = #"{"natter-export":1,"account":"me@example.org"}"# + "\n"
    let manifest = JSONLine {
      $0.add("natter-archive", 1)
      $0.add("schema", 1)
      $0.add("account", "me@example.org")
    }
    let described = try files.map { file in
      let digest = try digest(file.text)
      return JSONLine {
        $0.add("path", file.path)
        $0.add("sha256", digest)
      }
    }
    let messages = try digest(lines)
    let rest = JSONLine {
      $0.add("parts") { $0.add("messages.jsonl", messages) }
      $0.add("files", described)
    }
    var parts = [
      ("manifest.json", String(manifest.text.dropLast()) + "," + String(rest.text.dropFirst())),
      ("messages.jsonl", lines),
    ]
    for text in Set(files.map(\.text)).sorted() {
      parts.append(("files/" + (try digest(text)), text))
    }
    var bytes: [UInt8] = []
    for (name, text) in parts {
      let header = try #require(TarHeader(name: name, size: text.utf8.count, modified: 0))
      bytes += header.bytes + Array(text.utf8)
      bytes += [UInt8](repeating: 0, count: (512 - text.utf8.count % 512) % 512)
    }
    bytes += [UInt8](repeating: 0, count: 1024)
    try Data(bytes).write(to: folder.url("a.tar"))
    return try AccountArchive(folder.path("a.tar"), newestSchema: 1)
  }

  /// An account that has downloaded files to these paths.
  private func account(_ paths: [String]) async throws -> AccountDatabase {
    let account = try await AccountDatabase.inMemory()
    for (number, path) in paths.enumerated() {
      _ = try await account.transfers.add(
        FileTransfer(
          id: .init(0), direction: .download,
          conversation: JID(local: "bob", domain: "example.org"), path: path, name: "name",
          message: Message.ID(Int64(number + 1)), state: .done, begun: Date()))
    }
    return account
  }

  private func files(_ archive: AccountArchive) -> ArchivedFiles {
    ArchivedFiles(archive: archive, folder: folder.path("downloads"))
  }

  /// The names in the folder for downloads, hidden ones included.
  private var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path("downloads")).sorted()
    }
  }

  @Test func `files are there again, and the downloads point to them`() async throws {
    let archive = try archive([("/old/a.png", "one"), ("/old/b.txt", "two"), ("/old/c.png", "one")])
    let account = try await account(["/old/a.png", "/old/b.txt", "/old/c.png", "/old/lost"])
    #expect(try await files(archive).run(account) == .init(restored: 2, lost: 0))
    #expect(try names == ["a.png", "b.txt"])
    #expect(folder.text("downloads/a.png") == "one" && folder.text("downloads/b.txt") == "two")
    var facts = stat()
    #expect(stat(folder.path("downloads/a.png"), &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    // The same content is there once. One that the archive lacks is where it was.
    #expect(
      try await account.exports.downloadedPaths() == [
        folder.path("downloads/a.png"), folder.path("downloads/b.txt"), "/old/lost",
      ])
    let third = try await account.transfers.download(of: Message.ID(3))
    #expect(third?.path == folder.path("downloads/a.png"))
    await account.close()
  }

  @Test func `no file is replaced, and no link followed`() async throws {
    try folder.write("mine", to: "downloads/a")
    try folder.write("secret", to: "outside")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("downloads/b"), withDestinationPath: folder.path("outside"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("downloads/c"), withDestinationPath: folder.path("nowhere"))
    try folder.write("same", to: "downloads/d")
    let contents = [("/a", "one"), ("/b", "two"), ("/c", "three"), ("/d", "same")]
    let account = try await account(contents.map(\.0))
    #expect(try await files(archive(contents)).run(account) == .init(restored: 4, lost: 0))
    #expect(try names == ["a", "a (2)", "b", "b (2)", "c", "c (2)", "d"])
    #expect(folder.text("downloads/a") == "mine" && folder.text("outside") == "secret")
    #expect(folder.text("downloads/b (2)") == "two" && folder.text("nowhere") == nil)
    await account.close()
  }

  /// Two files of one name, of which the second was in the folder where the first is put.
  @Test func `a download does not point to the file of another one`() async throws {
    let second = folder.path("downloads/a.png")
    let archive = try archive([("/old/a.png", "one"), (second, "two")])
    let account = try await account(["/old/a.png", second])
    #expect(try await files(archive).run(account) == .init(restored: 2, lost: 0))
    #expect(folder.text("downloads/a.png") == "one" && folder.text("downloads/a (2).png") == "two")
    #expect(try await account.transfers.download(of: Message.ID(1))?.path == second)
    #expect(
      try await account.transfers.download(of: Message.ID(2))?.path
        == folder.path("downloads/a (2).png"))
    await account.close()
  }

  @Test func `a path of the archive leads nowhere else`() async throws {
    let paths = [
      "/x/../../../../etc/cron", "../../escape", "/", "..", "/home/me/.bashrc", "/x/-rf",
      "/x/a\u{202E}gpj.exe", "/x/\u{1B}[31m",
    ]
    let contents = paths.enumerated().map { ($0.element, "\($0.offset)") }
    let account = try await account(paths)
    #expect(
      try await files(archive(contents)).run(account) == .init(restored: paths.count, lost: 0))
    #expect(try names.count == paths.count)
    for name in try names {
      #expect(!name.hasPrefix(".") && !name.hasPrefix("-"), "\(name)")
      #expect(!name.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{1B}" }, "\(name)")
    }
    #expect(folder.files.filter { !$0.hasPrefix("downloads") } == ["a.tar"])
    await account.close()
  }

  @Test func `a file that cannot be written, or has changed, is lost, and leaves no half`()
    async throws
  {
    let long = String(repeating: "x", count: 200_000)
    let archive = try archive([("/a", long), ("/b", "two")])
    let account = try await account(["/a", "/b"])
    try folder.write("", to: "file")
    let blocked = ArchivedFiles(archive: archive, folder: folder.path("file/downloads"))
    #expect(try await blocked.run(account) == .init(restored: 0, lost: 2))
    // After it was checked.
    #expect(truncate(folder.path("a.tar"), 4096) == 0)
    #expect(try await files(archive).run(account) == .init(restored: 0, lost: 2))
    #expect(try names == [])
    #expect(try await account.exports.downloadedPaths() == ["/a", "/b"])
    await account.close()
  }

  @Test func `a description that names files which the archive lacks is of no harm`() async throws {
    let good = try archive([("/a", "one")])
    #expect(good.downloadedFile("/a")?.byteCount == 3 && good.fileCount == 1)
    #expect(good.downloadedFile("/b") == nil)
    // By its bytes, not by what it looks like.
    let accented = try archive([("/caf\u{E9}", "one")])
    #expect(accented.downloadedFile("/cafe\u{301}") == nil)
    #expect(accented.downloadedFile("/caf\u{E9}") != nil)
  }
}
