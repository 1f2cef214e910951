import FoundationEssentials
import Glibc
import TOML

/// The mistakes in the user's own files of a language: their readable parts are used all the same.
nonisolated enum LanguageMistakes {
  /// - Parameter folders: the folders of languages, those shipped first.
  /// - Returns: each with its file, as a path in the user's directory, and its line.
  static func all(of tag: String, in folders: [URL]) -> [FileProblem] {
    guard let shipped = folders.first else { return [] }
    let own = folders.dropFirst().flatMap { folder in
      LocaleCatalogue.files(of: tag, in: folder).map { path in
        (path, folder.lastPathComponent + path.dropFirst(folder.path.count))
      }
    }
    guard !own.isEmpty, let english = try? LocaleCatalogue("en", in: [shipped]) else { return [] }
    return own.flatMap { path, label in
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        return [FileProblem(file: label, line: nil, [LocalizableText("mistake.keys.unreadable")])]
      }
      return mistakes(in: text, english).map { $0.problem(in: label) }
    }
  }

  private static func mistakes(in text: String, _ english: LocaleCatalogue) -> [TOMLError] {
    var (document, errors) = TOMLDocument.parseCollectingErrors(text)
    for table in document.tables {
      for entry in table.entries {
        let key = (table.path + [entry.key]).joined(separator: ".")
        if entry.value.string == nil {
          errors.append(
            TOMLError(
              line: entry.line,
              LocalizableText(
                "mistake.config.kind",
                [
                  "key": .verbatim(key), "wanted": .named("mistake.kind.string"),
                  "found": entry.value.kindName,
                ])))
        } else if !isKnown(key, english) {
          errors.append(
            TOMLError(
              line: entry.line, LocalizableText("mistake.locale.unknown", ["key": .verbatim(key)])))
        }
      }
    }
    return errors.sorted { $0.line < $1.line }
  }

  /// Returns whether there is such a text. Other languages have more plural forms than English.
  private static func isKnown(_ key: String, _ english: LocaleCatalogue) -> Bool {
    if english.text(key) != nil { return true }
    guard let point = key.lastIndex(of: "."),
      ["zero", "one", "two", "few", "many"].contains(String(key[key.index(after: point)...]))
    else { return false }
    return english.text(key[..<point] + ".other") != nil
  }
}
