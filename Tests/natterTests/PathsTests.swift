import Foundation
import Testing

@testable import natter

@Suite struct PathsTests {
  @Test func `without variables everything is where XDG says`() throws {
    let paths = try Paths(environment: ["HOME": "/home/kim"], profile: nil, config: nil)
    #expect(paths.config.path == "/home/kim/.config/natter")
    #expect(paths.data.path == "/home/kim/.local/share/natter")
    #expect(paths.state.path == "/home/kim/.local/state/natter")
    #expect(paths.cache.path == "/home/kim/.cache/natter")
    #expect(paths.runtime.path == "/home/kim/.local/state/natter/run")
    #expect(paths.configurationFile.path == "/home/kim/.config/natter/config.toml")
  }

  @Test func `a directory may be named with a slash behind it, and as the uppermost one`() throws {
    let paths = try Paths(
      environment: ["HOME": "/", "XDG_DATA_HOME": "/data/", "XDG_CACHE_HOME": "/a b/%41#"],
      profile: "é", config: nil)
    #expect(paths.config.path == "/.config/natter/profiles/é")
    #expect(paths.data.path == "/data/natter/profiles/é")
    #expect(paths.cache.path == "/a b/%41#/natter/profiles/é")
  }

  @Test func `a relative directory is an error that names the variable`() {
    #expect(
      throws: PathError(
        key: "cli.relative-path", arguments: ["variable": "XDG_DATA_HOME", "path": "data"])
    ) {
      _ = try Paths(
        environment: ["HOME": "/h", "XDG_DATA_HOME": "data"], profile: nil, config: nil)
    }
  }

  @Test func `profiles keep apart, and their names cannot leave the directory`() throws {
    let paths = try Paths(environment: ["HOME": "/h"], profile: "work", config: nil)
    #expect(paths.data.path == "/h/.local/share/natter/profiles/work")
    for name in ["", "..", "a/b", ".hidden"] {
      #expect(
        throws: PathError(key: "cli.bad-profile", arguments: ["profile": name], code: .usage)
      ) {
        _ = try Paths(environment: ["HOME": "/h"], profile: name, config: nil)
      }
    }
  }

  @Test func `directories are made for their owner only`() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: home) }
    let paths = try Paths(environment: ["HOME": home.path], profile: nil, config: nil)
    try paths.prepare()
    let mode = try FileManager.default.attributesOfItem(atPath: paths.data.path)[.posixPermissions]
    #expect(mode as? Int == 0o700)
  }

  @Test func `a directory that others may look into is closed`() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: home) }
    let paths = try Paths(environment: ["HOME": home.path], profile: nil, config: nil)
    for directory in [paths.data, paths.state, paths.runtime] {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      #expect(chmod(directory.path, 0o755) == 0)
    }
    try paths.prepare()
    for directory in [paths.data, paths.state, paths.runtime] {
      let mode = try FileManager.default.attributesOfItem(atPath: directory.path)[.posixPermissions]
      #expect(mode as? Int == 0o700, "\(directory.path)")
    }
  }

  @Test func `a directory that cannot be made is named`() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: home) }
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    try Data().write(to: home.appending(path: ".local"))
    let paths = try Paths(environment: ["HOME": home.path], profile: nil, config: nil)
    #expect {
      try paths.prepare()
    } throws: {
      let error = $0 as? PathError
      return error?.key == "cli.unwritable" && error?.arguments["path"] == paths.data.path
    }
  }

  @Test func `a file where a directory should be is reported as one`() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: home) }
    let paths = try Paths(environment: ["HOME": home.path], profile: nil, config: nil)
    try FileManager.default.createDirectory(
      at: paths.state.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: paths.state)
    #expect(throws: PathError(key: "cli.no-directory", arguments: ["path": paths.state.path])) {
      try paths.prepare()
    }
  }
}
