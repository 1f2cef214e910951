import NatterCore

/// The program itself: its version, what works here and what does not, where its files are, and the licences of what it is
/// made of.
package final class AboutViewModel {
  /// What the page is told by the program.
  package struct Sources {
    package let version: String
    /// Where things are and what is in use.
    package let facts: () -> [DetailItem]
    /// Looks at everything there is to look at, away from the screen.
    package let diagnose: (@escaping (DetailItem) -> Void) async -> Void
    /// The libraries and data, and their licences.
    package let components: () async -> [DetailItem]

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
  package var hint: String { localizer("about.hint") }

  /// Called when somebody comes to the page: it is looked once by itself.
  package func appeared() {
    if findings.isEmpty { look() }
  }

  /// Looks at everything, and once more.
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
    items.append(
      DetailItem(localizer("about.checks"), isLooking ? localizer("about.looking") : ""))
    items += findings
    guard !components.isEmpty else { return items }
    return items + [DetailItem(localizer("about.components"), "")] + components
  }
}
