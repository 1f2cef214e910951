import Terminal
import Testing

@testable import Keys

/// Keys for commands of scripts.
@Suite struct ScriptKeyTests {
  @Test(arguments: [
    "script:", "script:greeter", "script:greeter/", "script:/greet", "script:a/b/c",
    "greeter/greet",
    "script:Greeter/greet", "script:greeter/1x", "script:gr eeter/greet",
    "script:greeter/gr\u{E9}et",
    "script:-a/b", "Script:a/b",
  ])
  func `another text names no command of a script`(text: String) {
    #expect(ScriptKey(text) == nil)
  }

  @Test func `a key file binds commands of scripts, and says what is none`() {
    let (table, problems, isWhole) = KeyBindingTable.natter.applying(
      "[everywhere]\n\"^X j\" = \"script:greeter/greet-2\"\n", file: "keys.toml")
    #expect(problems == [] && isWhole)
    let match = table.match([.control("x"), .character("j")], in: .input)
    guard case .script(let key) = match else {
      Issue.record("\(match)")
      return
    }
    #expect(key.script == "greeter" && key.command == "greet-2")
    let wrong = KeyBindingTable.natter.applying(
      "[everywhere]\n\"^X j\" = \"script:greeter\"\n[list]\n\"x\" = \"script:a/b\"\n",
      file: "keys.toml")
    #expect(wrong.problems.count == 1 && !wrong.isWhole)
  }

  @Test func `a letter that is typed cannot be bound to a script, either`() {
    let (_, problems, isWhole) = KeyBindingTable.natter.applying(
      "[input]\n\"x\" = \"script:a/b\"\n", file: "keys.toml")
    #expect(problems.count == 1 && !isWhole)
  }
}
