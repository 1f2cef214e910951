import Foundation
import NatterCore
import TestSupport
import Testing

@testable import ExportService

/// Files that appear when they are whole.
@Suite struct ExportFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("a.txt") }

  init() throws { folder = try TemporaryFolder("export") }

  private func mode(_ name: String) -> mode_t {
    var information = stat()
    return stat(folder.path(name), &information) == 0 ? information.st_mode & 0o777 : 0
  }

  @Test func `a file has its name when it is complete, and is private`() throws {
    let file = try ExportFile(path, mayReplace: false)
    try file.print("one")
    try file.print("two")
    #expect(folder.files == ["a.txt.natter-part"] && mode("a.txt.natter-part") == 0o600)
    try file.commit()
    #expect(folder.files == ["a.txt"] && folder.text("a.txt") == "one\ntwo\n")
    #expect(mode("a.txt") == 0o600)
    // It is finished: nothing removes it any more.
    file.abandon()
    #expect(folder.files == ["a.txt"])
  }

  @Test func `an abandoned file leaves nothing, nor does one that is forgotten`() throws {
    let file = try ExportFile(path, mayReplace: false)
    try file.write([UInt8](repeating: 1, count: 200_000))
    file.abandon()
    #expect(folder.files == [])
    _ = try ExportFile(path, mayReplace: false)
    #expect(folder.files == [])
  }

  @Test func `an existing file is replaced only where that is allowed`() throws {
    try folder.write("old", to: "a.txt")
    #expect(throws: ExportFailure.exists(path: path)) { try ExportFile(path, mayReplace: false) }
    #expect(folder.files == ["a.txt"])
    let file = try ExportFile(path, mayReplace: true)
    try file.print("new")
    #expect(folder.text("a.txt") == "old")
    try file.commit()
    #expect(folder.text("a.txt") == "new\n")
  }

  @Test func `a file that appears meanwhile stays`() throws {
    let file = try ExportFile(path, mayReplace: false)
    try folder.write("other", to: "a.txt")
    #expect(throws: ExportFailure.exists(path: path)) { try file.commit() }
    #expect(folder.files == ["a.txt"] && folder.text("a.txt") == "other")
  }

  @Test func `folders, links and devices are never replaced`() throws {
    try folder.makeFolder("folder")
    try folder.write("x", to: "target")
    symlink("target", folder.path("link"))
    for path in [folder.path("folder"), folder.path("link"), "/dev/null"] {
      #expect(throws: ExportFailure.notAFile(path: path)) {
        try ExportFile(path, mayReplace: true)
      }
    }
    symlink("target", path + ".natter-part")
    #expect(throws: ExportFailure.notAFile(path: path + ".natter-part")) {
      try ExportFile(path, mayReplace: true)
    }
    #expect(folder.text("target") == "x")
  }

  @Test func `files of the user's that end like a part stay as they are`() throws {
    try folder.write("the user's", to: "a.txt.part")
    let file = try ExportFile(path, mayReplace: false)
    try file.print("new")
    try file.commit()
    #expect(folder.files.sorted() == ["a.txt", "a.txt.part"])
    #expect(folder.text("a.txt.part") == "the user's")
  }

  @Test func `a part that was left behind is used, and one that is being written is not`() throws {
    try folder.write("left behind", to: "a.txt.natter-part", mode: 0o644)
    let file = try ExportFile(path, mayReplace: false)
    #expect(mode("a.txt.natter-part") == 0o600)
    try file.print("new")
    #expect(throws: ExportFailure.busy(path: path + ".natter-part")) {
      try ExportFile(path, mayReplace: false)
    }
    try file.commit()
    #expect(folder.text("a.txt") == "new\n" && folder.files == ["a.txt"])
  }

  @Test func `a part that is a complete file by another name stays as it is`() throws {
    try folder.write("complete", to: "a.txt")
    #expect(link(path, path + ".natter-part") == 0)
    let file = try ExportFile(path, mayReplace: true)
    try file.print("new")
    #expect(folder.text("a.txt") == "complete")
    try file.commit()
    #expect(folder.text("a.txt") == "new\n" && folder.files == ["a.txt"])
  }

  @Test func `a folder that is missing is an error with the path`() throws {
    let missing = folder.path("none/a.txt")
    let failure = try #require(throws: ExportFailure.self) {
      try ExportFile(missing, mayReplace: false)
    }
    #expect(failure.natterError.arguments["path"]?.hasPrefix(missing) == true)
  }

  @Test func `parts can be replaced, hashed and removed`() throws {
    let file = try ExportFile(path, mayReplace: false)
    try file.write(Array("????abc".utf8))
    try file.replace(at: 0, with: Array("head".utf8))
    // FIPS 180-4: the SHA-256 of "abc".
    #expect(
      try file.digest(from: 4, byteCount: 3).prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
    try file.truncate(to: 5)
    try file.write(Array("z".utf8))
    #expect(file.count == 6)
    try file.commit()
    #expect(folder.text("a.txt") == "headaz")
  }
}
