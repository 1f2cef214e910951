import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// Creates the sub-app Me: pages about the account, the settings and the program, listed at the
/// side.
package struct MeFactory: SubAppFactory {
  /// One page: its name in the list, and its pane, created when it is first shown.
  package struct Page {
    package let id: String
    /// A key of `Resources/locales`.
    package let titleKey: String
    /// Returns whether the account has the page.
    package let isOffered: (ShellViewModel) -> Bool
    package let make: (ShellFrame, StyleRole) -> any SubAppPane

    package init(
      id: String, titleKey: String, isOffered: @escaping (ShellViewModel) -> Bool = { _ in true },
      make: @escaping (ShellFrame, StyleRole) -> any SubAppPane
    ) {
      self.id = id
      self.titleKey = titleKey
      self.isOffered = isOffered
      self.make = make
    }

    /// The settings of one section of `config.toml`.
    package static func settings(_ section: String, _ settings: SettingsActions) -> Page {
      Page(id: section, titleKey: "settings.page.\(section)") { frame, accent in
        ValueListPane(
          viewModel: SettingsViewModel(section: section, shell: frame.shell, settings: settings),
          frame: frame, accent: accent)
      }
    }

    /// The account's own profile.
    /// - Parameter make: creates its view model when the page is first opened.
    package static func profile(_ make: @escaping (ShellViewModel) -> ProfileViewModel) -> Page {
      Page(id: "profile", titleKey: "profile.page") { frame, accent in
        ValueListPane(viewModel: make(frame.shell), frame: frame, accent: accent)
      }
    }

    /// The account's own presence.
    package static let presence = Page(id: "presence", titleKey: "ownPresence.page") {
      frame, accent in
      ValueListPane(
        viewModel: PresenceViewModel(shell: frame.shell), frame: frame, accent: accent)
    }

    /// All keys.
    /// - Parameters:
    ///   - others: keys that are in no table, as pages of the help.
    ///   - openFile: opens the user's own key file.
    package static func keys(
      others: @escaping () -> [HelpPage], openFile: @escaping () -> Void
    ) -> Page {
      Page(id: "keys", titleKey: "keylist.page") { frame, accent in
        KeyListPane(
          viewModel: KeysViewModel(localizer: frame.localizer, openFile: openFile), frame: frame,
          accent: accent, others: others)
      }
    }

    /// The account on its server.
    package static func account(_ make: @escaping (ShellViewModel) -> AccountViewModel) -> Page {
      Page(id: "server", titleKey: "account.page") { frame, accent in
        ValueListPane(viewModel: make(frame.shell), frame: frame, accent: accent)
      }
    }

    /// The histories that can be imported; only where histories are imported.
    package static func imports(_ finding: any HistoryFinding) -> Page {
      Page(
        id: "import", titleKey: "import.page", isOffered: { ImportViewModel.isOffered(in: $0) }
      ) { frame, accent in
        ValueListPane(
          viewModel: ImportViewModel(shell: frame.shell, finding: finding), frame: frame,
          accent: accent, own: ValueListPane.OwnKeys(texts: "import", removes: false))
      }
    }

    /// The scripts; only where scripts run.
    package static let scripts = Page(
      id: "scripts", titleKey: "scripts.page", isOffered: { ScriptsViewModel.isOffered(in: $0) }
    ) { frame, accent in ScriptsPane.make(frame: frame, accent: accent) }

    /// The themes.
    package static func themes(_ themes: ThemeActions) -> Page {
      Page(id: "theme", titleKey: "themes.title") { frame, accent in
        ThemePane(
          viewModel: ThemesViewModel(shell: frame.shell, themes: themes), frame: frame,
          accent: accent)
      }
    }

    /// The addresses that the account has blocked.
    package static func blocked(_ blocking: any BlockListChanging) -> Page {
      Page(id: "blocked", titleKey: "blocked.page") { frame, accent in
        ValueListPane(
          viewModel: BlockListViewModel(shell: frame.shell, blocking: blocking), frame: frame,
          accent: accent)
      }
    }

    /// The crash reports of the program.
    package static func crashes(_ files: CrashesViewModel.Files) -> Page {
      Page(id: "crashes", titleKey: "crashes.title") { frame, accent in
        let crashes = CrashesViewModel(shell: frame.shell, files: files)
        return ValueListPane(
          viewModel: crashes, frame: frame, accent: accent,
          own: ValueListPane.OwnKeys(
            texts: "crashes", actions: [.showInChat: { crashes.copy() }],
            hints: [.showInChat: "hint.copyMessage"]))
      }
    }

    /// The program itself.
    package static func about(_ make: @escaping (ShellViewModel) -> AboutViewModel) -> Page {
      Page(id: "about", titleKey: "settings.page.about") { frame, accent in
        let about = make(frame.shell)
        let pane = DetailPane(
          frame: frame, accent: accent, invalidation: about.invalidation,
          keyTexts: "about", hintedActions: [.selectNext, .open],
          accepts: { about.hasCrashes ? [.open, .showInChat] : [.open] },
          act: { action in
            switch action {
            case .open: about.look()
            case .showInChat where about.hasCrashes: about.showCrashes()
            default: return .ignored
            }
            return .handled
          },
          read: { (about.title, about.items, about.hint) })
        pane.onFocus = { about.appeared() }
        return pane
      }
    }
  }

  package static let tab = SubAppTab(.me, position: 5)
  package let accent = StyleRole.nick3
  package var actions: Set<KeyAction> { ThemePane.actions.union([.valueBefore, .valueAfter]) }
  private let pages: [Page]

  /// - Parameter pages: from the top; at least one.
  package init(pages: [Page]) { self.pages = pages }

  package func makeSubApp(in frame: ShellFrame) -> any SubApp {
    let pages = pages.filter { $0.isOffered(frame.shell) }
    let list = PageListViewModel(
      items: pages.map { PageItem(id: $0.id, title: frame.localizer($0.titleKey)) })
    let sidebar = PageListPane(viewModel: list, frame: frame)
    var made: [Int: any SubAppPane] = [:]
    func page(_ index: Int) -> any SubAppPane {
      if let pane = made[index] { return pane }
      let pane = pages[index].make(frame, accent)
      made[index] = pane
      return pane
    }
    let subApp = PanedSubApp(
      frame: frame,
      parts: PanedSubApp.Parts(sidebar: sidebar, widthKey: PreferenceKey.width(of: tab.id)) {
        page(list.selected)
      })
    // Notices about the previous page.
    list.onSelect = { [weak shell = frame.shell] in shell?.status.clearInfo() }
    subApp.onShow = { id, item in
      list.select(id)
      guard let index = pages.firstIndex(where: { $0.id == id }) else { return }
      (page(index) as? ValueListPane)?.select(item)
    }
    subApp.madePages = { made }
    subApp.page = { pages.indices.contains($0) ? page($0) : nil }
    sidebar.onOpen = { [weak subApp] in subApp?.showContent() }
    return subApp
  }
}
