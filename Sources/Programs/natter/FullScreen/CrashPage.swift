import Diagnostics
import FoundationEssentials
import NatterCore
import Panes
import ViewModels

/// The page with the crash reports of the program, and the notice about a new one.
struct CrashPage {
  private let reports: CrashReports

  /// - Parameter directory: the state directory of the profile.
  init(directory: URL) { reports = CrashReports(directory: directory) }

  /// The page; none if there are no reports.
  var pages: [MeFactory.Page] {
    // A page for a directory that cannot be read would be empty, too: `natter doctor` reports it.
    guard let all = try? reports.all(), !all.isEmpty else { return [] }
    return [.crashes(Self.files(reports))]
  }

  private static func files(_ reports: CrashReports) -> CrashesViewModel.Files {
    CrashesViewModel.Files(
      list: { try await list(reports) },
      text: { name in try await Task.detached { try reports.text(of: name) }.value },
      delete: { name in try await Task.detached { try reports.delete(name) }.value })
  }

  @concurrent nonisolated static func list(
    _ reports: CrashReports
  ) async throws -> [CrashesViewModel.Report] {
    try reports.all().prefix(CrashReports.limit).map { report in
      let text = CrashReportText(try reports.text(of: report.name))
      return CrashesViewModel.Report(
        id: report.name, at: report.at, version: text.version, signal: text.signal)
    }
  }

  /// Deletes old reports, and publishes a notice if the program has crashed since the last start.
  func announce(_ log: Log, _ publish: @escaping @Sendable (StatusNotice) -> Void) {
    let reports = reports
    Task.detached {
      do {
        try reports.prune(now: Date())
        if try reports.takeNews() { publish(StatusNotice(.warning, "status.crashed")) }
      } catch {
        log.warning("crash reports: \(error)")
      }
    }
  }
}
