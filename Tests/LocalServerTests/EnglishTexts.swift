import Foundation
import LocalServer

/// The guide's English texts, read from the file that is shipped.
enum EnglishTexts {
  struct Malformed: Error {
    let line: String
  }

  static func load() throws -> [String: String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "Resources/locales/en/guide.toml")
    var texts: [String: String] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    where !line.hasPrefix("#") && line != "[guide]" {
      guard let match = line.wholeMatch(of: /"?([a-z0-9.]+)"? = "(.*)"/),
        texts["guide." + match.1] == nil
      else { throw Malformed(line: String(line)) }
      texts["guide." + match.1] = String(match.2).replacing("\\\"", with: "\"")
    }
    return texts
  }

  static func lookup(in texts: [String: String]) -> ServerSettings.Texts {
    { key, arguments in
      arguments.reduce(texts[key] ?? key) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
  }
}
