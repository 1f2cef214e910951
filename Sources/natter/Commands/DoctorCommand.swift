import ConnectionService
import FoundationEssentials
import Glibc
import NatterCore
import SessionService
import Sockets
import Terminal
import ViewModels
import XMPP

/// `natter doctor`: what works here and what does not, as lines that can be pasted into a bug report.
struct DoctorCommand {
  let context: LaunchContext

  private enum Verdict { case good, note, bad }

  /// - Returns: 0 when nothing is bad, else 1.
  func run(_ address: String?) async throws -> Int32 {
    let report = Report(localizer: context.localizer)
    report.title()
    checkTerminal(report)
    checkLocale(report)
    checkFiles(report)
    let account = try await context.choice.account(named: address)
    if let account {
      await checkAccount(account, report)
    } else {
      report.line("doctor.account", .note, "doctor.no-account")
    }
    return report.hasBad ? ExitCode.failed.rawValue : ExitCode.done.rawValue
  }

  private func checkTerminal(_ report: Report) {
    let term = context.environment["TERM"] ?? ""
    if isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 {
      report.line("doctor.terminal", .note, "doctor.terminal-none")
    } else if term.isEmpty || term == "dumb" {
      report.line("doctor.terminal", .bad, "doctor.terminal-dumb", ["term": term])
    } else {
      report.line(
        "doctor.terminal", .good, "doctor.terminal-type",
        ["term": term, "colorterm": context.environment["COLORTERM"] ?? ""])
    }
  }

  private func checkLocale(_ report: Report) {
    let name =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { context.environment[$0] }
      .first { !$0.isEmpty } ?? "C"
    let isUTF8 = name.lowercased().replacing("-", with: "").contains("utf8")
    report.line(
      "doctor.locale", isUTF8 ? .good : .note,
      isUTF8 ? "doctor.locale-utf8" : "doctor.locale-other", ["name": name])
  }

  private func checkFiles(_ report: Report) {
    report.line("doctor.resources", .good, text: context.resources.path)
    for directory in [context.paths.config, context.paths.data, context.paths.state] {
      check(directory, report)
    }
    let file = context.paths.configurationFile.path
    if context.warnings.isEmpty {
      let isThere = FileManager.default.fileExists(atPath: file)
      report.line(
        "doctor.files", .good,
        isThere ? "doctor.configuration-good" : "doctor.configuration-none", ["path": file])
    }
    for warning in context.warnings { report.line("doctor.files", .note, text: warning) }
  }

  private func check(_ directory: URL, _ report: Report) {
    guard
      let attributes = try? FileManager.default.attributesOfItem(atPath: directory.path),
      let mode = attributes[.posixPermissions] as? Int
    else {
      report.line("doctor.files", .good, "doctor.directory-missing", ["path": directory.path])
      return
    }
    let isOpen = mode & 0o077 != 0
    report.line(
      "doctor.files", isOpen ? .note : .good,
      isOpen ? "doctor.directory-open" : "doctor.directory",
      ["path": directory.path, "mode": String(mode, radix: 8)])
  }

  private func checkAccount(_ account: Account, _ report: Report) async {
    let given = try? context.choice.givenCredential(allowsStandardInput: true)
    var credential = given ?? nil
    if credential == nil {
      credential = try? await context.credentials.credential(for: account.jid)
    }
    let yesOrNo = context.localizer(credential == nil ? "doctor.no" : "doctor.yes")
    report.line(
      "doctor.account", .good, "doctor.account-is",
      ["address": account.jid.description, "stored": yesOrNo])
    do {
      for place in try await context.connector.places(of: account) {
        report.line("doctor.dns", .good, "doctor.endpoint", arguments(of: place))
      }
      guard let credential else {
        report.line("doctor.connection", .note, "doctor.not-tried")
        return
      }
      try await context.connector.verify(account, credential) { _ in }
      report.line(
        "doctor.connection", .good, "doctor.signed-in", ["address": account.jid.description])
    } catch {
      for line in LaunchFailure.notice(error, localizer: context.localizer) {
        report.line("doctor.connection", .bad, text: line)
      }
    }
  }

  private func arguments(of place: Endpoint) -> [String: String] {
    let mode =
      switch place.mode {
      case .directTLS: "doctor.mode-direct"
      case .startTLS: "doctor.mode-starttls"
      case .plain: "doctor.mode-plain"
      }
    return [
      "host": place.host, "port": String(place.port), "mode": context.localizer(mode),
      "source": context.localizer(place.fromSRV ? "doctor.source-srv" : "doctor.source-default"),
    ]
  }

  /// Prints line after line, and remembers whether one was bad.
  private final class Report {
    private let localizer: Localizer
    private(set) var hasBad = false

    init(localizer: Localizer) { self.localizer = localizer }

    func title() {
      let now = XEP0082DateTime.text(for: Date())
      StandardStreams.print(
        localizer("doctor.title", ["version": ClientIdentity.version, "date": now]))
    }

    func line(
      _ topic: String, _ verdict: Verdict, _ key: String, _ arguments: [String: String] = [:]
    ) {
      line(topic, verdict, text: localizer(key, arguments))
    }

    func line(_ topic: String, _ verdict: Verdict, text: String) {
      if verdict == .bad { hasBad = true }
      let mark =
        switch verdict {
        case .good: localizer("doctor.ok")
        case .note: localizer("doctor.warning")
        case .bad: localizer("doctor.bad")
        }
      StandardStreams.print("[\(mark)] \(localizer(topic)): \(SafeText.line(text))")
    }
  }
}
