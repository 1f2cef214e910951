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

  /// The same if there are reports, and so a page; read off the main actor.
  var withReports: CrashPage? {
    get async { await Self.hasAny(reports) ? self : nil }
  }

  var pages: [MeFactory.Page] { [.crashes(Self.files(reports))] }

  /// The newest reports, read off the main actor.
  /// - Throws: `NatterError` if the directory cannot be read.
  func newest() async throws -> [CrashesViewModel.Report] { try await Self.list(reports) }

  private static func files(_ reports: CrashReports) -> CrashesViewModel.Files {
    CrashesViewModel.Files(
      list: { try await list(reports) },
      text: { try await text(of: $0, reports) }, delete: { try await delete($0, reports) })
  }

  @concurrent nonisolated private static func hasAny(_ reports: CrashReports) async -> Bool {
    // A page for a directory that cannot be read would be empty, too: `natter doctor` reports it.
    (try? reports.all())?.isEmpty == false
  }

  @concurrent nonisolated static func list(
    _ reports: CrashReports
  ) async throws -> [CrashesViewModel.Report] {
    try reports.all().prefix(CrashesViewModel.limit).map { report in
      // One that cannot be read hides no other: opening it says why.
      let text = CrashReportText((try? reports.text(of: report.name)) ?? "")
      return CrashesViewModel.Report(
        id: report.name, at: report.at, version: text.version, signal: text.signal)
    }
  }

  @concurrent nonisolated private static func text(
    of name: String, _ reports: CrashReports
  ) async throws -> String { try reports.text(of: name) }

  @concurrent nonisolated private static func delete(
    _ name: String, _ reports: CrashReports
  ) async throws { try reports.delete(name) }

  @concurrent nonisolated private static func takeNews(_ reports: CrashReports) async throws -> Bool
  {
    try reports.prune(now: Date())
    return try reports.takeNews()
  }

  /// Deletes old reports, and publishes a notice if the program has crashed since the last start.
  func announce(_ log: Log, _ publish: @escaping @Sendable (StatusNotice) -> Void) {
    let reports = reports
    Task {
      do {
        if try await Self.takeNews(reports) { publish(StatusNotice(.warning, "status.crashed")) }
      } catch {
        log.warning("crash reports: \(error)")
      }
    }
  }
}
