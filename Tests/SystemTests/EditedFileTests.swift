import Foundation
import System
import TestSupport
import Testing

/// Files that both the user and the program write.
@Suite struct EditedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("edited") }

  private func path(_ name: String) -> String { folder.path(name) }

  private func mode(_ name: String) -> mode_t {
    var facts = stat()
    return lstat(path(name), &facts) == 0 ? facts.st_mode : 0
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  @Test func `of a link the target is written, and permissions stay`() throws {
    try folder.write("old", to: "dotfile", mode: 0o644)
    try #require(symlink("dotfile", path("keys.toml")) == 0)
    #expect(PrivateText.replaceEdited(path("keys.toml"), with: "new"))
    #expect(try text("dotfile") == "new" && text("keys.toml") == "new")
    #expect(mode("keys.toml") & S_IFMT == S_IFLNK && mode("dotfile") & 0o777 == 0o644)
  }

  @Test func `a new file is private, and a read-only one stays as it is`() throws {
    #expect(PrivateText.replaceEdited(path("new.toml"), with: "new"))
    #expect(try text("new.toml") == "new" && mode("new.toml") & 0o777 == 0o600)
    try #require(chmod(path("new.toml"), 0o400) == 0)
    #expect(!PrivateText.replaceEdited(path("new.toml"), with: "newer"))
    #expect(try text("new.toml") == "new")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path) == ["new.toml"])
  }
}
