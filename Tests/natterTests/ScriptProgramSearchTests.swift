import Foundation
import TestSupport
import Testing

@testable import natter

@Suite struct ScriptProgramSearchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("search") }

  private func search(_ path: String, closed: [String] = []) -> ScriptProgramSearch {
    ScriptProgramSearch(
      searchPath: path, folder: folder.path("script"), closedFolders: closed,
      system: [folder.path("system")])
  }

  private func write(_ name: String, mode: mode_t = 0o700) throws {
    try folder.write("", to: name, mode: mode)
  }

  @Test func `a program of the system comes before one of a version manager`() throws {
    try write("shims/node")
    try write("system/bin/node")
    let found = try search("\(folder.path("shims")):\(folder.path("system/bin"))").find("node")
    #expect(found == .init(path: folder.path("system/bin/node")))
  }

  @Test func `a program elsewhere is readable with its installation`() throws {
    try write("node-20/bin/node")
    let real = folder.path("node-20/bin/node")
    #expect(
      try search(folder.path("node-20/bin")).find("node")
        == .init(path: real, needs: [real, folder.path("node-20")]))
    // A link leads to the installation.
    try folder.makeFolder("links")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("links/node"), withDestinationPath: real)
    #expect(
      try search(folder.path("links")).find("node")
        == .init(path: real, needs: [real, folder.path("node-20")]))
  }

  @Test func `nothing of the user's becomes readable with a program`() throws {
    try write("home/bin/node")
    try write("home/.local/bin/node")
    for (path, closed) in [
      ("home/bin", "home"), ("home/.local/bin", "home/.local/share/natter"), ("home/bin", "home/x"),
    ] {
      let real = folder.path(path + "/node")
      let found = try search(folder.path(path), closed: [folder.path(closed)]).find("node")
      #expect(found == .init(path: real, needs: [real]))
    }
  }

  @Test func `a script does not choose its program in a folder that it can write`() throws {
    try write("granted/bin/node")
    var search = search(folder.path("granted/bin"))
    search.writable = [folder.path("granted")]
    #expect(throws: ScriptProgramSearch.Failure.missing) { try search.find("node") }
  }

  @Test func `a program of the script's folder is a file below it`() throws {
    try write("script/run.sh")
    try write("script/data", mode: 0o600)
    try write("other")
    #expect(try search("").find("./run.sh") == .init(path: folder.path("script/run.sh")))
    #expect(throws: ScriptProgramSearch.Failure.notExecutable) { try search("").find("./data") }
    try write("\u{301}other")
    for name in [
      "./nothing", "./../other", "./../\u{301}other", "../other", folder.path("other"), "script",
      ".", "",
    ] {
      #expect(throws: ScriptProgramSearch.Failure.missing, "\(name)") {
        try search(folder.root.path).find(name)
      }
    }
  }
}
