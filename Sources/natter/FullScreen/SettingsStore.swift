import Configuration
import FoundationEssentials
import NatterCore
import TOML
import ViewModels

/// The settings while the full screen runs: what the file says now, and how it is changed.
final class SettingsStore {
  private(set) var current: Settings
  private let file: URL
  private let readNames: () -> KnownNames
  /// When the file that the settings are from was written; `nil`: there was none.
  private var date: Date?
  /// The themes and languages there are; read when somebody looks at the settings.
  private var known: KnownNames?
  private var names: KnownNames {
    let names = known ?? readNames()
    known = names
    return names
  }
  private lazy var editor = ConfigurationEditor(path: file.path, names: names)
  /// Whether what takes effect was found in the file: nobody changed it here.
  private(set) var isReading = false
  /// Has a change take effect.
  /// - Returns: whether it could at once.
  var apply: (SettingState.ID, Settings) -> Bool = { _, _ in false }
  /// Gets what is wrong in the file when it was found to be another one as a setting was about to be written.
  var onReadAgain: ([FileProblem]) -> Void = { _ in }

  init(_ settings: Settings, file: URL, names: @escaping () -> KnownNames) {
    current = settings
    self.file = file
    readNames = names
    date = modified
  }

  private var modified: Date? { FileDate.of(file.path) }

  /// Takes what has been written into the file since it was read: what can take effect now does.
  /// - Returns: what is wrong in it; `nil` when it is as it was.
  func readAgain() -> [FileProblem]? {
    let modified = modified
    guard modified != date else { return nil }
    date = modified
    namesChanged()
    let (fresh, problems) = ConfigurationFile(names: names, file: file.lastPathComponent)
      .read(at: file.path)
    // A file that cannot be read at all says nothing of what is wanted.
    guard problems.allSatisfy({ $0.line != nil }) else { return problems }
    let before = states
    current = fresh
    isReading = true
    defer { isReading = false }
    applyChanges(since: before)
    return problems
  }

  /// Has everything take effect that is another thing than in `before`.
  /// - Parameter id: this one too, and last: who changed it gets told what became of it.
  /// - Returns: whether that one holds at once.
  @discardableResult private func applyChanges(
    since before: [SettingState], and id: SettingState.ID? = nil
  ) -> Bool {
    for (old, new) in zip(before, states) where old.value != new.value && new.id != id {
      _ = apply(new.id, current)
    }
    return id.map { apply($0, current) } ?? false
  }

  /// Every setting as it stands, in the order of the file.
  var states: [SettingState] {
    Setting.all.map { setting in
      let kind: SettingState.Kind =
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

  /// There is another theme or language since they were read.
  func namesChanged() { take(readNames()) }

  /// These are the themes that there are now; nothing is read for it.
  func offer(themes: [String]) {
    // Nobody has looked at the settings yet.
    guard var known else { return }
    known.themes = themes
    take(known)
  }

  private func take(_ names: KnownNames) {
    known = names
    editor = ConfigurationEditor(path: file.path, names: names)
  }

  /// Writes one into the file.
  /// - Returns: whether it holds at once.
  /// - Throws: `NatterError`.
  func change(_ id: SettingState.ID, to value: String?) throws -> Bool {
    guard let setting = Setting.all.first(where: { $0.section == id.section && $0.key == id.key })
    else { throw NatterError(.invalidInput, "error.badSetting", ["key": id.key, "value": ""]) }
    // What somebody else has written meanwhile is taken first, and told of; the file is then read once more as it is written.
    if let problems = readAgain() { onReadAgain(problems) }
    let before = states
    current = try editor.set(setting, to: value)
    date = modified
    return applyChanges(since: before, and: id)
  }
}
