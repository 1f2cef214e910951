import Foundation
import TestSupport
import Testing

@testable import natter

/// The completions of the shells.
@Suite struct CompletionScriptTests {
  @Test func `every option of the manual is completed, and each is one that the program takes`()
    throws
  {
    let file = Programs.checkout.appending(path: "man/natter.1")
    let manual = try String(contentsOf: file, encoding: .utf8)
    let reported = Set(
      manual.matches(of: /(?m)^\.It Fl (?:[A-Za-z] , )?\\-([a-z-]+)/).map { "--\($0.output.1)" })
    #expect(reported.count > 10)
    // The manual has these beside their commands.
    let own = CompletionScript.options.map(\.name).filter {
      !["--browser", "--crash", "--js", "--py", "--sh"].contains($0)
    }
    #expect(reported.symmetricDifference(own) == [])
    for (name, value) in CompletionScript.options {
      var arguments = [name]
      switch value {
      case .none: break
      case .file, .other: arguments.append("x")
      case .words(let words): arguments.append(words[0])
      }
      do {
        _ = try CommandLineOptions.parse(arguments)
      } catch {
        // Some go with a command only.
        let isOfCommand = [
          "--file", "--browser", "--fresh", "--json", "--since", "--until", "--limit", "--in",
          "--total", "--format", "--output", "--all", "--force", "--files", "--after", "--as",
          "--offline", "--socket", "--me", "--tz", "--only", "--dry-run", "--find", "--undo",
          "--crash", "--fetch", "--yes", "--js", "--py", "--sh",
        ].contains(name)
        #expect(isOfCommand && error.key != "cli.needs-value", "\(name)")
      }
    }
  }

  @Test func `the shell has to be one of three`() throws {
    #expect(try CommandLineOptions.parse(["--completion", "zsh"]).1 == .printCompletion(.zsh))
    #expect(throws: UsageError.self) { try CommandLineOptions.parse(["--completion=tcsh"]) }
    #expect(throws: UsageError.self) { try CommandLineOptions.parse(["--completion", "zsh", "x"]) }
    for shell in CompletionScript.Shell.allCases {
      #expect(CompletionScript.text(for: shell).contains("log-level"))
    }
  }

  @Test(arguments: [
    ("natter lo", "login logout"), ("natter --tls = st", "starttls"),
    ("natter --tls =", "auto starttls direct off"), ("natter send --file = ", "with blank.txt"),
    ("natter --tls st", "starttls"),
    ("natter --print-", "--print-config --print-keys"),
    ("natter theme ", "check"), ("natter hi", "history"), ("natter search --in al", ""),
    ("natter ex", "export"), ("natter export --format ", "jsonl text html archive"),
    ("natter export --output ", "with blank.txt"), ("natter import wi", "with blank.txt"),
    ("natter import --as poe", "poezio"),
    ("natter history --s", "--server --screen --sh --since --socket"), ("natter send al", ""),
    ("natter scripts ", "enable disable restart grant revoke log check new"),
    ("natter scripts gr", "grant"), ("natter scripts --js", "--js --json"),
    ("natter scripts enable gr", ""), ("natter scripts check ", "with blank.txt"),
    ("natter --account al", ""),
    ("natter --log-level debug do", "doctor"), ("natter send --file ", "with blank.txt"),
  ])
  func `bash completes`(line: String, expected: String) async throws {
    let folder = try TemporaryFolder("completion")
    defer { folder.remove() }
    try folder.write(CompletionScript.text(for: .bash), to: "completion")
    try folder.write("", to: "files/with blank.txt")
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    let script = """
      . ../completion
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
      _natter; IFS=' '; printf '%s' "${COMPREPLY[*]}"
      """
    let run = try await CommandRun.check("bash", ["-c", script], directory: folder.path("files"))
    #expect(run.text == expected && run.errorText == "", "\(run.errorText)")
  }
}
