import Foundation
import Synchronization

/// The texts of `Resources/locales/en` as `section.key`, read without the program's own reader.
package func englishTexts() throws -> [String: String] { try texts(of: "en") }

/// The texts of a language in `Resources/locales`: read once, for hundreds of tests want them.
package func texts(of tag: String) throws -> [String: String] {
  if let texts = loaded.withLock({ $0[tag] }) { return texts }
  let texts = try load(tag)
  loaded.withLock { $0[tag] = texts }
  return texts
}

/// The text of a key in a language, its placeholders filled: for modules below the one that does
/// that in the program.
///
/// A key that the language lacks is its own text, as it is there.
package func localeText(
  _ key: String, _ arguments: [String: String] = [:], in tag: String = "en"
) -> String {
  let all = try? texts(of: tag)
  let text = all?[key] ?? key
  return arguments.reduce(text) {
    $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value)
      .replacingOccurrences(
        of: "{\($1.key):system}",
        with: all?["error.system.\($1.value)"] ?? $1.value
      ).replacingOccurrences(
        of: "{\($1.key):list}",
        with: $1.value.replacing(", ", with: all?["list.separator"] ?? ", "))
  }
}

private let loaded = Mutex<[String: [String: String]]>([:])

private func load(_ tag: String) throws -> [String: String] {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  let directory = root.appending(path: "Resources/locales/\(tag)")
  var texts: [String: String] = [:]
  var section = ""
  let lines = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().flatMap {
    try String(contentsOf: directory.appending(path: $0), encoding: .utf8)
      .split(separator: "\n")
  }
  for line in lines {
    if line.hasPrefix("["), let end = line.lastIndex(of: "]") {
      section = String(line[line.index(after: line.startIndex)..<end])
    } else if let equals = line.range(of: " = \""), line.hasSuffix("\""), !line.hasPrefix("#") {
      let key = line[..<equals.lowerBound].trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
      let value = line[equals.upperBound...].dropLast()
        .replacingOccurrences(of: "\\\"", with: "\"").replacingOccurrences(of: "\\n", with: "\n")
        .replacingOccurrences(of: "\\\\", with: "\\")
      texts["\(section).\(key)"] = value
    }
  }
  return texts
}
