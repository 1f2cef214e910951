import Configuration
import FoundationEssentials
import Glibc
import Keys
import Panes
import TOML

/// The keys of the program: those of a preset, with the additions and removals of `keys.toml`.
struct KeyChoice {
  /// The result of reading a file that was written while the program runs.
  enum Outcome: Equatable {
    /// It is used; with warnings about keys that may not work on every terminal.
    case taken(warnings: [FileProblem])
    /// It has mistakes: the keys are unchanged.
    case kept([FileProblem])
  }

  private(set) var table: KeyBindingTable
  /// The mistakes in the file when it was last read. When the program starts, the rest of it is
  /// used.
  private(set) var problems: [FileProblem]

  /// The user's own file.
  let file: URL
  private var ui: Settings.Interface
  /// The contents of the file when it was last used.
  private var text = ""
  /// The modification time of the file that was last read; `nil`: there was none.
  private var date: Date?

  private static let sizeLimit = 1 << 20

  /// - Parameter ui: the preset, and the action of Enter.
  init(_ ui: Settings.Interface, file: URL) {
    (self.ui, self.file) = (ui, file)
    date = FileDate.of(file.path)
    switch Self.text(of: file) {
    case .read(let read):
      text = read
      let (fresh, wrong, _) = ui.keyTable.applying(read, file: file.lastPathComponent)
      (table, problems) = (fresh, wrong + Self.traps(in: fresh, file))
    case .unreadable(let reported): (table, problems) = (ui.keyTable, [reported])
    }
  }

  /// Switches to the keys of other settings; the additions of the file stay.
  mutating func use(_ ui: Settings.Interface) {
    self.ui = ui
    table = ui.keyTable.applying(text, file: file.lastPathComponent).table
  }

  /// Reads the file again if it has been written or deleted since.
  /// - Returns: the result; `nil` when it has not changed.
  mutating func readAgain() -> Outcome? {
    let now = FileDate.of(file.path)
    guard now != date else { return nil }
    date = now
    switch Self.text(of: file) {
    case .unreadable(let reported): problems = [reported]
    case .read(let read):
      let (fresh, wrong, isWhole) = ui.keyTable.applying(read, file: file.lastPathComponent)
      problems = wrong + Self.traps(in: fresh, file)
      guard isWhole else { break }
      (table, text) = (fresh, read)
      return .taken(warnings: problems)
    }
    return .kept(problems)
  }

  /// A warning if no key quits; the file is used all the same, because /quit works.
  private static func traps(in table: KeyBindingTable, _ file: URL) -> [FileProblem] {
    table.canQuit
      ? []
      : [
        FileProblem(
          file: file.lastPathComponent, line: nil, [LocalizableText("mistake.keys.noQuit")])
      ]
  }

  // MARK: The file

  private enum Content {
    case read(String)
    case unreadable(FileProblem)
  }

  /// The contents of the file; empty where there is none.
  private static func text(of file: URL) -> Content {
    guard access(file.path, F_OK) == 0 else { return .read("") }
    guard let text = try? String(contentsOfFile: file.path, encoding: .utf8),
      text.utf8.count < sizeLimit
    else {
      return .unreadable(
        FileProblem(
          file: file.lastPathComponent, line: nil, [LocalizableText("mistake.keys.unreadable")]))
    }
    return .read(text)
  }
}

extension Settings.Interface {
  /// The keys of these settings.
  var keyTable: KeyBindingTable {
    let table: KeyBindingTable =
      switch keys {
      case .natter: .natter
      case .vi: .vi
      case .emacs: .emacs
      case .slack: .slack
      }
    return enter == .newLine ? table.enteringLines : table
  }
}
