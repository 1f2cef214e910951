import LocalServer
import TestSupport

/// The guide's English texts, read from the files that are shipped.
enum EnglishTexts {
  static func load() throws -> [String: String] { try guide.get() }

  private static let guide = Result {
    try englishTexts().filter { $0.key.hasPrefix("localGuide.") }
  }

  static func lookup(in texts: [String: String]) -> ServerSettings.Texts {
    { key, arguments in
      arguments.reduce(texts[key] ?? key) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
  }
}
