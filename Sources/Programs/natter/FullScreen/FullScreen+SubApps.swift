import Configuration
import DiscoverService
import FoundationEssentials
import Glibc
import Keys
import NatterCore
import Panes
import SessionService
import Terminal
import Text
import ViewModels
import XMPP

// The sub-apps there are, and what those of this program's own need.
extension FullScreen {
  /// The parameters of their factories.
  typealias SubAppParts = (
    screen: FullScreen, services: AccountServices, mediator: Mediator, crashes: CrashPage?
  )

  /// The sub-apps beside Chats: one line for each.
  static let subApps: [SubAppRegistration<SubAppParts>] = [
    SubAppRegistration { _ in ContactsFactory() },
    SubAppRegistration { DiscoverFactory(ports: DiscoverPorts($0.services)) },
    SubAppRegistration { _ in FilesFactory() },
    SubAppRegistration { MeFactory(pages: $0.screen.mePages($0)) },
  ]

  /// The tabs from the left, also before there is an account.
  static var tabs: [SubAppTab] {
    ([.chats] + subApps.map(\.tab)).sorted { $0.position < $1.position }
  }

  /// The program's own entries in the palette: the other accounts, the themes and the settings.
  func paletteEntries() -> [PaletteEntry] {
    accountEntries()
      + themeNames.map { name in
        PaletteEntry(
          id: "theme \(name)", kind: .setting, title: localizer("palette.theme", ["name": name]),
          detail: "/theme \(name)"
        ) { [weak self] in _ = self?.chooseTheme(name) }
      }
      + languageEntries()
      + ["rooms", "feeds", "events", "services", "invitations"].map { page in
        PaletteEntry(
          id: "discover \(page)", kind: .action,
          title: localizer("discover.palette", ["name": localizer("discover.page.\(page)")])
        ) { [weak self] in self?.showDiscover(page: page, item: "") }
      }
      + settings.states.map { state in
        let key = "setting.\(state.id.section).\(state.id.key)"
        return PaletteEntry(
          id: key, kind: .setting, title: localizer("palette.setting", ["name": localizer(key)]),
          detail: "\(state.id.section).\(state.id.key)", keywords: state.keywords(localizer)
        ) { [weak self] in
          guard let desktop = self?.accountScreen?.desktop else { return }
          desktop.open(.me)
          desktop.show(page: state.id.section, item: state.id.key)
        }
      }
  }

  /// The languages by their own names, so that users find theirs in a foreign interface. They are
  /// read at the first request, and open overlays get them a moment later.
  private func languageEntries() -> [PaletteEntry] {
    if guide.languages.isEmpty, guide.reading == nil {
      guide.reading = Task { [weak self, folders = context.localeFolders] in
        let languages = await LanguageChoice.all(in: folders)
        guard let self else { return }
        guide = (nil, languages)
        offerMore()
      }
    }
    return guide.languages.map { language in
      PaletteEntry(
        id: "language \(language.tag)", kind: .setting,
        title: localizer("palette.language", ["name": language.name]),
        detail: "/lang \(language.tag)", keywords: "language"
      ) { [weak self] in _ = self?.chooseLanguage(language.tag) }
    }
  }

  /// Opens Discover on a page, at a thing on it unless that is empty.
  func showDiscover(page: String, item: String) {
    guard let desktop = accountScreen?.desktop else { return }
    desktop.open(.discover)
    desktop.show(page: page, item: item)
  }

  private func mePages(_ parts: SubAppParts) -> [MeFactory.Page] {
    let (_, services, mediator, crashes) = parts
    let settings = SettingsActions(
      read: { [settings] in settings.states },
      change: { [weak self] in try self?.change($0, to: $1) ?? false },
      preview: { [weak self] in self?.preview($0, $1) },
      automatic: { [weak self] in self?.automaticOutcome(of: $0) },
      name: { [weak self] id, value in
        guard let self, id.section == "ui",
          ["theme", "theme_night", "theme_day"].contains(id.key), let theme = themeCatalogue[value]
        else { return nil }
        return localizer.name(of: theme)
      },
      refreshNames: { [themeCatalogue] section in
        if section == "ui" { await themeCatalogue.refresh() }
      })
    let profile = MeFactory.Page.profile { [context] shell in
      ProfileViewModel(shell: shell, profile: services.profile, mediator: mediator) {
        try OwnPicture(file: context.files.absolute($0), crypto: context.crypto)
      }
    }
    let account = MeFactory.Page.account { [weak self] shell in
      AccountViewModel(
        shell: shell,
        support: { [weak self] in try await self?.registration?.supportAddresses() ?? [] },
        room: { [guide = services.guide] in
          if try await guide.parts().readAt == nil { try await guide.refreshParts() }
          let services = try await guide.parts().parts.compactMap { part in
            part.discovery.flatMap { XEP0363Service(jid: part.jid, $0) }
          }
          guard !services.isEmpty else { return .none }
          return services.lazy.compactMap(\.sizeLimit).first.map { .each($0) } ?? .unreported
        })
    }
    return [profile, .presence, account, .imports(services, context), .themes(themeActions)]
      + ["ui", "notify", "privacy"].map { .settings($0, settings) } + [keysPage, .scripts]
      + ["files", "location", "account", "bridge", "log"].map { .settings($0, settings) }
      + [.blocked(services.blockList), aboutPage(of: services, crashes)] + (crashes?.pages ?? [])
  }

  /// The value that a setting with `auto` has now, as text; `nil`: there is none to show.
  func automaticOutcome(of id: SettingState.ID) -> String? {
    switch (id.section, id.key) {
    case ("ui", "language"): localizer("app.language")
    case ("ui", "theme"): nameOfTheme(themeOfTheHour)
    case ("ui", "glyphs"):
      localizer("settings.value.ui.glyphs.\(glyphs.drawsBlocks ? "unicode" : "ascii")")
    case ("ui", "unicode"):
      localizer("settings.value.ui.unicode.\(glyphs.drawsWhole ? "full" : "safe")")
    case ("ui", "ambiguous_width"):
      localizer("settings.value.ui.ambiguous_width.\(glyphs.ambiguousIsWide ? "wide" : "narrow")")
    case ("ui", "slow_link"):
      localizer("settings.value.ui.slow_link.\(isLineSlow ? "on" : "off")")
    default: nil
    }
  }

  /// Has a changed setting take effect, where it can.
  /// - Returns: whether it has.
  func apply(_ id: SettingState.ID, _ settings: Settings) -> Bool {
    let shells = screens.map(\.shell)
    switch (id.section, id.key) {
    case ("ui", "theme"), ("ui", "theme_night"), ("ui", "theme_day"), ("ui", "day_hours"):
      followTheme(settings.ui)
    case ("ui", "mouse"): terminal.setMouse(settings.ui.usesMouse)
    case ("ui", "clock"), ("ui", "reduced_motion"), ("ui", "screen_reader"):
      followLine()
      followAppearance(id)
      showPictures()
      followLinks()
    case ("ui", "transitions"), ("ui", "sidebar"), ("ui", "slow_link"), ("ui", "announce"),
      ("ui", "order"):
      followLine()
    case ("ui", "glyphs"), ("ui", "bidi"), ("ui", "time"), ("ui", "unicode"),
      ("ui", "ambiguous_width"):
      followAppearance(id)
      showPictures()
    case ("ui", "colour_vision"): followVision(settings.ui)
    case ("ui", "pictures"): showPictures()
    case ("ui", "links"):
      followLinks()
      coordinator?.display.drawAll()
    case ("ui", "emoji"): followAppearance(id, isOther: true)
    case ("ui", "keys"), ("ui", "enter"):
      keys.use(settings.ui)
      useKeys()
      for screen in screens { screen.desktop.chats.usesVi = settings.ui.keys == .vi }
    case ("notify", "bell"):
      let rule = ShellViewModel.BellRule(rawValue: settings.notify.bell.rawValue) ?? .mention
      for shell in shells { shell.bell = rule }
    case ("notify", _), ("ui", "emoji_on_send"), ("ui", "up_edits"): break
    case ("ui", "language"):
      setLanguage(settings.ui.language, setting: id)
    default: return false
    }
    return true
  }

  /// Shows the theme that is selected in the list, and the kept one when the list is closed.
  private func preview(_ id: SettingState.ID, _ value: String?) {
    guard id.section == "ui", id.key.hasPrefix("theme") else { return }
    previewTheme(value)
  }
}
