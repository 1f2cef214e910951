import Foundation
import Glibc
import TestSupport
import Testing

@testable import natter

/// Where the socket of an account is.
@Suite struct BridgeSocketTests {
  private let home: Home
  init() throws { home = try Home() }

  private func socket(
    _ database: String = "/nowhere/me.db", runtime: String? = "/run/user/7",
    state: String = "/home/me/.local/state/natter"
  ) -> BridgeSocket {
    BridgeSocket(database: database, runtime: runtime, state: state, user: 7)
  }

  @Test func `it is in the runtime folder, or else beside the state`() throws {
    let path = try #require(socket().path)
    let name = try #require(path.split(separator: "/").last)
    #expect(path == "/run/user/7/natter/\(name)")
    #expect(name.utf8.count == 21 && name.hasSuffix(".sock"))
    let other = try #require(socket(runtime: nil).path)
    #expect(other == "/home/me/.local/state/natter/run/\(name)")
    // Both are looked at, whatever the environment is.
    #expect(socket().candidates == [path, other])
    #expect(socket(runtime: nil).candidates == [other, path])
  }

  @Test func `each database has its own, however its folder is reached`() throws {
    #expect(socket("/nowhere/me.db").path != socket("/nowhere/you.db").path)
    let (folder, link) = (home.folder.path("folder"), home.folder.path("link"))
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
    #expect(socket("\(folder)/me.db").path == socket("\(link)/me.db").path)
  }

  @Test func `a path that no socket can have is none`() throws {
    // 107 bytes, with "/run/" and the name.
    let longest = "/" + String(repeating: "x", count: 107 - 5 - 21 - 1)
    #expect(socket(runtime: nil, state: longest).path?.utf8.count == 107)
    let longer = socket(runtime: nil, state: longest + "x")
    #expect(longer.path == nil && longer.candidates.count == 1)
  }

  @Test func `there is no connection where no program listens`() async throws {
    let state = home.folder.path("state")
    let socket = BridgeSocket(
      database: home.folder.path("me.db"), runtime: nil, state: state, user: 7)
    #expect(await socket.connect() == nil)
    // A file that is in the way.
    try home.folder.write("x", to: "state/run/x")
    let path = try #require(socket.path)
    try Data("x".utf8).write(to: URL(filePath: path))
    #expect(await socket.connect() == nil)
  }
}
