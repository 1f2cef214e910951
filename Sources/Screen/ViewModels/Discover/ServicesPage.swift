import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The page of the server's components: the kind and the features of each, as text.
package final class ServicesPage: CardPage {
  package let id = "services"
  package let rows = FilteredRows<String>()

  private let shell: ShellViewModel
  private let finder: any ServerComponentFinding
  private var known = ServerParts()
  /// True if loading has begun, after which changes are loaded, and whether it has finished once.
  private var (hasBegun, hasLoaded) = (false, false)
  private var isReading = false

  /// The age in seconds after which the server is queried again when the user opens the page.
  private static let freshness: TimeInterval = 86_400

  package init(shell: ShellViewModel, finder: any ServerComponentFinding) {
    self.shell = shell
    self.finder = finder
    shell.follow { [weak self] in
      if case .serverPartsChanged = $0, self?.hasBegun == true { self?.load() }
    }
  }

  private var localizer: Localizer { shell.format.localizer }

  package func appeared() { load() }

  private func load() {
    hasBegun = true
    shell.lifetime.inOrder { [weak self, finder] in
      do {
        let parts = try await finder.parts()
        self?.take(parts)
      } catch {
        self?.shell.report(error)
      }
    }
  }

  private func take(_ parts: ServerParts) {
    known = parts
    rows.load(known.parts.map(\.jid.description)) { [weak self] in
      guard let self else { return "" }
      let card = card($0)
      return "\(card.title) \(known.parts[$0].jid) \(card.note) \(card.text)"
    }
    guard !hasLoaded else { return }
    hasLoaded = true
    let isFresh = known.readAt?.isRecent(Self.freshness, at: shell.now()) ?? false
    if !isFresh, shell.connectionState.isOnline { refresh() }
  }

  private func refresh() {
    guard !isReading else { return }
    isReading = true
    rows.onChange()
    shell.lifetime.aside { [weak self, finder] in
      do { try await finder.refreshParts() } catch { self?.shell.report(error) }
      self?.isReading = false
      self?.rows.onChange()
    }
  }

  // MARK: - Content

  private var form: ServerComponentForm { ServerComponentForm(shell: shell) }

  package func card(_ index: Int) -> CardItem {
    let part = known.parts[index]
    return CardItem(
      title: form.name(of: part), note: form.kind(of: part),
      text: part.discovery == nil
        ? localizer("discover.silent") : localizer.list(form.features(of: part)))
  }

  package var headings: CardItem {
    CardItem(
      title: localizer("discover.services.name"), note: localizer("discover.services.kind"),
      text: localizer("discover.services.offers"))
  }

  package var headline: String {
    CardHeadline(
      source: shell.format.account.domain, isReading: isReading, readAt: known.readAt
    ).text(shell.format, now: shell.now())
  }

  package var count: String { localizer.plural("discover.services", rows.shown.count) }

  package var emptyText: String {
    if rows.count > 0 { return localizer("sidebar.noneMatch") }
    return localizer(
      shell.connectionState.isOnline ? "discover.services.reading" : "discover.services.offline")
  }

  private var selected: ServerComponent? { rows.selectedIndex.map { known.parts[$0] } }

  package var summary: [String] {
    guard let part = selected else { return [] }
    return [
      [part.jid.description, form.kind(of: part)].filter { !$0.isEmpty }.joined(separator: "  "),
      localizer.list(form.features(of: part)),
    ].filter { !$0.isEmpty }
  }

  // MARK: - User input

  package var actions: Set<CardAction> { [.open, .refresh] }

  package func perform(_ action: CardAction) {
    switch action {
    case .open: if let selected { form.show(selected) }
    case .refresh: refresh()
    default: break
    }
  }

  package func show(item: String) { rows.select(item) }
}
