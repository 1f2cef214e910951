import NatterCore

/// The candidates that complete a path.
nonisolated enum PathCompletion {
  private static let limit = 200

  /// Returns the files and folders with that prefix, by name, exact case first; hidden ones only if
  /// the dot is typed.
  /// - Parameters:
  ///   - absolute: returns the absolute path of a typed one, with `~` expanded.
  ///   - entries: returns the entries of the folder at that path.
  static func items(
    for typed: String, absolute: (String) -> String,
    entries: (String) -> [ShellViewModel.FolderEntry]
  ) -> [CompletionItem] {
    if typed == "~" { return [CompletionItem(text: "~/", isOpen: true)] }
    let plain = typed.contains("\\") ? DroppedPath.path(in: typed) ?? typed : typed
    let folder = plain.lastIndex(of: "/").map { plain[...$0] } ?? ""
    let name = plain[folder.endIndex...]
    let wanted = SearchForm.of(name)
    return entries(folder.isEmpty ? "." : absolute(String(folder)))
      .filter {
        SearchForm.of($0.name).hasPrefix(wanted) && (!$0.name.hasPrefix(".") || name.hasPrefix("."))
      }
      .map { (key: ($0.name.hasPrefix(name) ? 0 : 1, $0.name.lowercased()), entry: $0) }
      .sorted { $0.key < $1.key }.prefix(limit)
      .map { _, entry in
        // In the input, a backslash escapes the next character.
        let path = "\(folder)\(entry.name)".replacing("\\", with: "\\\\")
        return CompletionItem(text: entry.isFolder ? path + "/" : path, isOpen: entry.isFolder)
      }
  }
}
