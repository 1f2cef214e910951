import Configuration
import FoundationEssentials
import NatterCore
import ViewModels

/// The settings while the full screen runs: what the file says now, and how it is changed.
final class SettingsStore {
  private(set) var current: Settings
  private let file: URL
  private let readNames: () -> KnownNames
  /// The themes and languages there are; read when somebody looks at the settings.
  private lazy var names = readNames()
  private lazy var editor = ConfigurationEditor(path: file.path, names: names)
  /// Has a change take effect.
  /// - Returns: whether it could at once.
  var apply: (SettingState.ID, Settings) -> Bool = { _, _ in false }

  init(_ settings: Settings, file: URL, names: @escaping () -> KnownNames) {
    current = settings
    self.file = file
    readNames = names
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
        value: setting.plainText(in: current), standard: setting.plainText(in: Settings()))
    }
  }

  /// There is another theme or language since they were read.
  func namesChanged() {
    names = readNames()
    editor = ConfigurationEditor(path: file.path, names: names)
  }

  /// Writes one into the file.
  /// - Returns: whether it holds at once.
  /// - Throws: `NatterError`.
  func change(_ id: SettingState.ID, to value: String?) throws -> Bool {
    guard let setting = Setting.all.first(where: { $0.section == id.section && $0.key == id.key })
    else { throw NatterError(.invalidInput, "error.badSetting", ["key": id.key, "value": ""]) }
    current = try editor.set(setting, to: value)
    return apply(id, current)
  }
}
