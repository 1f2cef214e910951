import Configuration
import Diagnostics
import FoundationEssentials
import Terminal
import Text
import ViewModels

// The look of the screen, and the first run.
extension LaunchContext {
  /// The glyphs of the screen.
  /// - Parameters:
  ///   - widths: the terminal's answer. Without narrow box-drawing characters, no lines are drawn.
  ///   - isASCIIOnly: whether the terminal is not in UTF-8.
  func glyphs(_ ui: Settings.Interface, widths: WidthProbe? = nil, isASCIIOnly: Bool) -> Glyphs {
    let isReported = widths?[.ambiguous] == 2
    // Lines that the user asked for count as one column, unless the settings say two.
    let isWide =
      ui.ambiguousWidth == .wide
      || ui.ambiguousWidth == .automatic && isReported && ui.glyphs != .unicode
    // If they are known to be wide, no line could stay in its column.
    let hasLines =
      usesUnicode(ui.glyphs) && !isASCIIOnly && !isWide && !(isReported && ui.glyphs == .automatic)
    var glyphs = ui.isForScreenReader ? Glyphs.linear : hasLines ? .unicode : .ascii
    glyphs.ambiguousIsWide = isWide
    glyphs.ordersText = ui.bidi == .natter
    glyphs.timeIsLast = ui.time == .after
    glyphs.drawsWhole =
      !isASCIIOnly
      && (ui.unicode == .full || ui.unicode == .automatic && widths?.drawsWhole == true)
    return glyphs
  }

  /// Indicates whether it is day or night, as the settings and the environment have it.
  var daylight: DayNightSchedule {
    DayNightSchedule(
      hours: settings.ui.dayHours,
      background: environment["COLORFGBG"].flatMap { Theme.Brightness(colorFGBG: $0) },
      now: { LocalTime.here(Date()) })
  }

  /// The theme that the command line or else the settings ask for.
  /// - Parameter kind: that of the surroundings, as far as it is known.
  func themeChoice(from library: ThemeLibrary, kind: Theme.Brightness?) -> ThemeChoice {
    ThemeChoice(
      library: library, wanted: options.theme ?? settings.ui.theme, night: settings.ui.themeNight,
      day: settings.ui.themeDay, kind: kind, vision: Self.vision(settings.ui))
  }

  /// The colours of nicks that the user can distinguish, by the settings.
  static func vision(_ ui: Settings.Interface) -> Theme.Vision {
    switch ui.colourVision {
    case .all: .all
    case .redGreen: .redGreen
    case .blue: .blue
    }
  }

  /// The keys that the settings and `keys.toml` ask for.
  var keyChoice: KeyChoice {
    KeyChoice(settings.ui, file: paths.config.appending(path: "keys.toml"))
  }

  /// Indicates whether box-drawing and other glyphs beyond ASCII can be shown.
  var usesUnicodeGlyphs: Bool { usesUnicode(settings.ui.glyphs) }

  private func usesUnicode(_ choice: Settings.Interface.GlyphChoice) -> Bool {
    switch choice {
    case .unicode: true
    case .ascii: false
    case .automatic: !["linux", "vt100", "vt102", "vt220"].contains(environment["TERM"] ?? "")
    }
  }

  /// The locale's notation of times and days (`LC_TIME`).
  var timeCustoms: TimeConventions {
    let locale =
      [environment["LC_ALL"], environment["LC_TIME"], environment["LANG"]].lazy
      .compactMap { $0 }.first { !$0.isEmpty } ?? ""
    return TimeConventions(locale: locale)
  }

  /// The text of one of the program's own files; empty if it is missing, which is logged.
  func resource(_ name: String) -> String {
    if let text = FileContents.text(of: resources.path + "/" + name) { return text }
    log.warning("\(name) cannot be read")
    return ""
  }

  /// That no setting can be kept, as a line of the status; `nil`: it can.
  var settingsFault: (key: String, arguments: [String: String])? {
    Paths.fault(of: paths.config).map {
      ("status.settingsUnwritable", ["path": paths.config.path, "reason": $0])
    }
  }

  private var guideMark: URL { paths.state.appending(path: "guide-seen") }

  var guideWasSeen: Bool { FileManager.default.fileExists(atPath: guideMark.path) }

  func rememberGuideWasSeen() {
    guard !guideWasSeen else { return }
    let isWritten = FileManager.default.createFile(
      atPath: guideMark.path, contents: Data(), attributes: [.posixPermissions: 0o600])
    // Then the guide is shown once more, which does no harm.
    if !isWritten { log.warning("the guide's mark could not be written") }
  }
}
