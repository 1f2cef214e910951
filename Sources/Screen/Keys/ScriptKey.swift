/// The name of a script's command in key files and after `/do`: `script:greeter/greet`.
nonisolated package struct ScriptKey: Hashable, Sendable {
  package let script: String
  package let command: String

  /// `nil` for a text of another form; the script need not exist.
  package init?(_ text: String) {
    guard text.hasPrefix("script:") else { return nil }
    let parts = text.dropFirst("script:".count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(Self.isName) else { return nil }
    (script, command) = (String(parts[0]), String(parts[1]))
  }

  /// Returns whether a text is `[a-z][a-z0-9-]{0,31}`.
  private static func isName(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 32,
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
    else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }
}
