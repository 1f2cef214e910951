import Configuration
import FoundationEssentials
import Glibc
import Panes
import TOML

/// The keys of the program: those of a preset, with what `keys.toml` adds to them and takes away.
struct KeyChoice {
  /// What became of a file that was written while the program runs.
  enum Outcome: Equatable {
    /// It holds; what may not work on every terminal.
    case taken(warnings: [FileProblem])
    /// It is wrong: the keys are as they were before.
    case kept([FileProblem])
  }

  private(set) var table: KeyBindingTable
  /// What was wrong in the file when it was last read. When the program starts the rest of it is used.
  private(set) var problems: [FileProblem]

  /// The person's own file.
  let file: URL
  private var ui: Settings.Interface
  /// What the file said when it was last taken.
  private var text = ""
  /// When the file that was last read was written; `nil`: there was none.
  private var date: Date?

  private static let sizeLimit = 1 << 20

  /// - Parameter ui: whose keys they are, and what Enter does.
  init(_ ui: Settings.Interface, file: URL) {
    (self.ui, self.file) = (ui, file)
    date = FileDate.of(file.path)
    switch Self.text(of: file) {
    case .read(let read):
      text = read
      let (fresh, wrong, _) = ui.keyTable.applying(read, file: file.lastPathComponent)
      (table, problems) = (fresh, wrong + Self.traps(in: fresh, file))
    case .unreadable(let told): (table, problems) = (ui.keyTable, [told])
    }
  }

  /// Takes the keys that other settings ask for; what the file adds to them stays.
  mutating func use(_ ui: Settings.Interface) {
    self.ui = ui
    table = ui.keyTable.applying(text, file: file.lastPathComponent).table
  }

  /// Reads the file again if it has been written or taken away since.
  /// - Returns: what came of it; `nil` when it is as it was.
  mutating func readAgain() -> Outcome? {
    let now = FileDate.of(file.path)
    guard now != date else { return nil }
    date = now
    switch Self.text(of: file) {
    case .unreadable(let told): problems = [told]
    case .read(let read):
      let (fresh, wrong, isWhole) = ui.keyTable.applying(read, file: file.lastPathComponent)
      problems = wrong + Self.traps(in: fresh, file)
      guard isWhole else { break }
      (table, text) = (fresh, read)
      return .taken(warnings: problems)
    }
    return .kept(problems)
  }

  /// What is wrong with keys of which none quits; the file is used all the same, as /quit does it.
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

  /// What the file says; nothing where there is none.
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
  /// The keys that these ask for.
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
