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
import ViewModels
import XMPP

// Guide, sign-in and registration, and the way back from an account to them.
extension FullScreen {
  /// - Parameter newcomer: an account that there is not yet, for the form that makes one; `nil`: `account`.
  func showWelcome(
    _ step: WelcomeViewModel.Step, account: Account?, newcomer: Account? = nil
  ) {
    if let welcome {
      coordinator?.remove(welcome.pane)
      self.welcome = nil
    }
    let invalidation = Invalidation()
    // Of another account than the one that is asked for first, the command line says nothing.
    let place = accountScreen == nil ? (try? context.choice.place()) ?? nil : nil
    let resolveFile: (String) -> String? = { text in
      let path = Paths.expandingTilde(in: text)
      return TrustOptions.fault(of: path) == nil ? path : nil
    }
    let signIn = context.signIn(
      onSecretLeft: { [weak self] in await self?.noteSecretLeft(of: $0, because: $1) },
      onWebTrouble: { [weak self] in await self?.noteWebTrouble($0) })
    let signing = SessionSigning(
      over: signIn, sessions: context.credentials,
      contacts: { [weak self] in await self?.supportAddresses(at: $0) ?? [] })
    let model = WelcomeViewModel(
      step: step,
      guide: OnboardingViewModel(
        localizer: localizer,
        practices: WelcomePane.practices(
          bindings: keys.table, localizer: localizer),
        keyNames: WelcomePane.keyNames(bindings: keys.table, localizer: localizer),
        // Files that only the guide's first page needs.
        languages: step == .guide ? guideLanguages : [],
        themes: step == .guide ? guideThemes : [],
        language: settings.current.ui.language, theme: settings.current.ui.theme,
        answers: OnboardingViewModel.Answers(
          screen: guideScreen,
          sendsMarkers: settings.current.privacy.sendsMarkers,
          sendsTyping: settings.current.privacy.sendsTyping),
        dataDirectory: context.paths.data.path, secrets: guideSecrets, offersLocal: true,
        isReview: accountScreen != nil,
        invalidation: invalidation),
      signIn: SignInViewModel(
        signing: signing, localizer: localizer, account: account, place: place,
        offersBrowser: true, offersLocal: account == nil && accountScreen == nil,
        resolveFile: resolveFile, invalidation: invalidation),
      register: RegisterViewModel(
        signing: signing, localizer: localizer, account: newcomer ?? account, place: place,
        resolveFile: resolveFile, invalidation: invalidation),
      browser: BrowserSignInViewModel(
        signing: context.browserSignIn(signIn), localizer: localizer,
        drawsBlocks: context.usesUnicodeGlyphs,
        isRemote: context.environment["SSH_CONNECTION"]?.isEmpty == false,
        invalidation: invalidation),
      invalidation: invalidation)
    model.browser?.copy = { [weak self] in self?.terminal.copy($0) ?? .unavailable }
    model.onSignedIn = { [weak self] account in self?.begin { await self?.signedIn(account) } }
    model.onLocal = { [weak self] in
      self?.begin {
        do { try await self?.openLocal() } catch { self?.showFailure(error) }
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
      chooseInGuide("ui", "language", name)
      // The same guide in the other language.
      showWelcome(step, account: account, newcomer: newcomer)
      welcome?.model.guide.showLanguages()
    }
    model.onGuideSeen = { [weak self] in self?.context.rememberGuideWasSeen() }
    model.onCancel = { [weak self] in self?.leaveWelcome() }
    let pane = WelcomePane.make(viewModel: model, glyphs: glyphs, localizer: localizer)
    welcome = (model, pane, account?.jid.bare)
    coordinator?.present(pane)
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

  /// The theme that `auto` comes to, whichever is taken now.
  private var automaticTheme: String {
    if settings.current.ui.theme == ThemeActions.automatic { return SafeText.line(theme.name) }
    return themeLibrary.theme(themeOfTheHour).map { SafeText.line($0.theme.name) }
      ?? themeOfTheHour
  }

  /// The language that `auto` comes to, whichever is spoken now.
  private var automaticLanguage: String {
    LanguageChoice.name(
      of: LanguageChoice.tag(
        wanted: nil, environment: context.environment,
        available: LanguageChoice.available(in: context.localeFolders)),
      in: context.localeFolders)
  }

  private var guideThemes: [OnboardingViewModel.Choice] {
    [
      OnboardingViewModel.Choice(
        ThemeActions.automatic, automatic(automaticTheme))
    ]
      + themeNames.compactMap { name in
        themeLibrary.theme(name).map {
          OnboardingViewModel.Choice(name, SafeText.line($0.theme.name))
        }
      }
  }

  /// Each called as it calls itself.
  private var guideLanguages: [OnboardingViewModel.Choice] {
    [OnboardingViewModel.Choice("auto", automatic(automaticLanguage))]
      + LanguageChoice.available(in: context.localeFolders).map {
        OnboardingViewModel.Choice(
          $0, LanguageChoice.name(of: $0, in: context.localeFolders))
      }
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
      case ("ui", "theme"): _ = actions.setTheme(value)
      case ("ui", "language"): setLanguage(value)
      default: welcome?.model.form.message = FormMessage(.error, [localizer("guide.notKept")])
      }
      return false
    }
  }

  /// Where the people of a server can be asked for help: what it told an account of this profile.
  private func supportAddresses(at domain: String) async -> [String] {
    for screen in screens where screen.account.jid.domain == domain {
      let found = await screen.services.contacts.addresses()
      if !found.isEmpty { return found }
    }
    // Whatever is the matter with what is kept of an account is told by opening it, not by this question.
    let accounts = (try? await context.accounts.accounts()) ?? []
    for account in accounts where account.jid.domain == domain && screen(of: account.jid) == nil {
      guard FileManager.default.fileExists(atPath: context.databaseFile(of: account.jid).path),
        let database = try? await context.openDatabase(of: account.jid, patience: .none)
      else { continue }
      let found = await ServiceContactKeeper(account: account.jid, memory: database.settings)
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

  /// Goes on where the person was in this account, drafts and place as they were; another account is opened beside those
  /// there are.
  func signedIn(_ account: Account) async {
    defer { tellSecretLeft(of: account.jid) }
    if let screen = screen(of: account.jid) {
      screen.refusal = nil
      if screen.account.isSamePlace(as: account) {
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

  /// What a person did not want kept, and is there from before.
  private func noteSecretLeft(of jid: JID, because error: any Error) {
    // What nothing here could ever have written need not be removed each time.
    if case SecretServiceError.notInstalled = error { return }
    context.log.error("a secret from before could not be removed")
    secretsLeft[jid.bare] = context.secretLeft(of: jid, because: error)
  }

  private func tellSecretLeft(of jid: JID) {
    let trouble = webTrouble
    webTrouble = nil
    let left = secretsLeft.removeValue(forKey: jid.bare)
    guard let shell = screen(of: jid)?.shell else { return }
    if let trouble { shell.show(trouble) }
    if let left { shell.show(Notice(.warning, left.key, left.arguments)) }
  }

  private func noteWebTrouble(_ notice: Notice) { webTrouble = notice }
}

extension Account {
  /// Whether both are the same account, reached in the same way.
  fileprivate nonisolated func isSamePlace(as other: Account) -> Bool {
    jid.bare == other.jid.bare && server == other.server && port == other.port
      && security == other.security && caFile == other.caFile
  }
}
