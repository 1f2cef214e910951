import Foundation
import System
import Testing

/// Files that both the user and the program write.
@Suite final class EditedFileTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "natter-edited-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func mode(_ name: String) -> mode_t {
    var facts = stat()
    return lstat(path(name), &facts) == 0 ? facts.st_mode : 0
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  @Test func `of a link the target is written, and permissions stay`() throws {
    try Data("old".utf8).write(to: URL(filePath: path("dotfile")))
    try #require(chmod(path("dotfile"), 0o644) == 0)
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
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["new.toml"])
  }
}
