import Configuration
import ConnectionService
import Diagnostics
import FoundationEssentials
import NatterCore
import Panes
import SessionService
import Sockets
import Storage
import Terminal
import Text
import ViewModels
import XMPP

// Guide, sign-in and registration, and the way back from an account to them.
extension FullScreen {
  /// - Parameter newcomer: an account to be created, for the registration; `nil`: `account`.
  func showWelcome(
    _ step: WelcomeViewModel.Step, account: Account?, newcomer: Account? = nil
  ) {
    if let welcome {
      coordinator?.remove(welcome.pane)
      self.welcome = nil
    }
    let invalidation = Invalidation()
    // Of another account than the one that is asked for first, the command line says nothing.
    let start = accountScreen == nil ? (try? context.choice.connectionOptions()) ?? nil : nil
    let resolveFile: (String) -> String? = { text in
      let path = Paths.expandingTilde(in: text)
      return TrustOptions.fault(of: path) == nil ? path : nil
    }
    let local = LocalAccounts(context: context).lastUsed
    // The parameters of later forms, which are created when the user comes to them.
    let (localizer, isFirst) = (localizer, accountScreen == nil)
    let model = WelcomeViewModel(
      step: step,
      guide: OnboardingViewModel(
        localizer: localizer,
        practices: WelcomePane.practices(
          bindings: keys.table, localizer: localizer),
        keyNames: WelcomePane.keyNames(
          bindings: keys.table, tabs: Self.tabs, localizer: localizer),
        tabs: Self.tabs,
        languages: step == .guide ? guideLanguages : [],
        themes: step == .guide ? guideThemes : [],
        language: settings.current.ui.language, theme: settings.current.ui.theme,
        answers: OnboardingViewModel.Answers(
          screen: guideScreen,
          sendsMarkers: settings.current.privacy.sendsMarkers,
          sendsTyping: settings.current.privacy.sendsTyping),
        dataDirectory: context.paths.data.path, secrets: guideSecrets, offersLocal: true,
        isReview: !isFirst,
        invalidation: invalidation),
      signIn: SignInViewModel(
        signing: self.signing, localizer: localizer, account: account, start: start,
        offersBrowser: true, offersLocal: account == nil && isFirst, localAccount: local,
        hasWayBack: !isFirst,
        resolveFile: resolveFile, invalidation: invalidation),
      register: RegisterViewModel(
        signing: self.signing, localizer: localizer, account: newcomer ?? account, start: start,
        resolveFile: resolveFile, invalidation: invalidation),
      browser: self.browserSignIn(invalidation), invalidation: invalidation)
    model.onSignedIn = { [weak self] account in self?.begin { await self?.signedIn(account) } }
    model.onLocal = { [weak self] in
      self?.begin {
        do {
          try await self?.openLocal(named: local?.description ?? LocalAccounts.defaultName)
        } catch {
          self?.showFailure(error)
        }
      }
    }
    model.guide.onTheme = { [weak self] in self?.chooseInGuide("ui", "theme", $0) }
    model.guide.onMarkers = { [weak self] in
      self?.chooseInGuide("privacy", "read_markers", String($0))
    }
    model.guide.onTyping = { [weak self] in self?.chooseInGuide("privacy", "typing", String($0)) }
    model.guide.onScreen = { [weak self] screen in
      guard let self, chooseInGuide(screen) else { return }
      // The same guide in the other form.
      showWelcome(step, account: account, newcomer: newcomer)
      welcome?.model.guide.showScreens()
    }
    model.guide.onLanguage = { [weak self] name in
      guard let self else { return }
      let isKept = chooseInGuide("ui", "language", name)
      // The same guide in the other language.
      showWelcome(step, account: account, newcomer: newcomer)
      welcome?.model.guide.showLanguages()
      if !isKept { reportNotKept() }
    }
    model.onGuideSeen = { [weak self] in self?.context.rememberGuideWasSeen() }
    model.onCancel = { [weak self] in self?.leaveWelcome() }
    let pane = WelcomePane.make(viewModel: model, glyphs: glyphs, localizer: localizer)
    welcome = (model, pane, account?.jid.bare)
    coordinator?.present(pane)
    // Files that only the guide's first page needs, and not its first frame.
    if step == .guide {
      guide.reading = Task { [weak self, weak model] in await self?.offerChoices(in: model?.guide) }
    }
  }

  private var signIn: SignIn {
    context.signIn(
      onSecretLeft: { [weak self] in await self?.noteSecretLeft(of: $0, because: $1) },
      onWebTrouble: { [weak self] in await self?.noteWebTrouble($0) })
  }

  private var signing: SessionSigning {
    SessionSigning(
      over: signIn, sessions: context.credentials,
      contacts: { [weak self] in await self?.supportAddresses(at: $0) ?? [] })
  }

  private func browserSignIn(_ invalidation: Invalidation) -> BrowserSignInViewModel {
    let model = BrowserSignInViewModel(
      signing: context.browserSignIn(signIn), localizer: localizer,
      drawsBlocks: glyphs.drawsBlocks,
      isRemote: context.environment["SSH_CONNECTION"]?.isEmpty == false,
      invalidation: invalidation)
    model.copy = { [weak self] in self?.terminal.copy($0) ?? .unavailable }
    return model
  }

  /// Reads which languages and themes there are, and has the guide offer them.
  private func offerChoices(in guide: OnboardingViewModel?) async {
    async let languages = LanguageChoice.all(in: context.localeFolders)
    await themeCatalogue.refresh()
    self.guide.languages = await languages
    guide?.offer(languages: guideLanguages, themes: guideThemes)
  }

  private var guideScreen: OnboardingViewModel.Screen {
    let ui = settings.current.ui
    return ui.mode == .plain ? .lines : ui.isForScreenReader ? .reader : .ordinary
  }

  /// - Returns: whether it is kept.
  private func chooseInGuide(_ screen: OnboardingViewModel.Screen) -> Bool {
    let mode: Settings.Interface.Mode = screen == .lines ? .plain : .screen
    if mode != settings.current.ui.mode, !chooseInGuide("ui", "mode", mode.rawValue) {
      return false
    }
    let isReader = screen == .reader
    return isReader == settings.current.ui.isForScreenReader
      || chooseInGuide("ui", "screen_reader", String(isReader))
  }

  private var guideSecrets: OnboardingViewModel.Secrets {
    let account = settings.current.account
    if !account.passwordCommand.isEmpty { return .command }
    return account.secrets == .desktop ? .keyring : .file
  }

  private func automatic(_ outcome: String) -> String {
    localizer("settings.automatic", ["value": outcome])
  }

  /// Each called as it calls itself; before they are read, the one that holds now.
  private var guideLanguages: [OnboardingViewModel.Choice] {
    let available = LanguageChoice.available(in: context.localeFolders)
    guard guide.languages.isEmpty else {
      return [languageOf("auto", available)]
        + guide.languages.map { OnboardingViewModel.Choice($0.tag, $0.name) }
    }
    let setting = settings.current.ui.language
    return [languageOf(available.contains(setting) ? setting : "auto", available)]
  }

  /// The same of themes.
  private var guideThemes: [OnboardingViewModel.Choice] {
    let known = themeCatalogue.states.map { OnboardingViewModel.Choice($0.id, $0.name) }
    return known.isEmpty
      ? [themeOf(settings.current.ui.theme)] : [themeOf(ThemeActions.automatic)] + known
  }

  /// A language as the guide offers it; `auto` with the language that it resolves to: if it is set,
  /// that of the command line.
  private func languageOf(_ setting: String, _ available: [String]) -> OnboardingViewModel.Choice {
    guard setting == "auto" else { return OnboardingViewModel.Choice(setting, name(of: setting)) }
    let isTaken = settings.current.ui.language == setting
    let tag =
      isTaken
      ? localizer.tag
      : LanguageChoice.tag(wanted: nil, environment: context.environment, available: available)
    return OnboardingViewModel.Choice(setting, automatic(name(of: tag)))
  }

  private func name(of language: String) -> String {
    language == localizer.tag
      ? localizer.languageName : LanguageChoice.name(of: language, in: context.localeFolders)
  }

  /// A theme as the guide offers it; `auto` with the one that it comes to, whichever is taken now.
  private func themeOf(_ setting: String) -> OnboardingViewModel.Choice {
    guard setting == ThemeActions.automatic else {
      return OnboardingViewModel.Choice(setting, nameOfTheme(setting))
    }
    let isTaken = settings.current.ui.theme == setting
    return OnboardingViewModel.Choice(
      setting, automatic(nameOfTheme(isTaken ? themeName : themeOfTheHour)))
  }

  /// The name of a theme in the language of the user, as far as that is known.
  func nameOfTheme(_ name: String) -> String {
    // Before its file is read, no theme is known to be the user's own.
    localizer.name(
      of: themeCatalogue[name]
        ?? ThemeState(
          id: name, name: name == themeName ? SafeText.line(theme.name) : name, isForDay: nil))
  }

  /// Keeps what was chosen in the guide; it holds at once.
  /// - Returns: whether it is kept.
  @discardableResult
  private func chooseInGuide(_ section: String, _ key: String, _ value: String) -> Bool {
    do {
      _ = try change(SettingState.ID(section, key), to: value)
      return true
    } catch {
      // It is not kept; of what is on the screen it is what was asked for.
      context.log.error("the guide: \(error)")
      switch (section, key) {
      case ("ui", "theme"): previewTheme(value)
      case ("ui", "language"): setLanguage(value)
      default: break
      }
      reportNotKept()
      return false
    }
  }

  private func reportNotKept() {
    welcome?.model.form.message = FormMessage(.error, [localizer("guide.notKept")])
  }

  /// The addresses for help with a server, as it reported them to an account of this profile.
  private func supportAddresses(at domain: String) async -> [String] {
    for screen in screens where screen.account.jid.domain == domain {
      let found = await screen.services.contacts.addresses()
      if !found.isEmpty { return found }
    }
    // Problems of an account's data are reported when it is opened, not by this question.
    let accounts = (try? await context.accounts.accounts()) ?? []
    for account in accounts where account.jid.domain == domain && screen(of: account.jid) == nil {
      guard FileManager.default.fileExists(atPath: context.databaseFile(of: account.jid).path),
        let database = try? await context.openDatabase(of: account.jid, patience: .none)
      else { continue }
      let found = await SupportContacts(account: account.jid, memory: database.settings)
        .addresses()
      await database.close()
      if !found.isEmpty { return found }
    }
    return []
  }

  /// Esc in the form: back to the shell, where there is one.
  func leaveWelcome() {
    guard accountScreen != nil, let welcome else { return }
    coordinator?.remove(welcome.pane)
    self.welcome = nil
    // What the server refused while the form was open.
    if let screen = accountScreen, let problem = screen.refusal {
      askForCredential(of: screen, because: problem)
    }
  }

  /// Restores the user's position and drafts in this account; another account is opened beside the
  /// present ones.
  func signedIn(_ account: Account) async {
    defer { reportSecretLeft(of: account.jid) }
    if let screen = screen(of: account.jid) {
      screen.refusal = nil
      if screen.account.isSameServer(as: account) {
        leaveWelcome()
        screen.awaitsConnection = true
        if !isShown(account.jid) { show(screen) }
        await screen.services.connection.connectNow()
        return
      }
      // Reached in another way from here on.
      leaveWelcome()
      if await !leave(screen) { coordinator?.show(nil) }
    }
    await open(account)
  }

  /// Notes that a secret which the user does not want to be kept could not be removed.
  private func noteSecretLeft(of jid: JID, because error: any Error) {
    // What nothing here could ever have written need not be removed each time.
    if case SecretServiceError.notInstalled = error { return }
    context.log.error("a secret from before could not be removed")
    secretsLeft[jid.bare] = context.secretLeft(of: jid, because: error)
  }

  private func reportSecretLeft(of jid: JID) {
    let trouble = webTrouble
    webTrouble = nil
    let left = secretsLeft.removeValue(forKey: jid.bare)
    guard let shell = screen(of: jid)?.shell else { return }
    if let trouble { shell.show(trouble) }
    if let left { shell.show(StatusNotice(.warning, left.key, left.arguments)) }
  }

  private func noteWebTrouble(_ notice: StatusNotice) { webTrouble = notice }
}

extension Account {
  /// Returns whether both are the same account, reached in the same way.
  fileprivate nonisolated func isSameServer(as other: Account) -> Bool {
    jid.bare == other.jid.bare && server == other.server && port == other.port
      && security == other.security && caFile == other.caFile
  }
}
