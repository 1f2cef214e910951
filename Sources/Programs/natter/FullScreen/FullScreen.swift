import Configuration
import ConnectionService
import Diagnostics
import FoundationEssentials
import Glibc
import NatterCore
import Panes
import PeopleService
import SessionService
import Storage
import TOML
import Terminal
import TerminalNcurses
import Text
import ViewModels
import XMPP

/// The full screen: start-up (flows.md, "Start-up"), the shell of one account, and what ends it.
final class FullScreen {
  let context: LaunchContext
  let terminal: TerminalSession
  let scheduler = Scheduler.timers
  private let minutes = MinuteTimer(scheduler: .timers)
  private let idle = IdleMonitor(scheduler: .timers)
  var glyphs: Glyphs
  /// The width of ambiguous characters in the terminal, once it has answered.
  var widths: WidthProbe?
  var keys: KeyChoice
  var themes: ThemeChoice
  /// Why the theme that was asked for last could not be taken.
  var themeProblem: StatusNotice?
  /// The theme of the command line; it is valid until the user chooses another one to keep.
  var givenTheme: String?
  let settings: SettingsStore
  let rules: NotificationRules
  /// The address that the program was started with, until there is a shell that opens it.
  var waitingAddress: String?
  var daylight: DayNightSchedule
  let pictures: PictureBoard
  /// The answers of the terminal about pictures.
  var pictureAnswers = PictureAnswers()
  private(set) var coordinator: AppCoordinator?
  /// The accounts of this program in display order, including those that could not be opened.
  var slots: [AccountSlot] = [] { didSet { scripts.follow(self) } }
  /// The account that is shown.
  var shownAccount: JID?
  /// Indicates whether the other accounts are to be opened once the first one is on the screen.
  var opensOthers = false
  /// Those that are being opened behind the one that is shown, and whether they are open then.
  var opening: [JID: Task<Bool, Never>] = [:]
  /// Guide, sign-in and registration, and their account if there is one already.
  var welcome: (model: WelcomeViewModel, pane: FormPane, account: JID?)?
  /// Secrets that should be gone and could not be removed, until that is reported.
  var secretsLeft: [JID: NatterError] = [:]
  /// Why signing in over HTTP failed, until there is a screen that shows it.
  var webTrouble: StatusNotice?
  /// The task that loads the guide, and the languages found; empty until they are read.
  var guide: (reading: Task<Void, Never>?, languages: [LanguageChoice.Named]) = (nil, [])
  var alert: (model: AlertViewModel, pane: DialogPane, countdown: Task<Void, Never>)?
  private(set) lazy var line = makeLineWatch()
  private(set) lazy var themeCatalogue = makeThemeCatalogue()
  private(set) lazy var pause = TypingPause(scheduler: scheduler)
  private(set) lazy var gate = InputGate { [weak self] in self?.coordinator?.handle($0) }
  /// The reason to make the shells anew, while a dialog that belongs to them is open.
  var wantedRebuild: WantedRebuild?
  var isRebuilding = false
  /// The shells before, as long as something that they have begun is under way.
  var retired: [RetiredShell] = []
  var isAskingToLeave = false
  let (endings, end) = AsyncStream<Ending>.makeStream(bufferingPolicy: .bufferingOldest(1))
  /// Takes back that unused memory is given back in a moment.
  var cancelGivingBack: (() -> Void)?
  /// Whether it was said that settings cannot be saved, and that the terminal is not in UTF-8.
  var hasReported = (settingsFault: false, characterSet: false)
  private(set) lazy var scripts = ScriptScreen(ScriptComposition(context, mayAsk: true))
  /// The exit code as long as the problem at the start persists; `nil`: there is none.
  var startFailure: ExitCode?
  private var works: [Task<Void, Never>] = []

  /// A reason for the program to end.
  enum Ending: Sendable {
    case quit
    /// The user knows what is lost by it, or waits for the next start.
    case quitAnyway
    case signal(Int32)
    /// There was no way past what was in the way at the start.
    case failed(ExitCode)
    /// The Natter of that process has opened what this one was to open.
    case addressSpooled(to: Int32)
  }

  private(set) var localizer: Localizer

  /// Takes over the terminal.
  /// - Throws: `CommandFailure` when there is none that can be used.
  init(context: LaunchContext) throws {
    self.context = context
    localizer = context.localizer
    waitingAddress = context.options.address
    givenTheme = context.options.theme
    rules = NotificationRules(context)
    let settings = context.settings
    let library = ThemeLibrary.standard(paths: context.paths, resources: context.resources)
    self.settings = SettingsStore(settings, file: context.paths.configurationFile) {
      LanguageChoice.names(in: context.localeFolders, themes: library.names)
    }
    daylight = context.daylight
    themes = context.themeChoice(from: library, kind: daylight.kind)
    guard themes.isFound else {
      throw CommandFailure(
        code: .badConfiguration,
        text: context.localizer(
          "cli.no-theme",
          ["name": themes.current, "known": library.names.joined(separator: ", ")]))
    }
    keys = context.keyChoice
    terminal = try TerminalSession(
      theme: themes.theme, usesMouse: settings.ui.usesMouse,
      asksForKitty: PictureProtocol.isAsked(for: settings.ui, environment: context.environment),
      environment: context.environment, localizer: context.localizer)
    glyphs = context.glyphs(settings.ui, isASCIIOnly: terminal.screen.isASCIIOnly)
    pictures = Self.pictureBoard(
      depth: terminal.screen.colorDepth, environment: context.environment)
    useWidths()
    self.settings.apply = { [weak self] in self?.apply($0, $1) ?? false }
    self.settings.onReadAgain = { [weak self] in self?.reportRead($0) }
  }

  /// Runs until the user quits or the terminal is gone.
  /// - Returns: the exit code: 0, that of a failed start, or 128 and the signal's number.
  func run() async -> Int32 {
    let coordinator = AppCoordinator(
      screen: terminal.screen, bindings: keys.table, localizer: localizer, glyphs: glyphs,
      scheduler: scheduler, actions: actions)
    self.coordinator = coordinator
    coordinator.onOverlayGone = { [weak self] in
      self?.rebuildWhenFree()
      self?.dropRetired()
      // Not in the middle of a frame.
      if self?.accountScreen?.unreported != nil { self?.begin { self?.reportUnreported() } }
    }
    followLine()
    followPictures()
    followLinks()
    scripts.begin(on: self)
    // Without an account the first frame is drawn before terminal events need another thread.
    let starting = Task.immediate { await self.startAndLetInputIn() }
    terminal.start(
      onInput: { [weak self] events in
        coordinator.display.gather { for event in events { self?.receive(event) } }
      },
      onResize: { [weak self] in self?.screenDidResize() },
      onSignal: { [weak self] in self?.end.yield(.signal($0)) })
    line.begin()
    works.append(starting)
    minutes.start { [weak self] in
      self?.followDaylight()
      self?.refreshFiles()
      self?.coordinator?.minutePassed()
      self?.minutePassedBehind()
    }
    idle.onChange = { [weak self] since in
      guard let self else { return }
      for screen in screens { begin { await screen.services.presence.setIdle(since: since) } }
    }
    idle.start()
    terminal.onWidths = { [weak self] in self?.widthsReported($0) }
    terminal.onPictures = { [weak self] in self?.picturesReported($0) }
    terminal.onBackground = { [weak self] in self?.surroundingsChanged($0) }
    if (givenTheme ?? settings.current.ui.theme) == "auto" {
      terminal.askForBackground()
    }
    var code: Int32 = 0
    var farewell: [String] = []
    for await ending in endings {
      switch ending {
      case .signal(let number):
        code = 128 + number
        // Before the database is closed: who takes it over writes its own number into the lock.
        if number == SIGTERM { farewell = takeOvers }
      case .failed(let reason): code = reason.rawValue
      case .quit:
        if let startFailure { code = startFailure.rawValue }
        guard await saveDrafts() else {
          askToLeave(localizer("quit.unsavedTitle"), localizer("quit.unsaved"))
          continue
        }
        if let text = await runningUploads() {
          askToLeave(localizer("quit.uploadsTitle"), text)
          continue
        }
      case .quitAnyway: break
      case .addressSpooled(let holder):
        farewell = [localizer("cli.address-handed", ["pid": String(holder)])]
      }
      break
    }
    await shutDown()
    for line in farewell { StandardStreams.printError("natter: " + SafeText.line(line)) }
    return code
  }

  /// The accounts that are taken over from other instances, as sentences.
  private var takeOvers: [String] {
    slots.compactMap { slot in
      context.claimant(of: slot.id).map {
        localizer("cli.taken-over", ["account": slot.id.description, "pid": String($0)])
      }
    }
  }

  private func receive(_ event: InputEvent) {
    idle.touched()
    pause.received(event)
    // The user may have changed a theme or a setting in an editor meanwhile.
    if event == .focus(true) { refreshFiles() }
    if case .focus(let isFocused) = event { focusChangedBehind(isFocused) }
    gate.receive(event)
  }

  func letInputIn(replaying: Bool) { gate.open(replaying: replaying) }

  /// Stores drafts and queued messages before the terminal is given back.
  private func shutDown() async {
    await scripts.end()
    // All at once: none waits for the server of another.
    let closing = screens.map { screen in Task { await screen.close() } }
    for task in closing { await task.value }
    for work in works { work.cancel() }
    alert?.countdown.cancel()
    terminal.stop()
  }

  // MARK: - What the shell may ask for

  /// The actions that the shell of `account` may request.
  /// - Parameter mediator: where its own sub-apps are asked.
  func actions(of account: JID, _ mediator: Mediator) -> ShellActions {
    var actions = actions
    actions.openAddress = { try mediator.open($0, isForeign: $1) }
    actions.request = { try mediator.perform($0, $1) }
    actions.notifications = rules.notifications(of: account, scheduler) { [weak self] in
      try await self?.keepNotification($0, of: $1, for: account)
    }
    actions.synchronize = { [weak self] in self?.synchronize($0, account) }
    actions.search = SearchableAccounts(of: self, besides: account).actions
    return actions
  }

  var actions: ShellActions {
    var actions = basicActions
    actions.reload = { [weak self] in
      guard let self, !refreshFiles() else { return }
      accountScreen?.shell.show(StatusNotice(.info, "status.nothingRead"))
    }
    actions.copy = { [weak self] in self?.terminal.copy($0) ?? .unavailable }
    actions.links =
      LinkPrograms(
        environment: context.environment, settings: { [settings] in settings.current.location },
        copy: actions.copy, shell: { [weak self] in self?.accountScreen?.shell }
      ).actions
    actions.edit = { [weak self] in self?.edit($0, $1) }
    actions.perform = { [weak self] in self?.coordinator?.perform(named: $0) ?? false }
    actions.actionNames = { [weak self] in self?.coordinator?.actionNames ?? [] }
    actions.languages = { [context] in LanguageChoice.available(in: context.localeFolders) }
    actions.setLanguage = { [weak self] in self?.chooseLanguage($0) ?? false }
    actions.showPicker = { [weak self] in self?.present($0) ?? {} }
    actions.openTab = { [weak self] in self?.accountScreen?.desktop.open($0) }
    actions.showList = { [weak self] in self?.show($0) }
    actions.showPicture = { [weak self] in self?.show($0) }
    addAccounts(to: &actions)
    return actions
  }

  private var basicActions: ShellActions {
    ShellActions(
      redraw: { [weak self] in self?.redraw() },
      suspend: { [weak self] in
        self?.terminal.suspend()
        self?.redraw()
      },
      quit: { [weak self] in self?.end.yield(.quit) },
      toggleTheme: { [weak self] in
        guard let self else { return }
        setTheme(themes.other)
      },
      setTheme: { [weak self] name in self?.chooseTheme(name) ?? false },
      themeNames: { [weak self] in self?.themeNames ?? [] },
      showHelp: { [weak self] in self?.showHelp($0) },
      signIn: { [weak self] in
        // For a connected account no sign-in is needed: another one is meant.
        let screen = self?.accountScreen
        let isOnline = screen?.shell.accountState.connection == .online
        self?.showWelcome(.signIn, account: isOnline ? nil : screen?.account)
      },
      signOut: { [weak self] in self?.askToSignOut() },
      changePassword: { [weak self] in self?.changePassword() },
      deleteAccount: { [weak self] in self?.deleteAccount() },
      confirm: { [weak self] in self?.confirm($0) },
      showForm: { [weak self] in self?.present($0) ?? {} },
      choose: { [weak self] in self?.choose($0) },
      setMouse: { [weak self] in self?.terminal.setMouse($0) },
      parseAddress: { JID(typed: $0) })
  }

  /// The terminal has reported its background: with `auto`, the theme follows it.
  private func surroundingsChanged(_ kind: Theme.Brightness) {
    daylight.background = kind
    followDaylight()
  }

  /// With `auto`, the theme is that of the day or of the night. It changes only at the transition,
  /// so that a theme chosen meanwhile stays until then.
  private func followDaylight() {
    guard let kind = daylight.change() else { return }
    let wanted = givenTheme ?? settings.current.ui.theme
    if wanted == "auto" { setTheme(kind == .light ? themes.day : themes.night) }
  }

  /// Changes the language of everything; the position and unfinished input stay.
  /// - Returns: `false` when there is none of that name.
  @discardableResult func setLanguage(_ wanted: String, setting: SettingState.ID? = nil) -> Bool {
    let available = LanguageChoice.available(in: context.localeFolders)
    guard LanguageChoice.isKnown(wanted, available) else { return false }
    let tag = LanguageChoice.tag(
      wanted: wanted, environment: context.environment, available: available)
    guard tag != localizer.tag else { return true }
    do {
      localizer = try LanguageChoice.localizer(tag, in: context.localeFolders)
    } catch {
      context.log.error("language: \(error)")
      return false
    }
    coordinator?.use(localizer)
    rebuildShells(setting: setting)
    if let reported = notice(of: LanguageMistakes.all(of: tag, in: context.localeFolders)) {
      accountScreen?.shell.show(reported)
    }
    return true
  }

  func useTheme() {
    terminal.use(themes.theme)
    coordinator?.display.drawAll()
    coordinator?.display.drawFrame()
  }

  func redraw() {
    terminal.screen.redraw()
    coordinator?.screenDidResize()
  }

  /// Runs `work` until it is done or the program ends.
  func begin(_ work: @escaping @MainActor () async -> Void) {
    works.removeAll { $0.isCancelled }
    works.append(Task { await work() })
  }
}
