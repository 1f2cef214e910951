import Terminal
import Text

/// `natter doctor --crash [N]`: prints a crash report, with the command that finds the lines of the
/// source.
struct CrashCommand {
  let localizer: Localizer
  let reports: CrashReports
  /// The path of the program.
  let executable: String

  /// - Parameter number: 1 is the newest report.
  /// - Throws: `CommandFailure` if there is no such report.
  func run(_ number: Int) throws {
    for line in try lines(of: number) { try StandardStreams.report(line, localizer) }
  }

  /// Returns the lines to print.
  func lines(of number: Int) throws -> [String] {
    let all = try reports.all()
    guard number <= all.count else {
      throw CommandFailure(
        code: .failed,
        text: localizer(
          all.isEmpty ? "cli.no-crashes" : "cli.no-such-crash",
          ["number": "\(number)", "count": "\(all.count)"]))
    }
    let text = try reports.text(of: all[number - 1].name)
    let lines = text.split(whereSeparator: \.isNewline).map { SafeText.line(String($0)) }
    guard let command = CrashReportText(text).command(for: executable) else { return lines }
    return lines + ["", localizer("cli.crash-lines"), "  " + SafeText.line(command)]
  }
}
