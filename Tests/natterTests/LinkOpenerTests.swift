import Foundation
import NatterCore
import System
import Testing

@testable import natter

@Suite struct LinkOpenerTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "opener-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["xdg-open", "mine", "other"] {
      let file = folder.appending(path: name)
      try Data("#!/bin/sh\n".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
  }

  private func programs(_ link: String, _ more: [String: String]) -> [[String]] {
    let environment = ["PATH": folder.path].merging(more) { $1 }
    return LinkOpener.programs(for: link, environment: environment).map { [$0.name] + $0.arguments }
  }

  @Test func `the user's own program comes first, then the system's`() {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(
      programs("https://a.example/", ["DISPLAY": ":0"]) == [["xdg-open", "https://a.example/"]])
    #expect(
      programs(
        "https://a.example/", ["BROWSER": "mine -n:gone:other %s now", "WAYLAND_DISPLAY": "w"])
        == [
          ["mine", "-n", "https://a.example/"], ["other", "https://a.example/", "now"],
          ["xdg-open", "https://a.example/"],
        ])
  }

  @Test func `without a user at the screen there is only what BROWSER names`() {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(programs("https://a.example/", ["SSH_CONNECTION": "1 2 3 4"]) == [])
    #expect(programs("https://a.example/", ["DISPLAY": ""]) == [])
    #expect(
      programs("mailto:a@b.example", ["BROWSER": "mine"]) == [["mine", "mailto:a@b.example"]])
  }

  @Test func `an address of mail takes no file along`() {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(
      programs("mailto:a@b.example?subject=x&attach=/etc/passwd", ["BROWSER": "mine"])
        == [["mine", "mailto:a@b.example?subject=x"]])
  }

  @Test(arguments: ["-n", "--help", "-", "+1", "-\u{301}n", "+\u{200C}1"])
  func `a text of others is no option of a program`(text: String) {
    #expect(OtherProgram.word(text) == " " + text && OtherProgram.word("a" + text) == "a" + text)
  }

  @Test(arguments: ["<b>&", "\u{D4E}<b>\u{D4E}&", "<\u{301}b>\u{301}&\u{301}"])
  func `a text of others is no markup in a notice`(text: String) {
    let plain = OtherProgram.notice(text)
    #expect(!plain.utf8.contains { "<>".utf8.contains($0) })
    #expect(plain.utf8.count == text.utf8.count + 10)
  }

  @Test func `a text of others has no escapes that a notice makes of it`() {
    #expect(OtherProgram.notice(#"\074b\076\n"#) == #"\\074b\\076\\n"#)
  }

  @Test func `a location is for the desktop's program, and not for a browser`() {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(
      programs("geo:1,2", ["DISPLAY": ":0", "BROWSER": "mine"]) == [["xdg-open", "geo:1,2"]])
    #expect(programs("geo:1,2", ["BROWSER": "mine"]) == [])
  }

  @Test func `a program that finds the location is run without a shell, and its failure is said`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = ["PATH": "/usr/bin:/bin"]
    #expect(try await LinkPrograms.output(of: [], environment) == nil)
    #expect(
      try await LinkPrograms.output(of: ["printf", "%s", "1 2; $HOME"], environment) == "1 2; $HOME"
    )
    await #expect { try await LinkPrograms.output(of: ["false"], environment) } throws: {
      ($0 as? NatterError)?.key == "error.location.failed"
    }
    await #expect { try await LinkPrograms.output(of: ["no-such-program"], environment) } throws: {
      ($0 as? NatterError)?.key == "error.location.noProgram"
    }
  }

  @Test(arguments: ["file:///etc/passwd", "javascript:alert(1)", "-n", "", "ssh://a"])
  func `nothing but the web, mail and locations is passed on`(link: String) {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(programs(link, ["DISPLAY": ":0", "BROWSER": "mine"]) == [])
  }
}
