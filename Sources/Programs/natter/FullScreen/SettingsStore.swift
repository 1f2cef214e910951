import Configuration
import FoundationEssentials
import NatterCore
import TOML
import ViewModels

/// The settings while the full screen runs: the file's current contents, and changes to them.
final class SettingsStore {
  private(set) var current: Settings
  private let file: URL
  private let readNames: () -> KnownNames
  /// The modification time of the file that the settings are from; `nil`: there was none.
  private var date: Date?
  /// The existing themes and languages; read when the settings are first opened.
  private var known: KnownNames?
  private var names: KnownNames {
    let names = known ?? readNames()
    known = names
    return names
  }
  private lazy var editor = ConfigurationEditor(path: file.path, names: names)
  /// Indicates whether the settings that are being applied come from the file rather than from a
  /// change in the program.
  private(set) var isReading = false
  /// Applies a changed setting.
  /// - Returns: whether it took effect at once.
  var apply: (SettingState.ID, Settings) -> Bool = { _, _ in false }
  /// Receives the mistakes in the file when it has changed on disk before a setting is written.
  var onReadAgain: ([FileProblem]) -> Void = { _ in }

  init(_ settings: Settings, file: URL, names: @escaping () -> KnownNames) {
    current = settings
    self.file = file
    readNames = names
    date = modified
  }

  private var modified: Date? { FileDate.of(file.path) }

  /// Reads the file if it has been written since it was last read, and applies what can take effect
  /// at once.
  /// - Returns: the mistakes in it; `nil` when it has not changed.
  func readAgain() -> [FileProblem]? {
    let modified = modified
    guard modified != date else { return nil }
    date = modified
    namesChanged()
    let (fresh, problems) = ConfigurationFile(names: names, file: file.lastPathComponent)
      .read(at: file.path)
    // A file that cannot be read at all does not show what the user wants.
    guard problems.allSatisfy({ $0.line != nil }) else { return problems }
    let before = states
    current = fresh
    isReading = true
    defer { isReading = false }
    applyChanges(since: before)
    return problems
  }

  /// Applies every setting that differs from `before`.
  /// - Parameter id: applied as well, and last, so that the user sees its result.
  /// - Returns: whether that one took effect at once.
  @discardableResult private func applyChanges(
    since before: [SettingState], and id: SettingState.ID? = nil
  ) -> Bool {
    for (old, new) in zip(before, states) where old.value != new.value && new.id != id {
      _ = apply(new.id, current)
    }
    return id.map { apply($0, current) } ?? false
  }

  /// Every setting with its current value, in the order of the file.
  var states: [SettingState] {
    Setting.all.map { setting in
      let kind: SettingState.ControlKind =
        switch setting.form(names: names) {
        case .boolean: .boolean
        case .choice(let words): .choice(words)
        case .number(let range): .number(range)
        case .text: .text
        }
      return SettingState(
        id: SettingState.ID(setting.section, setting.key), kind: kind,
        value: setting.plainText(in: current), standard: setting.plainText(in: Settings()),
        example: setting.plainExample)
    }
  }

  /// Reads the names again, because a theme or a language was added or removed.
  func namesChanged() { take(readNames()) }

  /// Sets the existing themes; reads nothing.
  func offer(themes: [String]) {
    // The settings have not been opened yet.
    guard var known else { return }
    known.themes = themes
    take(known)
  }

  private func take(_ names: KnownNames) {
    known = names
    editor = ConfigurationEditor(path: file.path, names: names)
  }

  /// Writes a setting into the file.
  /// - Returns: whether it took effect at once.
  /// - Throws: `NatterError`.
  func change(_ id: SettingState.ID, to value: String?) throws -> Bool {
    guard let setting = Setting.all.first(where: { $0.section == id.section && $0.key == id.key })
    else { throw NatterError(.invalidInput, "error.badSetting", ["key": id.key, "value": ""]) }
    // Changes that were written to the file meanwhile are applied and reported first; the editor
    // reads the file once more as it writes.
    if let problems = readAgain() { onReadAgain(problems) }
    let before = states
    current = try editor.set(setting, to: value)
    date = modified
    return applyChanges(since: before, and: id)
  }
}
