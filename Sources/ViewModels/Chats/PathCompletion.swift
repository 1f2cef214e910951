/// What a path that is being typed can become.
nonisolated enum PathCompletion {
  private static let limit = 200

  /// The files and folders that begin so, by name; hidden ones only where their dot is typed.
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
      .sorted { $0.name.lowercased() < $1.name.lowercased() }.prefix(limit)
      .map { entry in
        // In what is typed a backslash says that the next sign is meant as it is.
        let path = "\(folder)\(entry.name)".replacing("\\", with: "\\\\")
        return CompletionItem(text: entry.isFolder ? path + "/" : path, isOpen: entry.isFolder)
      }
  }
}
