import LocalServer
import TestSupport

/// The English texts of the guide and of the web pages, read from the files that are shipped.
enum EnglishTexts {
  static func load() throws -> [String: String] { try guide.get() }

  private static let guide = Result {
    try englishTexts().filter { $0.key.hasPrefix("localGuide.") || $0.key.hasPrefix("localPage.") }
  }

  static func lookup(in texts: [String: String]) -> ServerSettings.Texts {
    { key, arguments in
      arguments.reduce(texts[key] ?? key) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
  }
}
