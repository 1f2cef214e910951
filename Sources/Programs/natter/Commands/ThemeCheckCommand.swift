import FoundationEssentials
import Glibc
import Panes
import TOML
import Terminal
import Text
import ViewModels

/// `natter theme check FILE`: the mistakes of a theme, and a sample of it.
struct ThemeCheckCommand {
  let localizer: Localizer
  let environment: [String: String]
  let resources: URL
  /// Indicates whether the output goes to a terminal: then it is coloured.
  let isTerminal: Bool

  /// Roles other than text: borders and the like need less contrast.
  static let glyphRoles: Set<String> = ["border", "scrollbar", "progress.todo"]

  /// Up to this number, missing roles are reported separately.
  private static let severalRoles = 5

  /// Prints the findings and a sample.
  /// - Returns: `done`, or `badData` when the theme has mistakes.
  func run(_ path: String, paths: Paths) throws -> ExitCode {
    guard access(path, R_OK) == 0 else {
      throw CommandFailure(
        code: .usage, text: localizer("cli.unreadable-file", ["path": path]))
    }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw CommandFailure(
        code: .badData, text: localizer("theme.unreadable", ["path": path]))
    }
    let library = ThemeLibrary(directories: [
      URL(filePath: path).deletingLastPathComponent(), paths.config.appending(path: "themes"),
      resources.appending(path: "themes"),
    ])
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    let (theme, mistakes) = library.theme(of: text, named: name, label: path)
    var problems = mistakes.map { localizer($0) }
    let lacksParent = ThemeLibrary.lacksParent(mistakes)
    let findings = ThemeCheck.findings(
      in: theme, roles: StyleRole.named, glyphRoles: Self.glyphRoles)
    let missing = findings.filter { $0.depth == nil }
    if missing.count > Self.severalRoles, !lacksParent {
      // A single line in the file repairs them all.
      problems.append(
        "\(path): "
          + localizer(
            "theme.missingMany",
            [
              "count": "\(missing.count)", "roles": missing.map(\.role).joined(separator: ", "),
              "line": "inherits = \"\(theme.kind == .dark ? "night" : "day")\"",
            ]))
    }
    for finding in findings
    where finding.depth != nil || !lacksParent && missing.count <= Self.severalRoles {
      problems.append("\(path): " + sentence(for: finding))
    }
    for problem in problems { try StandardStreams.report(SafeText.line(problem), localizer) }
    // A theme without a name is a mistake, and is reported under that of its file.
    let shown = SafeText.line(theme.name.isEmpty ? name : theme.name)
    try StandardStreams.report(
      problems.isEmpty
        ? localizer("theme.good", ["name": shown])
        : localizer.plural("theme.problems", problems.count, ["name": shown]),
      localizer)
    for line in sample(of: theme) { try StandardStreams.report(line, localizer) }
    return problems.isEmpty ? .done : .badData
  }

  private func sentence(for finding: ThemeCheck.Finding) -> String {
    guard let depth = finding.depth, let contrast = finding.contrast, let needed = finding.needed
    else { return localizer("theme.missing", ["role": finding.role]) }
    return localizer(
      "theme.contrast",
      [
        "role": finding.role, "colours": Self.colours(depth), "contrast": Self.ratio(contrast),
        "needed": Self.ratio(needed),
      ])
  }

  /// The number of colours at that depth.
  static func colours(_ depth: ColorDepth) -> String {
    switch depth {
    case .truecolor: "16777216"
    case .indexed: "256"
    case .sixteen: "16"
    case .eight: "8"
    case .mono: "0"
    }
  }

  /// `4.5:1`; truncated, not rounded, so that a value just below the limit shows as below.
  static func ratio(_ value: Double) -> String {
    let tenths = Int(value * 10)
    return "\(tenths / 10).\(tenths % 10):1"
  }

  /// Some lines as the screen would show them; in colour on a terminal.
  private func sample(of theme: Theme) -> [String] {
    let lines: [StyledText] = [
      StyledText(runs: [
        .init("[F2 Chats 3]", .tabActive), .init(" F3 Contacts ", .tab), .init(" 2 ", .badge),
        .init(" @1 ", .badgeMention),
      ]),
      StyledText(runs: [
        .init("14:01 ", .time), .init("Bob  ", .nick0), .init("Hello ", .plain),
        .init("*there*", .strong), .init(" https://example.org", .link), .init(" `code`", .code),
      ]),
      StyledText(runs: [
        .init("14:02 ", .time), .init("you  ", .nickMe), .init("> quoted", .quote),
        .init("  vv", .tickRead), .init("  ! ", .tickFailed), .init(" @alice ", .mention),
      ]),
      StyledText(runs: [
        .init("=== 2 new ===", .unreadMarker), .init("  "), .init(" selected ", .selection),
        .init("  "), .init("online ", .presenceOnline), .init("away ", .presenceAway),
        .init("busy", .presenceBusy),
      ]),
    ]
    guard isTerminal, environment["NO_COLOR"]?.isEmpty != false else {
      return isTerminal ? lines.map(\.text) : []
    }
    let depth: ColorDepth =
      ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") ? .truecolor : .indexed
    return lines.map { line in
      line.runs.map { run in
        let look = theme.look(of: run.role, at: depth)
        let codes = Self.codes(look.foreground, 38) + Self.codes(look.background, 48)
        return "\u{1B}[0" + codes.map { ";\($0)" }.joined() + "m" + run.text
      }.joined() + "\u{1B}[0m"
    }
  }

  /// The numbers that choose a colour (SGR); none for the terminal's own.
  private static func codes(_ color: Color, _ plane: Int) -> [Int] {
    switch color {
    case .terminalDefault: []
    case .indexed(let index): [plane, 5, Int(index)]
    case .rgb(let red, let green, let blue): [plane, 2, Int(red), Int(green), Int(blue)]
    }
  }
}
