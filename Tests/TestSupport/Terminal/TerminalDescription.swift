import Foundation

#if canImport(Testing)
  import Testing
#endif

/// One of the terminals that people have, by its description in terminfo, and what it cannot do.
package struct TerminalDescription: Hashable, Sendable {
  /// TERM.
  package let name: String
  /// Debian's package that has the description.
  package let package: String
  /// The abilities that it lacks, which tests do not expect.
  package let lacks: Set<Ability>

  /// Abilities that only some terminals have.
  package enum Ability: Sendable {
    /// A screen beside the one of the shell.
    case alternateScreen
    /// Xterm's modes: bracketed paste, focus, a title, synchronised output.
    case xtermModes
    case colour
    /// Lines and glyphs beyond ASCII.
    case wideGlyphs
  }

  /// Those of which every release has to hold what interface.md, "Checklist", says.
  package static let all = [
    TerminalDescription("xterm-256color", "ncurses-base"),
    TerminalDescription("tmux-256color", "ncurses-base"),
    TerminalDescription("screen-256color", "ncurses-base"),
    TerminalDescription(
      "linux", "ncurses-base", lacks: [.alternateScreen, .xtermModes, .wideGlyphs]),
    TerminalDescription(
      "vt100", "ncurses-base", lacks: [.alternateScreen, .xtermModes, .colour, .wideGlyphs]),
    TerminalDescription("xterm-kitty", "kitty-terminfo"),
  ]

  private init(_ name: String, _ package: String, lacks: Set<Ability> = []) {
    self.name = name
    self.package = package
    self.lacks = lacks
  }

  package func can(_ ability: Ability) -> Bool { !lacks.contains(ability) }

  /// Indicates whether its description is installed.
  package var isInstalled: Bool {
    ["/usr/share/terminfo", "/lib/terminfo", "/etc/terminfo"].contains {
      FileManager.default.fileExists(atPath: "\($0)/\(name.prefix(1))/\(name)")
    }
  }

  /// The terminals that tests run on: all of them where CI requires them, else the installed ones.
  /// `TerminalsChecklistTests` reports the missing ones.
  package static var testable: [TerminalDescription] {
    ProgramRequirement.areAllRequired ? all : all.filter(\.isInstalled)
  }
}

#if canImport(Testing)
  extension TerminalDescription: CustomTestStringConvertible {
    package var testDescription: String { name }
  }

  extension Trait where Self == ConditionTrait {
    /// Runs the test only where every terminal is described, or in any case where CI requires them;
    /// says what is missing.
    package static var requiresEveryTerminal: Self {
      let missing = TerminalDescription.all.filter { !$0.isInstalled }
      return .enabled(
        if: missing.isEmpty || ProgramRequirement.areAllRequired,
        Comment(
          rawValue: missing.map { "needs terminfo's \($0.name) (apt-get install \($0.package))" }
            .joined(separator: "; ")))
    }
  }
#endif
