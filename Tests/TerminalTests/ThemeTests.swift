import Foundation
import TOML
import TestSupport
import Testing

@testable import Terminal

@Suite struct ThemeTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The roles of the panes, read from their source: this module is below them.
  private static func roles() throws -> [String: StyleRole] {
    let source = try String(
      contentsOf: root.appending(path: "Sources/Screen/Panes/StyleRole+Names.swift"),
      encoding: .utf8)
    var values: [String: StyleRole] = ["plain": .plain]
    for match in source.matches(of: /static let (\w+) = StyleRole\(rawValue: (\d+)\)/) {
      values[String(match.1)] = StyleRole(rawValue: UInt8(match.2) ?? 0)
    }
    var roles: [String: StyleRole] = [:]
    for match in source.matches(of: /"([a-z0-9.]+)": \.(\w+),/) {
      roles[String(match.1)] = values[String(match.2)]
    }
    return roles
  }

  private static func bundled(_ name: String) throws -> (Theme, [TOMLError]) {
    let text = try String(
      contentsOf: root.appending(path: "Resources/themes/\(name).toml"), encoding: .utf8)
    let (file, errors) = ThemeFile.parse(text, roles: try roles())
    return (Theme(file), errors)
  }

  private let red = StyleRole(rawValue: 1)
  private let blue = StyleRole(rawValue: 2)
  private var roles: [String: StyleRole] { ["text": .plain, "red": red, "blue.x": blue] }

  private func theme(_ text: String) -> Theme { Theme(ThemeFile.parse(text, roles: roles).file) }

  /// Every theme that is shipped.
  private static let names = [
    "night", "day", "high-contrast", "high-contrast-day", "colour-blind", "colour-blind-day",
    "gruvbox", "dracula", "solarized-day", "mono",
  ]

  @Test func `the list of themes is whole`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appending(path: "Resources/themes").path)
    #expect(files.sorted() == Self.names.map { $0 + ".toml" }.sorted())
  }

  @Test(arguments: ["high-contrast", "high-contrast-day"])
  func `high contrast is seven to one for all text`(name: String) throws {
    let (theme, _) = try Self.bundled(name)
    for (role, number) in try Self.roles()
    where !["border", "scrollbar", "progress.todo"].contains(role) {
      let look = theme.look(of: number, at: .truecolor)
      #expect(try #require(Color.contrast(look.foreground, look.background)) >= 7, "\(role)")
    }
  }

  @Test(arguments: names) func `a bundled theme is complete and readable`(name: String)
    throws
  {
    let roles = try Self.roles()
    #expect(roles.count == 60)
    let (theme, errors) = try Self.bundled(name)
    #expect(errors == [])
    let findings = ThemeCheck.findings(
      in: theme, roles: roles, glyphRoles: ["border", "scrollbar", "progress.todo"])
    #expect(findings == [])
  }

  // The corners of sRGB on HSLuv's circle: red, yellow, green, cyan, blue, magenta.
  @Test(arguments: [
    (Color.rgb(255, 0, 0), 12.2), (.rgb(255, 255, 0), 85.9), (.rgb(0, 255, 0), 127.7),
    (.rgb(0, 255, 255), 192.2), (.rgb(0, 0, 255), 265.9), (.rgb(255, 0, 255), 307.7),
  ])
  func `a colour has its hue`(color: Color, hue: Double) throws {
    #expect(abs(try #require(color.hue) - hue) < 0.2)
  }

  @Test(arguments: [Color.rgb(0, 0, 0), .rgb(128, 128, 128), .rgb(255, 255, 255), .terminalDefault])
  func `what is grey has no hue`(color: Color) {
    #expect(color.hue == nil)
  }

  @Test(arguments: names, [ColorDepth.truecolor, .sixteen])
  func `a name is shown in the colour of its hue, or the nearest that the theme has`(
    name: String, depth: ColorDepth
  ) throws {
    let (theme, _) = try Self.bundled(name)
    let looks = StyleRole.wheel.map { theme.look(of: $0, at: depth) }
    let hues = looks.compactMap(\.foreground.hue)
    func distance(_ one: Double, _ other: Double) -> Double {
      min(abs(one - other), 360 - abs(one - other))
    }
    for angle in stride(from: 0.0, to: 360, by: 6) {
      let shown = theme.look(of: .hue(angle), at: depth)
      #expect(looks.contains(shown))
      guard let nearest = hues.map({ distance($0, angle) }).min() else { continue }
      #expect(abs(distance(try #require(shown.foreground.hue), angle) - nearest) < 0.001)
    }
    #expect(theme.look(of: .hue(-6), at: depth) == theme.look(of: .hue(354), at: depth))
    #expect(StyleRole.hue(.nan) == .wheel[0])
  }

  @Test(arguments: [
    (0.0, 0.0, 0.0), (45, 45, 45), (100, 280, 100), (190, 10, 10), (260, 80, 80), (300, 300, 120),
  ])
  func `a user who confuses some colours gets others`(
    angle: Double, withoutGreen: Double, withoutBlue: Double
  ) {
    #expect(Theme.Vision.all.corrected(angle) == angle)
    #expect(Theme.Vision.redGreen.corrected(angle) == withoutGreen)
    #expect(Theme.Vision.blue.corrected(angle) == withoutBlue)
  }

  @Test(arguments: names, [Theme.Vision.redGreen, .blue])
  func `names have no colour that cannot be distinguished from another`(
    name: String, vision: Theme.Vision
  ) throws {
    var (theme, _) = try Self.bundled(name)
    theme.vision = vision
    for depth in [ColorDepth.truecolor, .sixteen] {
      let all = StyleRole.wheel.compactMap { theme.look(of: $0, at: depth).foreground.hue }
      let shown = stride(from: 0.0, to: 360, by: 6).compactMap {
        theme.look(of: .hue($0), at: depth).foreground.hue
      }
      #expect(shown.allSatisfy { all.contains($0) && vision.keeps($0) }, "\(depth)")
      // Several are left, where there are colours at all and more than can be read of sixteen on
      // white.
      #expect(all.isEmpty || depth == .sixteen || Set(shown).count > 1, "\(depth)")
    }
  }

  @Test(arguments: names)
  func `without colours, selection, unread and focus are marked by attributes`(name: String) throws
  {
    let roles = try Self.roles()
    let (theme, _) = try Self.bundled(name)
    func mono(_ name: String) throws -> Look {
      theme.look(of: try #require(roles[name]), at: .mono)
    }
    for name in [
      "selection", "badge", "badge.mention", "border.focus", "tab.active", "marker.unread",
      "mention", "link",
      "completion.selected", "button.default", "status.error", "search.match",
    ] {
      #expect(try mono(name).attributes != [], "\(name)")
      #expect(try mono(name).foreground == .terminalDefault)
    }
    #expect(try mono("selection").attributes.contains(.reverse))
    #expect(try mono("border") != mono("border.focus"))
    #expect(try mono("tab") != mono("tab.active"))
    #expect(try mono("text").attributes == [])
    // One glyph for both: delivered messages have to differ from others.
    #expect(try mono("tick.sent") != mono("tick.delivered"))
  }

  @Test func `the kinds are right`() throws {
    #expect(try Self.bundled("night").0.kind == .dark)
    #expect(try Self.bundled("day").0.kind == .light)
  }

  @Test func `a style is read from its text`() {
    let theme = theme(
      """
      name = "T"
      [palette]
      ink = "#102030"
      paper = 231
      [roles]
      "text" = "ink on paper"
      "red" = "bright-red underline bold"
      "blue.x" = "on 17 reverse"
      """)
    #expect(
      theme.look(of: .plain, at: .truecolor)
        == Look(foreground: .rgb(16, 32, 48), background: .indexed(231)))
    #expect(
      theme.look(of: red, at: .truecolor)
        == Look(
          foreground: .indexed(9), background: .indexed(231), attributes: [.bold, .underline]))
    #expect(
      theme.look(of: blue, at: .truecolor)
        == Look(foreground: .rgb(16, 32, 48), background: .indexed(17), attributes: .reverse))
    #expect(
      theme.look(of: StyleRole(rawValue: 200), at: .truecolor)
        == theme.look(of: .plain, at: .truecolor))
  }

  @Test func `errors have lines and advice, and the rest is kept`() {
    let (file, errors) = ThemeFile.parse(
      """
      kind = "darkish"
      [palette]
      ink = "#12345"
      bold = "#123456"
      grey = 300
      [roles]
      "text" = "grye"
      "rde" = "red"
      "red" = "red on"
      "blue.x" = "red green blue"
      [roles-mono]
      "red" = "red"
      [role]
      """,
      roles: roles)
    #expect(errors.map(\.line) == [1, 1, 3, 4, 5, 7, 8, 9, 10, 12, 13])
    let reported = errors.map { $0.problem(in: "mine.toml").text { localeText($0, $1) } }
    #expect(reported.contains { $0.contains("Did you mean \"red\"?") })
    #expect(reported.contains { $0.contains("Did you mean \"roles\"?") })
    for tag in ["fr", "zh-Hans"] {
      let other = errors.map { $0.problem(in: "mine.toml").text { localeText($0, $1, in: tag) } }
      #expect(zip(reported, other).allSatisfy { $0 != $1 && !$1.contains("mistake.") }, "\(other)")
    }
    #expect(file.styles.isEmpty)
    #expect(file.kind == nil)
  }

  @Test func `a theme inherits what it does not say`() {
    let base = ThemeFile.parse(
      """
      name = "base"
      kind = "light"
      [roles]
      "text" = "black on white"
      "red" = "red"
      [roles-16]
      "red" = "bright-red"
      "text" = "black on bright-white"
      """, roles: roles
    ).file
    let child = ThemeFile.parse(
      "name = \"child\"\ninherits = \"base\"\n[roles]\n\"red\" = \"blue\"", roles: roles
    ).file
    let theme = Theme(child) { $0 == "base" ? base : nil }
    #expect(theme.kind == .light)
    #expect(
      theme.look(of: red, at: .truecolor) == Look(foreground: .indexed(4), background: .indexed(7)))
    #expect(theme.look(of: red, at: .sixteen).foreground == .indexed(4))
    #expect(theme.look(of: .plain, at: .sixteen).background == .indexed(15))
    // A theme that inherits from itself ends.
    let loop = ThemeFile.parse("name = \"x\"\ninherits = \"x\"", roles: roles).file
    #expect(Theme(loop) { _ in loop }.name == "x")
  }

  @Test func `fewer colours keep the contrast`() {
    let theme = theme(
      "name = \"T\"\n[roles]\n\"text\" = \"#d0d0d8 on #1e2127\"\n\"red\" = \"#61afef\"\n\"blue.x\" = \"#1e2127 on #61afef\""
    )
    for depth in [ColorDepth.indexed, .sixteen, .eight] {
      for role in [StyleRole.plain, red, blue] {
        let look = theme.look(of: role, at: depth)
        #expect((Color.contrast(look.foreground, look.background) ?? 0) >= 4.5, "\(depth) \(role)")
        if case .indexed(let index) = look.foreground {
          #expect(index >= 16 || depth != .indexed)
          #expect(index < 16 || depth == .indexed)
          #expect(index < 8 || depth != .eight)
        } else {
          Issue.record("\(look)")
        }
      }
    }
    #expect(theme.look(of: blue, at: .mono) == Look(attributes: .reverse))
  }

  @Test func `what is added to a role is seen whatever the theme says of it`() {
    let theme = theme(
      "name = \"T\"\n[roles]\n\"red\" = \"red dim\"\n[roles-mono]\n\"red\" = \"dim underline\"")
    #expect(
      theme.look(of: red.adding(.bold), at: .mono) == Look(attributes: [.bold, .underline]))
    #expect(
      theme.look(of: red.adding(.underline), at: .truecolor).attributes == [.dim, .underline])
    #expect(
      theme.look(of: red.adding(.bold), at: .truecolor).foreground
        == theme.look(of: red, at: .truecolor).foreground)
    #expect(red.adding(.bold) != red && red.adding(.bold).base == red && red.adding([]) == red)
  }

  @Test func `black is never bold where terminals make it grey`() {
    let words =
      "name = \"T\"\n[roles]\n\"text\" = \"#000000 on #00cdcd\"\n\"red\" = \"#000000 bold\"\n"
      + "\"blue.x\" = \"#0a0a0a on #e5e5e5 bold\"\n"
    for own in ["", "[roles-16]\n\"red\" = \"black on cyan bold\"\n"] {
      let theme = theme(words + own)
      for depth in [ColorDepth.sixteen, .eight] {
        for role in [red, blue, StyleRole.plain.adding(.bold)] {
          let look = theme.look(of: role, at: depth)
          #expect(look.foreground == .indexed(0) && !look.attributes.contains(.bold), "\(look)")
        }
        // What was added is seen all the same.
        #expect(
          theme.look(of: .plain.adding(.bold), at: depth).attributes.contains(.underline))
        #expect(!theme.look(of: red, at: depth).attributes.contains(.underline))
      }
      #expect(theme.look(of: red, at: .indexed).attributes.contains(.bold))
      #expect(theme.look(of: red, at: .mono).attributes.contains(.bold))
      // The check counts what the file says, as the grey that comes of it.
      let found = ThemeCheck.findings(in: theme, roles: ["red": red], glyphRoles: [])
      #expect(found.map(\.depth) == (own.isEmpty ? [] : [.sixteen]))
      if let contrast = found.first?.contrast {
        #expect((1.9...2.2).contains(contrast), "\(contrast)")
      }
    }
  }

  @Test func `of eight colours a bold one is readable in its bright form, too`() {
    let theme = theme(
      "name = \"T\"\n[roles]\n\"text\" = \"#000000 on #ffffff\"\n\"red\" = \"#cd0000 bold\"\n"
        + "\"blue.x\" = \"#e5e5e5 on #0000ee bold\"")
    for role in [red, blue] {
      let look = theme.look(of: role, at: .eight)
      guard case .indexed(let index) = look.foreground, look.attributes.contains(.bold) else {
        continue
      }
      #expect((Color.contrast(.indexed(index | 8), look.background) ?? 0) >= 4.5, "\(look)")
    }
  }

  @Test func `contrast is WCAG's`() {
    #expect(Color.contrast(.rgb(0, 0, 0), .rgb(255, 255, 255)) == 21)
    let grey = Color.contrast(.rgb(0x76, 0x76, 0x76), .rgb(255, 255, 255)) ?? 0
    #expect(abs(grey - 4.54) < 0.01)
    #expect(Color.contrast(.terminalDefault, .rgb(0, 0, 0)) == nil)
    #expect(Color.rgb(255, 0, 0).nearest(in: 16...255) == .indexed(196))
    #expect(Color.indexed(244).components.map { $0.red } == 128)
  }

  @Test(arguments: [
    (0, ColorDepth.mono), (2, .mono), (8, .eight), (16, .sixteen), (88, .sixteen), (256, .indexed),
    (0x100_0000, .truecolor),
  ]) func `depths`(colors: Int, depth: ColorDepth) {
    #expect(ColorDepth(colors: colors) == depth)
  }
}
