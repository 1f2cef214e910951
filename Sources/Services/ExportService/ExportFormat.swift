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
}
