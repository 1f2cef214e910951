import CLinux
import Configuration
import ConnectionService
import Dispatch
import FileService
import FoundationEssentials
import Keys
import NatterCore
import Panes
import Text
import ViewModels
import XMPP

// Overlays above the shell: alert, help, questions; and the events that open them.
extension FullScreen {
  func follow(_ event: DomainEvent, of account: JID) {
    switch event {
    case .connectionChanged(let state):
      let screen = screen(of: account)
      if state == .online { screen?.refusal = nil }
      screen?.unreported = state.needsPerson ? state : nil
      if isShown(account) { connectionChanged(to: state) }
    case .credentialRefused(let problem):
      guard let screen = screen(of: account) else { return }
      if isShown(account) { return askForCredential(of: screen, because: problem) }
      // The form would take the keys from what is being done: it comes up with the account.
      screen.refusal = problem
      accountScreen?.shell.show(
        StatusNotice(.warning, "status.accountRefused", ["account": account.description]))
    case .roomNotificationChanged(let room, let setting):
      notificationChanged(setting, of: room, for: account)
    case .catchUpChanged(isRunning: false): giveBackMemory()
    default: break
    }
  }

  /// Frees the memory that signing in took: it is not needed until the connection breaks.
  private func giveBackMemory() {
    cancelGivingBack?()
    cancelGivingBack = scheduler.after(.milliseconds(500)) { [weak self] in
      self?.cancelGivingBack = nil
      // Not on the main actor: the list of what is mapped is long.
      DispatchQueue.global(qos: .utility).async { natter_heap_give_back() }
    }
  }

  /// The alert is for a user who waits: after opening an account, until it was once online.
  func connectionChanged(to state: ConnectionState) {
    if let alert, !alert.model.connectionChanged(to: state) { hideAlert() }
    switch state {
    case .online: accountScreen?.awaitsConnection = false
    case .waiting, .refused:
      // Not over an open overlay: the tab bar has the state, and the next attempt reports again.
      guard let screen = accountScreen, screen.awaitsConnection || state.needsPerson else {
        return
      }
      if case .refused(let problem) = state, problem.asksForCredentials { return }
      // The open alert shows it.
      guard alert == nil else { return screen.unreported = nil }
      guard welcome == nil, coordinator?.openOverlays.isEmpty == true else { return }
      // It would take the keys while the user types. A retry reports it anew, or the next pause.
      guard pause.isQuiet else {
        if state.needsPerson { pause.whenQuiet { [weak self] in self?.reportUnreported() } }
        return
      }
      (screen.awaitsConnection, screen.unreported) = (false, nil)
      showAlert(state)
    case .offline, .connecting: break
    }
  }

  /// Shows the problem that no retry reports and that could not be shown yet: once no overlay is
  /// open above its account, and the user does not type.
  func reportUnreported() {
    if let state = accountScreen?.unreported { connectionChanged(to: state) }
  }

  func showAlert(_ state: ConnectionState) {
    guard let services = accountScreen?.services else { return }
    let model = AlertViewModel(
      state: state, account: services.account.jid.description, localizer: localizer
    ) { [weak self] choice in
      self?.hideAlert()
      switch choice {
      case .tryNow: self?.begin { await services.connection.connectNow() }
      case .workOffline: self?.begin { await services.connection.goOffline() }
      case .signIn: self?.showWelcome(.signIn, account: services.account)
      case .hide: break
      }
    }
    let pane = DialogPane(
      viewModel: model.dialog, glyphs: glyphs, localizer: localizer, comesByItself: true)
    alert = (model, pane, Task { await model.run() })
    coordinator?.present(pane)
  }

  func hideAlert() {
    guard let alert else { return }
    alert.countdown.cancel()
    coordinator?.remove(alert.pane)
    self.alert = nil
  }

  func showHelp(_ topic: String?) {
    let table = accountScreen?.shell.commands ?? CommandTable().speaking(localizer)
    let pages = HelpPages.pages(
      bindings: keys.table, tabs: Self.tabs, context: coordinator?.keyContext ?? .everywhere,
      accepted: accountScreen?.desktop.acceptedActions,
      keyTexts: accountScreen?.desktop.keyTexts ?? "",
      commands: table.helpEntries(localizer), localizer: localizer,
      other: editingKeys
        + [HelpPages.privacy(localizer: localizer, dataDirectory: context.paths.data.path)])
    let model = HelpViewModel(pages: pages, localizer: localizer, topic: topic ?? "")
    let pane = HelpPane(viewModel: model, glyphs: glyphs)
    model.onGuide = { [weak self] in
      self?.coordinator?.remove(pane)
      self?.showWelcome(.guide, account: self?.accountScreen?.services.account)
    }
    model.onManual = { [weak self] in self?.showManual() }
    coordinator?.present(pane)
  }

  /// The warning about uploads in progress; `nil`: there are none.
  func runningUploads() async -> String? {
    var running: [FileTransfer] = []
    for screen in screens {
      running += await screen.services.files.transfers(in: nil).filter {
        $0.direction == .upload && $0.state == .running
      }
    }
    guard let first = running.first else { return nil }
    return running.count == 1
      ? localizer("quit.upload", ["name": first.name])
      : localizer("quit.uploads", ["count": "\(running.count)"])
  }

  /// Asks whether to quit all the same: unsaved input is only in memory and would be lost without a
  /// warning, or a file is being sent.
  func askToLeave(_ title: String, _ text: String) {
    guard !isAskingToLeave else { return }
    isAskingToLeave = true
    var pane: DialogPane?
    let close: () -> Void = { [weak self] in
      self?.isAskingToLeave = false
      if let pane { self?.coordinator?.remove(pane) }
    }
    let model = DialogViewModel.confirmation(
      title: title, text: [text],
      yes: localizer("quit.anyway"), no: localizer("quit.stay"),
      onYes: { [weak self] in
        close()
        self?.end.yield(.quitAnyway)
      },
      onNo: close)
    let dialog = DialogPane(viewModel: model, glyphs: glyphs, localizer: localizer)
    pane = dialog
    coordinator?.present(dialog)
  }

  /// - Returns: what takes the form away.
  func present(_ form: FormViewModel) -> () -> Void {
    let pane = FormPane(glyphs: glyphs, localizer: localizer) { form }
    coordinator?.present(pane)
    return { [weak self] in self?.coordinator?.remove(pane) }
  }

  /// - Returns: what takes the list of files away.
  func present(_ picker: FilePickerViewModel) -> () -> Void {
    let pane = FilePickerPane(
      viewModel: picker, glyphs: glyphs, localizer: localizer, pictures: pictures)
    coordinator?.present(pane)
    return { [weak self] in self?.coordinator?.remove(pane) }
  }

  /// Shows a list to choose from, until something is chosen or Esc.
  func show(_ list: PaletteViewModel) {
    let pane = PalettePane(viewModel: list, glyphs: glyphs)
    list.onRun = { [weak self] entry in
      self?.coordinator?.remove(pane)
      entry.run()
    }
    coordinator?.present(pane)
  }

  func show(_ picture: PictureViewModel) {
    coordinator?.present(
      PicturePane(viewModel: picture, glyphs: glyphs, localizer: localizer, pictures: pictures))
  }

  func choose(_ request: ChoiceRequest) {
    var pane: DialogPane?
    let model = DialogViewModel.choice(request) { [weak self] in
      if let pane { self?.coordinator?.remove(pane) }
    }
    let dialog = DialogPane(viewModel: model, glyphs: glyphs, localizer: localizer)
    pane = dialog
    coordinator?.present(dialog)
  }

  func confirm(_ request: ConfirmRequest) {
    var pane: DialogPane?
    let model = DialogViewModel.confirmation(request, localizer: localizer) { [weak self] in
      if let pane { self?.coordinator?.remove(pane) }
    }
    let dialog = DialogPane(
      viewModel: model, glyphs: glyphs, localizer: localizer, comesByItself: request.comesLate)
    pane = dialog
    coordinator?.ask(dialog)
  }
}

extension ConnectionState {
  /// Indicates whether there is no further attempt until the user has corrected this computer.
  fileprivate nonisolated var needsPerson: Bool {
    if case .refused(let problem) = self { problem.kind == .secretUnavailable } else { false }
  }
}
