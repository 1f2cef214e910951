import ChatsFixtures
import NatterCore
import TestSupport
import Testing

@testable import ViewModels

/// What is typed after `/script`, and the names of scripts' commands.
@Suite struct ScriptRequestTests {
  @Test(arguments: [
    ("", ScriptRequest.list), ("LIST", .list), ("enable greeter", .enable("greeter")),
    ("disable weather", .disable("weather")), ("restart greeter", .restart("greeter")),
    ("log  weather", .log("weather")), ("Rights greeter", .rights("greeter")),
    ("yes", .answer(.yes)), ("always", .answer(.always)), ("no", .answer(.no)),
    ("once", .answer(.once)), ("never", .answer(.never)),
  ])
  func `an operation is read with its name`(text: String, request: ScriptRequest) throws {
    #expect(try ScriptRequest(text, names: ["greeter", "weather"]) == request)
  }

  @Test(arguments: [
    ("start greeter", "scripts.error.operation"), ("yes greeter", "scripts.error.operation"),
    ("enable", "scripts.error.name"), ("log nothing", "scripts.error.unknown"),
    ("log greeter now", "scripts.error.unknown"),
  ])
  func `what is wrong is said`(text: String, key: String) {
    let error = #expect(throws: NatterError.self) {
      try ScriptRequest(text, names: ["greeter", "weather"])
    }
    #expect(error?.key == key)
  }

  @Test func `a single script needs no name, and none has another error`() throws {
    #expect(try ScriptRequest("log", names: ["greeter"]) == .log("greeter"))
    let error = #expect(throws: NatterError.self) { try ScriptRequest("log x", names: []) }
    #expect(error?.key == "scripts.error.none")
  }

  private func script(
    _ name: String, _ state: ScriptState = .sleeping, _ commands: [String]
  ) -> ScriptSummary {
    var manifest = ScriptManifest(title: name, version: "1", run: ["x"])
    manifest.commands = commands.map {
      .init(name: $0, arguments: "", help: "", isInPalette: false)
    }
    return ScriptSummary(name: name, state: state, manifest: manifest)
  }

  private func commands(_ scripts: ScriptSummary...) -> ScriptCommands {
    ScriptCommands(scripts, beside: CommandTable(), and: ["accept"], english())
  }

  @Test func `a name that is taken gets that of its script before it`() {
    let commands = commands(
      script("a", .running, ["greet", "quit", "qui", "exit", "accept"]),
      script("b", .asking, ["greet", "sum"]))
    #expect(
      commands.entries.map(\.name) == [
        "greet", "a:quit", "a:qui", "a:exit", "a:accept", "b:greet", "sum",
      ])
    #expect(commands.entry(named: "B:Greet")?.script.name == "b")
    #expect(commands.entry(named: "a:greet")?.script.name == "a")
    #expect(commands.entry(named: "quit") == nil)
  }

  @Test func `only scripts that are enabled and valid have commands`() {
    let notice = StatusNotice(.error, "scripts.error.off")
    let states: [(ScriptState, Bool)] = [
      (.off, false), (.sleeping, true), (.running, true), (.asking, true), (.failed(notice), true),
      (.bad(line: 1, notice), false), (.unsafe(path: "/x"), false), (.changed, false),
    ]
    for (state, offers) in states {
      #expect(commands(script("a", state, ["sum"])).entries.isEmpty != offers, "\(state)")
    }
  }
}
