import Foundation
import TestSupport
import Testing

@testable import natter

/// The files of a script on its command line.
@Suite struct ScriptArgumentsTests {
  @Test func `a file of the folder becomes its path, and every other argument stays`() throws {
    let folder = try TemporaryFolder("arguments")
    try folder.write("", to: "main.mjs")
    try folder.write("", to: "lib/more.py")
    let words = ["main.mjs", "./lib/more.py", "lib", "../x", "--flag", "", ".", "a//b", "other"]
    #expect(
      ScriptArguments.resolved(words, in: folder.root.path) == [
        folder.path("main.mjs"), folder.path("lib/more.py"), "lib", "../x", "--flag", "", ".",
        "a//b", "other",
      ])
  }
}
