import Foundation

/// The texts of `Resources/locales/en.toml` as `section.key`, read without the program's own reader.
package func englishTexts() throws -> [String: String] {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  let file = try String(
    contentsOf: root.appending(path: "Resources/locales/en.toml"), encoding: .utf8)
  var texts: [String: String] = [:]
  var section = ""
  for line in file.split(separator: "\n") {
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
