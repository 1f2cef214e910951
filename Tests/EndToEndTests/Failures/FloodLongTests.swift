import Foundation
import TestSupport
import Testing

/// Limits in bytes on everything that others can send: waiting stanzas, the content of the screen,
/// entries made by strangers. The rest is loaded again or read later.
@Suite(.serialized, .long) struct FloodLongTests {
  struct Flood: Sendable, CustomTestStringConvertible {
    let scene: FloodServer.Scene
    let count: Int
    let bytes: Int

    var testDescription: String { "\(scene), \(count) of \(bytes) bytes" }
  }

  private static let floods = [
    Flood(scene: .archive, count: 600, bytes: 900_000),
    Flood(scene: .stanzas, count: 4800, bytes: 250_000),
    Flood(scene: .bodies, count: 300, bytes: 900_000),
    Flood(scene: .presences, count: 100_000, bytes: 1000),
  ]
  /// Of the whole program, with the libraries that it uses.
  private static let memoryLimit = 128 << 20
  /// Half a gigabyte comes through a build that is not optimized.
  private static let patience = Duration.seconds(300)

  @Test(arguments: floods)
  func `in a flood the program stays under 128 MiB, and nothing is lost`(flood: Flood) async throws
  {
    let server = try await FloodServer(flood.scene, count: flood.count, bytes: flood.bytes)
    let home = try Home()
    try home.folder.write(server.password + "\n", to: "password")
    let arguments = [
      "--account", server.account, "--server", server.address, "--tls", "off", "--password-file",
      home.folder.path("password"),
    ]
    var natter = try NatterRun(arguments, home: home)
    try await natter.waitsOnline()
    // The only conversation is open.
    try await natter.shows("note 0.")
    if flood.scene == .archive {
      // All of it comes while the account is signed out.
      #expect(await natter.quit() == .exited(0))
      try await server.begins()
      natter = try NatterRun(arguments, home: home)
      try await natter.shows("note \(flood.count).", upTo: Self.patience)
    } else {
      try await server.begins()
      try await natter.shows("the last one", upTo: Self.patience)
    }
    // Of the strangers nothing is kept, and the contact's own presence is not pushed out.
    let newest = flood.scene == .presences ? 0 : flood.count
    if flood.scene == .presences { try await natter.shows("\"here\"") }
    try await until("all \(newest) are stored") {
      try await stored(of: server.account, in: home) == Array(0...newest)
    }
    let peak = try peakMemory(of: natter)
    print("\(flood.testDescription): at most \(peak >> 20) MiB")
    #expect(peak < Self.memoryLimit)
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }

  /// The greatest memory that was resident since the start, in bytes (proc(5)).
  private func peakMemory(of natter: NatterRun) throws -> Int {
    let path = "/proc/\(natter.terminal.child.identifier)/status"
    let status = try String(contentsOfFile: path, encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    let words = line.split(whereSeparator: \.isWhitespace)
    try #require(words.count == 3 && words[2] == "kB")
    return try #require(Int(words[1])) * 1024
  }

  /// The numbers of the messages that a profile has, in the order in which they are shown.
  private func stored(of account: String, in home: Home) async throws -> [Int] {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True, timeout=60)
      for start, in db.execute("select substr(body, 1, 20) from message where body like 'note %' order by position, id"):
          print(start[5:].split(".")[0])
      """
    let run = try await CommandRun.check(
      "/usr/bin/python3",
      ["-c", script, home.data.appending(path: "accounts/\(account).db").path])
    return run.text.split(separator: "\n").compactMap { Int($0) }
  }
}
