import NatterCore
import Text

/// The program itself: its version, what works here and what does not, the locations of its files,
/// and the licences of its components.
package final class AboutViewModel {
  /// The data of the page, provided by the program.
  package struct Sources {
    package let version: String
    /// Returns locations of files and settings in use.
    package let facts: () -> [DetailItem]
    /// Runs all checks, off the main actor.
    package let diagnose: (@escaping (DetailItem) -> Void) async -> Void
    /// Returns the libraries and data, with their licences.
    package let components: () async -> [DetailItem]
    /// Returns the newest crash reports, the newest first.
    package var crashes: () async throws -> [CrashesViewModel.Report] = { [] }

    package init(
      version: String, facts: @escaping () -> [DetailItem],
      diagnose: @escaping (@escaping (DetailItem) -> Void) async -> Void,
      components: @escaping () async -> [DetailItem]
    ) {
      self.version = version
      self.facts = facts
      self.diagnose = diagnose
      self.components = components
    }
  }

  package let invalidation = Invalidation()
  private let shell: ShellViewModel
  private let sources: Sources
  private var findings: [DetailItem] = []
  private var components: [DetailItem] = []
  private var isLooking = false
  private var crashes: [CrashesViewModel.Report] = []

  package init(shell: ShellViewModel, sources: Sources) {
    self.shell = shell
    self.sources = sources
    shell.lifetime.aside { [weak self] in
      let components = await sources.components()
      self?.components = components
      self?.invalidation.raise()
    }
  }

  private var localizer: Localizer { shell.format.localizer }
  package var title: String { localizer("settings.page.about") }
  package var hint: String {
    hasCrashes
      ? localizer("about.crashHint") + " " + localizer("about.hint") : localizer("about.hint")
  }
  /// Indicates whether there are crash reports.
  package var hasCrashes: Bool { !crashes.isEmpty }

  /// Called when the page opens: the first time the checks run by themselves.
  package func appeared() {
    readCrashes()
    if findings.isEmpty { look() }
  }

  /// Reads the crash reports, some of which may have been deleted meanwhile.
  private func readCrashes() {
    shell.lifetime.aside { [weak self, sources] in
      do {
        let found = try await sources.crashes().prefix(CrashesViewModel.limit)
        self?.crashes = Array(found)
        self?.invalidation.raise()
      } catch {
        self?.shell.report(error)
      }
    }
  }

  /// Opens the page with the crash reports.
  package func showCrashes() {
    do { try shell.actions.openAddress("natter://me/show?page=crashes", false) } catch {
      shell.report(error)
    }
  }

  /// Runs all checks, the first time or again.
  package func look() {
    guard !isLooking else { return }
    isLooking = true
    findings = []
    invalidation.raise()
    shell.lifetime.aside { [weak self, sources] in
      await sources.diagnose { [weak self] in
        self?.findings.append($0)
        self?.invalidation.raise()
      }
      self?.isLooking = false
      self?.invalidation.raise()
    }
  }

  package var items: [DetailItem] {
    var items = [
      DetailItem(localizer("about.version"), "Natter \(sources.version)"),
      DetailItem(localizer("about.licence"), localizer("about.licenceText")),
    ]
    items += sources.facts()
    if hasCrashes { items.append(DetailItem(localizer("crashes.title"), "")) }
    items += crashes.map { report in
      DetailItem(shell.format.moment(report.at, now: shell.now()), report.facts)
    }
    items.append(
      DetailItem(localizer("about.checks"), isLooking ? localizer("about.looking") : ""))
    items += findings
    guard !components.isEmpty else { return items }
    return items + [DetailItem(localizer("about.components"), "")] + components
  }
}
