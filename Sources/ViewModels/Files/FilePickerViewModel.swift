import NatterCore

/// One row of the list that files are chosen from, its text final.
nonisolated package struct PickerItem: Identifiable, Hashable, Sendable {
  /// The row's place in the list, from 0.
  package let id: Int
  /// With a slash at the end where it is a folder.
  package let name: String
  package let size: String
  package let isFolder: Bool
  package let isMarked: Bool
  package let isSelected: Bool
}

/// The files of this machine, a folder at a time, to choose some of them.
///
/// Folders are read and files looked into elsewhere than on the main actor; rows are made only for what is on the screen.
package final class FilePickerViewModel {
  package let invalidation = Invalidation()
  package let title: String
  /// Where it is: absolute, without a slash at the end.
  package private(set) var folder: String
  /// What names are to have in them.
  package private(set) var query = ""
  /// Graphemes before the cursor in `query`.
  package private(set) var cursor = 0
  /// The row that is stood on.
  package private(set) var selected = 0
  package private(set) var showsHidden = false
  /// Why there is nothing to choose from, or that it is still being read; empty: neither.
  package private(set) var message = ""
  /// What can be seen of the selected file; `nil` until it is there.
  package private(set) var preview: FilePreview?
  /// Called once, with the absolute paths of what was chosen, none where nothing was, and with the last folder.
  package var onEnd: ([String], String) -> Void = { _, _ in }

  private let localizer: Localizer
  private let looking: any FileLooking
  private let lifetime: Lifetime
  private let absolute: (String) -> String
  /// What is in the folder, and the names to look through.
  private var files: [FolderFile] = []
  private var names = FuzzyIndex([])
  /// The places in `files` of what is listed. The way up stands before them.
  private var listed: [Int] = []
  private var hasParentRow = false
  /// In the order in which they were marked.
  private var marked: [String] = []
  /// Counts what was asked for: what comes of an earlier wish is of no use.
  private var visit = 0
  private var previewed = ""
  private var hasEnded = false

  /// - Parameters:
  ///   - folder: where to begin; one that is not there leads to the person's home.
  ///   - absolute: the absolute path of what a person typed, with a `~` replaced.
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

  // MARK: Where it is

  /// - Parameters:
  ///   - name: the row to stand on afterwards.
  ///   - otherwise: where to go when this cannot be read.
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
      // Whoever comes out of a hidden folder sees where he was.
      if let name, name.hasPrefix(".") { showsHidden = true }
      list()
      if let name, let place = listed.firstIndex(where: { files[$0].name == name }) {
        select(place + (hasParentRow ? 1 : 0))
      }
    case .failure(let error):
      if let otherwise, Self.plain(otherwise) != folder { return go(to: otherwise) }
      message = localizer(NatterError(telling: error, key: "error.folder.unreadable"))
      invalidation.raise()
    }
  }

  /// Goes to the folder above, and stands on the one it comes from.
  package func goUp() {
    guard folder != "/", let slash = folder.lastIndex(of: "/") else { return }
    let name = String(folder[folder.index(after: slash)...])
    go(to: slash == folder.startIndex ? "/" : String(folder[..<slash]), selecting: name)
  }

  // MARK: Rows

  /// How many rows there are.
  package var count: Int { listed.count + (hasParentRow ? 1 : 0) }

  /// Some of the rows.
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

  /// How many files are marked, in words; empty for none.
  package var markedText: String {
    marked.isEmpty ? "" : localizer.plural("picker.marked", marked.count)
  }

  /// What is below the list: the keys.
  package var hints: [KeyHint] {
    [
      localizer.hint(
        selectedFile.map { !$0.isFolder } ?? false ? "picker.keysSend" : "picker.keysOpen"),
      localizer.wayOut("dialog.keysClose"), localizer.hint("picker.keysMark"),
      localizer.hint("picker.keysUp"), localizer.hint("picker.keysHidden"),
    ]
  }

  /// The file of a row; `nil` for the way up.
  private func file(_ row: Int) -> FolderFile? {
    let place = row - (hasParentRow ? 1 : 0)
    return listed.indices.contains(place) ? files[listed[place]] : nil
  }

  private var selectedFile: FolderFile? { file(selected) }

  private func path(of file: FolderFile) -> String {
    folder == "/" ? "/" + file.name : folder + "/" + file.name
  }

  private func list() {
    let wantsHidden = showsHidden || query.hasPrefix(".")
    listed = names.containing(query).filter { wantsHidden || !files[$0].isHidden }
    // Whoever begins with a dot means those that begin with it.
    if query.hasPrefix(".") { listed.removeAll { !files[$0].isHidden } }
    hasParentRow = folder != "/" && query.isEmpty
    message =
      !listed.isEmpty
      ? "" : localizer(query.isEmpty ? "picker.empty" : "palette.notListed")
    // What is in the folder is nearer than the way out of it.
    select(hasParentRow && !listed.isEmpty ? 1 : 0)
  }

  // MARK: What the person does

  /// What names are to have in them, after a key of the line editor. A path that ends in a slash leads there.
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

  /// Shows the names that begin with a dot, or not.
  package func toggleHidden() {
    showsHidden.toggle()
    let name = selectedFile?.name
    list()
    if let name, let place = listed.firstIndex(where: { files[$0].name == name }) {
      select(place + (hasParentRow ? 1 : 0))
    }
  }

  /// Marks the selected file, or no longer, and goes to the next.
  package func toggleMark() {
    guard let file = selectedFile, !file.isFolder else { return }
    let path = path(of: file)
    if let place = marked.firstIndex(of: path) {
      marked.remove(at: place)
    } else {
      marked.append(path)
    }
    moveSelection(1)
  }

  /// Opens the selected folder, or ends with what is marked; with the selected file where nothing is.
  package func open() {
    guard let file = selectedFile else { return hasParentRow && selected == 0 ? goUp() : () }
    if file.isFolder { return go(to: path(of: file)) }
    end(marked.isEmpty ? [path(of: file)] : marked)
  }

  /// Opens the selected folder, where it is one.
  package func openFolder() { if selectedFile?.isFolder ?? true { open() } }

  /// Ends without a choice.
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
