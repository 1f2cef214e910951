import Foundation
import TestSupport
import Testing

@testable import natter

/// The commands that the guide of the built-in server shows start this program with this profile.
@Suite struct ProgramCallTests {
  let folder: TemporaryFolder
  let program: URL

  init() throws {
    folder = try TemporaryFolder("call")
    try folder.write("#!/bin/sh\n", to: "checkout/.build/debug/natter", mode: 0o755)
    program = folder.url("checkout/.build/debug/natter")
    try folder.makeFolder("empty")
    try folder.makeFolder("linked")
    try FileManager.default.createSymbolicLink(
      at: folder.url("linked/natter"), withDestinationURL: program)
    try folder.write("#!/bin/sh\n", to: "other/natter", mode: 0o755)
  }

  private func call(
    _ name: String, _ folders: String..., profile: String? = nil
  ) -> String {
    ProgramCall.text(
      name: name, executable: program,
      searchPath: folders.map { folder.path($0) }.joined(separator: ":"), profile: profile)
  }

  @Test func `where nothing is installed it is what was typed, if that is right in every folder`() {
    #expect(call("/opt/natter", "empty") == "/opt/natter")
    #expect(call("/opt/natter", "empty", profile: "work") == "/opt/natter --profile work")
    // Another one of that name is another program.
    #expect(call("/opt/natter", "other", "linked") == "/opt/natter")
  }

  @Test func `where a shell finds this program it is its name alone`() {
    #expect(call(".build/debug/natter", "empty", "linked") == "natter")
    #expect(call("natter", "linked", "other", profile: "work") == "natter --profile work")
  }

  @Test func `where it is not known what was typed, the program's file is named`() {
    #expect(call("natter", "other") == program.path)
    #expect(call("", "empty") == program.path)
    #expect(call("./\u{1B}[31mnatter", "empty") == program.path)
    // It is typed in another terminal, in another folder.
    #expect(call(".build/debug/natter", "empty") == program.path)
    #expect(call("../natter", "empty", profile: "work") == program.path + " --profile work")
  }

  @Test func `a file that cannot be shown is called by the program's name`() {
    let odd = URL(filePath: "/opt/\u{1B}[31m/natter")
    for name in ["./natter", "/opt/\u{1B}[31m/natter", ""] {
      #expect(
        ProgramCall.text(name: name, executable: odd, searchPath: "", profile: nil) == "natter")
    }
  }

  @Test func `odd letters are quoted for a shell`() {
    #expect(call("/my chat/natter", "empty") == "'/my chat/natter'")
    #expect(call("/it's/natter", "empty") == "'/it'\\''s/natter'")
    #expect(call("/$HOME/日本/natter", "empty") == "'/$HOME/日本/natter'")
  }
}
