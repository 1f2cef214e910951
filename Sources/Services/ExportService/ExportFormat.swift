/// The formats in which `natter export` writes history.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// The objects of the output for programs, a line each.
  case jsonl
  /// Lines to read, in local time.
  case text
  /// A page for a browser.
  case html
  /// Everything, to be imported again.
  case archive

  /// Creates the format that the ending of a file's name suggests; `nil` for an unknown ending.
  package init?(ofFile path: String) {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    switch String(Substring(name[dot...])).lowercased() {
    case ".jsonl", ".json", ".ndjson": self = .jsonl
    case ".txt", ".text", ".log": self = .text
    case ".html", ".htm": self = .html
    case ".tar": self = .archive
    default: return nil
    }
  }
}
