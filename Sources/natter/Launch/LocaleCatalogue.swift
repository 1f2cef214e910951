import Foundation
import TOML
import ViewModels

/// Reads a language's texts: every file of `Resources/locales/TAG`, with `[table]` and `key` joined by a point.
enum LocaleCatalogue {
  /// - Throws: `MissingResources` when the language has no directory, `CommandFailure` for a broken file.
  static func texts(_ tag: String, in resources: URL) throws -> [String: String] {
    let directory = resources.appending(path: "locales").appending(path: tag)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path) else {
      throw MissingResources(places: [directory.path])
    }
    var texts: [String: String] = [:]
    texts.reserveCapacity(1024)
    for name in names.sorted() where name.hasSuffix(".toml") {
      let file = directory.appending(path: name)
      let document: TOMLDocument
      do { document = try TOMLDocument.parse(String(contentsOf: file, encoding: .utf8)) } catch {
        throw CommandFailure(code: .internalError, text: "\(file.path): \(error)")
      }
      for table in document.tables {
        let prefix = table.path.map { $0 + "." }.joined()
        for entry in table.entries {
          guard let text = entry.value.string else { continue }
          texts[prefix + entry.key] = text
        }
      }
    }
    return texts
  }
}
