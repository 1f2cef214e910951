import ScriptService
import Testing

@Suite struct ScriptNameTests {
  @Test(arguments: ["a", "greeter", "x2-y", String(repeating: "a", count: 32)])
  func `small letters, digits and hyphens form a name`(text: String) {
    #expect(ScriptName.isValid(text))
  }

  @Test(arguments: [
    "", "2a", "-a", "A", "é", "a b", "a/b", "..", "a\u{301}", String(repeating: "a", count: 33),
  ])
  func `everything else is no name`(text: String) {
    #expect(!ScriptName.isValid(text))
  }
}
