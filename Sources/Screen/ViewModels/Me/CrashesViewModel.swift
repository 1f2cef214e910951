import FoundationEssentials
import NatterCore
import Text

/// The newest crash reports of the program: a page of Me. Nothing is ever sent; the user can copy a
/// report into a bug report.
package final class CrashesViewModel: ValueListing {
  /// A crash report, as far as the list shows it.
  nonisolated package struct Report: Identifiable, Hashable, Sendable {
    package let id: String
    package let at: Date
    package let version: String
    package let signal: String

    package init(id: String, at: Date, version: String, signal: String) {
      self.id = id
      self.at = at
      self.version = version
      self.signal = signal
    }

    /// Its version and signal, as far as it has them.
    var facts: String { [version, signal].filter { !$0.isEmpty }.joined(separator: ", ") }
  }

  /// The files, read and deleted by the program. All throw `NatterError`.
  package struct Files {
    /// Returns the reports, the newest first.
    package let list: () async throws -> [Report]
    package let text: (Report.ID) async throws -> String
    package let delete: (Report.ID) async throws -> Void

    package init(
      list: @escaping () async throws -> [Report],
      text: @escaping (Report.ID) async throws -> String,
      delete: @escaping (Report.ID) async throws -> Void
    ) {
      self.list = list
      self.text = text
      self.delete = delete
    }
  }

  /// The number of reports on the page.
  nonisolated package static let limit = 5

  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }
  private let shell: ShellViewModel
  private let files: Files
  private var reports: [Report] = []
  private var selected = 0 { didSet { if selected != oldValue { invalidation.raise() } } }

  package init(shell: ShellViewModel, files: Files) {
    self.shell = shell
    self.files = files
    load()
  }

  private var localizer: Localizer { shell.format.localizer }
  package var title: String { localizer("crashes.title") }

  package var items: [ValueItem] {
    reports.enumerated().map { index, report in
      var item = ValueItem(
        id: report.id, title: shell.format.moment(report.at, now: shell.now()),
        value: report.facts)
      item.isSelected = index == selected
      return item
    }
  }

  package var help: [String] {
    [localizer(reports.isEmpty ? "crashes.none" : "crashes.help"), localizer("crashes.private")]
  }

  private func load() {
    work { page in
      page.reports = Array(try await page.files.list().prefix(Self.limit))
      page.selected = min(page.selected, max(0, page.reports.count - 1))
      page.invalidation.raise()
    }
  }

  private func work(_ change: @escaping @MainActor (CrashesViewModel) async throws -> Void) {
    shell.lifetime.inOrder { [weak self] in
      guard let self else { return }
      do { try await change(self) } catch { shell.report(error) }
    }
  }

  private var current: Report? { reports.indices.contains(selected) ? reports[selected] : nil }

  package func select(_ id: ValueItem.ID) {
    if let index = reports.firstIndex(where: { $0.id == id }) { selected = index }
  }

  package func select(key: String) { select(key) }

  package func moveSelection(_ step: Int) {
    let last = max(0, reports.count - 1)
    selected = step == .min ? 0 : step == .max ? last : min(last, max(0, selected + step))
  }

  /// Shows the selected report, line by line; Enter in it copies all of it.
  package func open() {
    guard let report = current else { return }
    work { page in
      let text = try await page.files.text(report.id)
      let lines = text.split(whereSeparator: \.isNewline).map { ErrorText.oneLine(String($0)) }
      page.shell.actions.choose(
        ChoiceRequest(title: page.localizer("crashes.reportTitle"), labels: lines, selected: 0) {
          [weak shell = page.shell] in if $0 != nil { shell?.copy(text) }
        })
    }
  }

  /// Copies the selected report.
  package func copy() {
    guard let report = current else { return }
    work { page in page.shell.copy(try await page.files.text(report.id)) }
  }

  package func turn(_ step: Int) {}

  /// Deletes the selected report.
  package func reset() {
    guard let report = current else { return }
    work { page in
      try await page.files.delete(report.id)
      page.shell.show(StatusNotice(.info, "status.crashDeleted"))
      page.load()
    }
  }
}
