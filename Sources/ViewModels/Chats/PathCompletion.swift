/// What a path that is being typed can become.
nonisolated enum PathCompletion {
  private static let limit = 200

  /// The files and folders that begin so, by name, those that are written as it was typed before the others; hidden ones only
  /// where their dot is typed.
  /// - Parameters:
  ///   - absolute: the absolute path of what a person typed, with a `~` replaced.
  ///   - entries: what is in the folder of that path.
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
        // In what is typed a backslash says that the next sign is meant as it is.
        let path = "\(folder)\(entry.name)".replacing("\\", with: "\\\\")
        return CompletionItem(text: entry.isFolder ? path + "/" : path, isOpen: entry.isFolder)
      }
  }
}
