import FoundationEssentials
import Glibc
import NatterCore
import SessionService
import Terminal
import TerminalNcurses
import Text
import ViewModels
import XMPP

/// `natter doctor`: what works and what does not, as lines for a bug report.
struct DoctorCommand {
  let context: LaunchContext

  /// - Returns: 0 when nothing is bad, else 1.
  func run(_ address: String?) async throws -> Int32 {
    let localizer = context.localizer
    let named = try await context.choice.account(named: address)
    var account = named
    // The built-in server is on no port that the address leads to.
    if let named, let local = try await LocalAccounts(context: context).known(named) {
      account = local
    }
    let given = try context.choice.givenCredential(allowsStandardInput: true)
    try StandardStreams.report(
      localizer(
        "doctor.title",
        ["version": ClientIdentity.version, "date": XEP0082DateTime.text(for: Date())]), localizer)
    let credentials = context.credentials
    let entry = TerminalEntry(environment: context.environment)
    var hasBad = false
    var failure: (any Error)?
    await context.diagnosis(
      of: account, in: localizer, substitute: entry.substitute,
      colours: TerminalColors.depth(environment: context.environment)
        .map(ThemeCheckCommand.colours),
      widths: { await WidthQuestion.ask(STDIN_FILENO, STDOUT_FILENO) }
    ) {
      if let given { return given }
      guard let named else { return nil }
      return try await credentials.credential(for: named.jid)
    }.run { finding in
      if finding.verdict == .bad { hasBad = true }
      do {
        try StandardStreams.report(
          "[\(finding.mark(localizer))] \(finding.topic): \(SafeText.line(finding.text))", localizer
        )
      } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    return hasBad ? ExitCode.failed.rawValue : ExitCode.done.rawValue
  }
}
