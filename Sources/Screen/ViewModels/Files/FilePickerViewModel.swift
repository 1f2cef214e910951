import NatterCore
import Text

/// One row of the file picker, its text final.
nonisolated package struct PickerItem: Identifiable, Hashable, Sendable {
  /// The index of the row, from 0.
  package let id: Int
  /// The file name, with a trailing slash for a folder.
  package let name: String
  package let size: String
  package let isFolder: Bool
  package let isMarked: Bool
  package let isSelected: Bool
}

/// The file picker: the files of this machine, a folder at a time.
///
/// Folders and previews are read off the main actor; rows are made only for the visible part.
package final class FilePickerViewModel {
  package let invalidation = Invalidation()
  package let title: String
  /// The current folder: absolute, without a trailing slash.
  package private(set) var folder: String
  /// The text that filters the names.
  package private(set) var query = ""
  /// Graphemes before the cursor in `query`.
  package private(set) var cursor = 0
  /// The highlighted row.
  package private(set) var selected = 0
  package private(set) var showsHidden = false
  /// The reason why the list is empty, or that it is loading; empty otherwise.
  package private(set) var message = ""
  /// The preview of the selected file; `nil` until it is loaded.
  package private(set) var preview: FilePreview?
  /// Called once, with the absolute paths of the chosen files, none after a cancellation, and the
  /// last folder.
  package var onEnd: ([String], String) -> Void = { _, _ in }

  private let localizer: Localizer
  private let looking: any FileLooking
  private let lifetime: Lifetime
  private let absolute: (String) -> String
  /// The entries of the folder, and the index of their names.
  private var files: [FolderFile] = []
  private var names = FuzzyIndex([])
  /// The indices in `files` of the listed ones. The parent row comes before them.
  private var listed: [Int] = []
  private var hasParentRow = false
  /// The marked paths, in the order in which they were marked.
  private var marked: [String] = []
  /// A number for each reading: the result of an earlier one is discarded.
  private var visit = 0
  private var previewed = ""
  private var hasEnded = false

  /// - Parameters:
  ///   - folder: the initial folder; if it does not exist, the user's home folder is used.
  ///   - absolute: returns the absolute path of a typed one, with `~` expanded.
  package init(
    title: String, folder: String, localizer: Localizer, looking: any FileLooking,
    lifetime: Lifetime, absolute: @escaping (String) -> String
  ) {
    self.title = title
    self.folder = Self.plain(folder)
    self.localizer = localizer
    self.looking = looking
    self.lifetime = lifetime
    self.absolute = absolute
    go(to: self.folder, otherwise: absolute("~/"))
  }

  private static func plain(_ path: String) -> String {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  // MARK: Folder

  /// - Parameters:
  ///   - name: the entry to select afterwards.
  ///   - otherwise: the folder to open if this one cannot be read.
  private func go(to path: String, selecting name: String? = nil, otherwise: String? = nil) {
    folder = Self.plain(path)
    (files, names, listed, selected) = ([], FuzzyIndex([]), [], 0)
    (query, cursor, preview, previewed) = ("", 0, nil, "")
    hasParentRow = folder != "/"
    message = localizer("picker.reading")
    visit += 1
    invalidation.raise()
    let (visit, wanted) = (visit, folder)
    lifetime.aside { [weak self, looking] in
      let result: Result<[FolderFile], any Error>
      do { result = .success(try await looking.files(in: wanted)) } catch {
        result = .failure(error)
      }
      self?.show(result, visit, selecting: name, otherwise: otherwise)
    }
  }

  private func show(
    _ result: Result<[FolderFile], any Error>, _ itsVisit: Int, selecting name: String?,
    otherwise: String?
  ) {
    guard itsVisit == visit else { return }
    switch result {
    case .success(let files):
      self.files = files
      names = FuzzyIndex(files.lazy.map(\.name))
      // After leaving a hidden folder, it stays visible.
      if let name, name.hasPrefix(".") { showsHidden = true }
      list()
      if let name, let index = listed.firstIndex(where: { files[$0].name == name }) {
        select(index + (hasParentRow ? 1 : 0))
      }
    case .failure(let error):
      if let otherwise, Self.plain(otherwise) != folder { return go(to: otherwise) }
      message = localizer(NatterError(reporting: error, key: "error.folder.unreadable"))
      invalidation.raise()
    }
  }

  /// Opens the parent folder, and selects the folder it comes from.
  package func goUp() {
    guard folder != "/", let slash = folder.lastIndex(of: "/") else { return }
    let name = String(folder[folder.index(after: slash)...])
    go(to: slash == folder.startIndex ? "/" : String(folder[..<slash]), selecting: name)
  }

  // MARK: Rows

  /// The number of rows.
  package var count: Int { listed.count + (hasParentRow ? 1 : 0) }

  /// Returns some of the rows.
  package func items(_ range: Range<Int>) -> [PickerItem] {
    range.clamped(to: 0..<count).map { row in
      guard let file = file(row) else {
        return PickerItem(
          id: row, name: "../", size: "", isFolder: true, isMarked: false,
          isSelected: row == selected)
      }
      return PickerItem(
        id: row, name: ErrorText.oneLine(file.name) + (file.isFolder ? "/" : ""),
        size: file.byteCount.map { localizer.size($0) } ?? "", isFolder: file.isFolder,
        isMarked: marked.contains(path(of: file)), isSelected: row == selected)
    }
  }

  /// The number of marked files as text; empty for none.
  package var markedText: String {
    marked.isEmpty ? "" : localizer.plural("picker.marked", marked.count)
  }

  /// The hints below the list.
  package var hints: [KeyHint] {
    [
      localizer.hint(
        selectedFile.map { !$0.isFolder } ?? false ? "picker.keysSend" : "picker.keysOpen"),
      localizer.wayOut("dialog.keysClose"), localizer.hint("picker.keysMark"),
      localizer.hint("picker.keysUp"), localizer.hint("picker.keysHidden"),
    ]
  }

  /// Returns the file of a row; `nil` for the parent row.
  private func file(_ row: Int) -> FolderFile? {
    let index = row - (hasParentRow ? 1 : 0)
    return listed.indices.contains(index) ? files[listed[index]] : nil
  }

  private var selectedFile: FolderFile? { file(selected) }

  private func path(of file: FolderFile) -> String {
    folder == "/" ? "/" + file.name : folder + "/" + file.name
  }

  private func list() {
    let wantsHidden = showsHidden || query.hasPrefix(".")
    listed = names.containing(query).filter { wantsHidden || !files[$0].isHidden }
    // A query with an initial dot means names with an initial dot.
    if query.hasPrefix(".") { listed.removeAll { !files[$0].isHidden } }
    hasParentRow = folder != "/" && query.isEmpty
    message =
      !listed.isEmpty
      ? "" : localizer(query.isEmpty ? "picker.empty" : "palette.notListed")
    // The first entry is a better default than the parent row.
    select(hasParentRow && !listed.isEmpty ? 1 : 0)
  }

  // MARK: User input

  /// Updates the query after a key of the line editor. A path that ends in a slash opens that
  /// folder.
  package func edit(_ text: String, cursor: Int) {
    if text.hasSuffix("/"), text != query {
      let isFromRoot = text.hasPrefix("/") || text.hasPrefix("~")
      return go(
        to: isFromRoot ? absolute(text) : folder + "/" + text)
    }
    self.cursor = min(max(0, cursor), text.count)
    if text != query {
      query = text
      list()
    }
    invalidation.raise()
  }

  /// Moves the selection; it stops at the ends.
  package func moveSelection(_ step: Int) {
    select(
      min(max(0, count - 1), max(0, step == .max ? count : step == .min ? 0 : selected + step)))
  }

  package func select(_ row: Int) {
    selected = row
    invalidation.raise()
    look()
  }

  /// Shows or hides names with an initial dot.
  package func toggleHidden() {
    showsHidden.toggle()
    let name = selectedFile?.name
    list()
    if let name, let index = listed.firstIndex(where: { files[$0].name == name }) {
      select(index + (hasParentRow ? 1 : 0))
    }
  }

  /// Marks or unmarks the selected file, and moves to the next one.
  package func toggleMark() {
    guard let file = selectedFile, !file.isFolder else { return }
    let path = path(of: file)
    if let index = marked.firstIndex(of: path) {
      marked.remove(at: index)
    } else {
      marked.append(path)
    }
    moveSelection(1)
  }

  /// Opens the selected folder, or ends with the marked files; without marks, with the selected
  /// one.
  package func open() {
    guard let file = selectedFile else { return hasParentRow && selected == 0 ? goUp() : () }
    if file.isFolder { return go(to: path(of: file)) }
    end(marked.isEmpty ? [path(of: file)] : marked)
  }

  /// Opens the selected folder, if it is a folder.
  package func openFolder() { if selectedFile?.isFolder ?? true { open() } }

  /// Ends without choosing files.
  package func cancel() { end([]) }

  private func end(_ chosen: [String]) {
    guard !hasEnded else { return }
    hasEnded = true
    onEnd(chosen, folder)
  }

  // MARK: Preview

  private func look() {
    let wanted = selectedFile.flatMap { $0.isFolder ? nil : path(of: $0) } ?? ""
    guard wanted != previewed else { return }
    (previewed, preview) = (wanted, nil)
    guard !wanted.isEmpty else { return }
    lifetime.aside { [weak self, looking] in
      let preview = await looking.preview(of: wanted)
      guard let self, previewed == wanted else { return }
      self.preview = preview
      invalidation.raise()
    }
  }
}
