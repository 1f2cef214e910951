import Configuration
import FoundationEssentials
import Keys
import NatterCore
import Panes
import Storage
import Text
import ViewModels
import XMPP

// The shell of an account: made when the account is opened, and once more for another language.
extension FullScreen {
  /// - Parameters:
  ///   - mediator: where its sub-apps are published.
  ///   - memory: what was chosen in its palette.
  ///   - crashes: the page with the crash reports; `nil`: there are none.
  ///   - inputs: the inputs of the shell that this one replaces.
  func makeShell(
    on services: AccountServices, _ mediator: Mediator, _ memory: RecentChoices,
    _ crashes: CrashPage?, inputs: ComposerState = ComposerState()
  ) -> (shell: ShellViewModel, desktop: Desktop) {
    let ui = settings.current.ui
    let account = services.account.jid
    let format = ItemFormat(
      localizer: localizer, glyphs: glyphs, account: services.account.jid,
      customs: context.timeCustoms, spellsEmoji: ui.emoji == .names)
    let shell = ShellViewModel(
      ports: ShellViewModel.Ports(
        services, settings, format, files: context.files, scripts: scripts),
      format: format, scheduler: scheduler, actions: actions(of: account, mediator),
      bell: ShellViewModel.BellRule(rawValue: settings.current.notify.bell.rawValue) ?? .mention,
      showsClock: ui.showsTime && !isLineSlow, memory: inputs)
    shell.onLoaded = { [weak self] in self?.shellLoaded(account) }
    shell.openings.onChange = { [weak self] in self?.gate.follow($0) }
    shell.onAccountState = { [weak self] in self?.accountsChanged() }
    shell.onNotify = { [weak self] in self?.notify($0, of: account) }
    shell.isQuiet = { [weak self] in
      self?.settings.current.notify.quietHours?.contains(LocalTime.here(Date())) ?? false
    }
    shell.readPreferences { memory.recall($0[PreferenceKey.palette] ?? "") }
    memory.onChange = { [weak shell] in shell?.remember($0.text, as: PreferenceKey.palette) }
    inputs.editsOnUp = { [settings] in settings.current.ui.editsOnUp }
    let desktop = Desktop(
      shell: shell, bindings: keys.table, showsSidebar: ui.showsSidebar,
      factories: Self.subApps.map { $0.factory((self, services, mediator, crashes)) },
      paletteMemory: memory, pictures: pictures)
    followLine(shell, desktop)
    desktop.chats.usesVi = ui.keys == .vi
    desktop.moreEntries = { [weak self] in self?.paletteEntries() ?? [] }
    publish(shell, desktop, services, to: mediator)
    return (shell, desktop)
  }

  /// Publishes requests that the mediator serves, beside those that the shell itself publishes.
  private func publish(
    _ shell: ShellViewModel, _ desktop: Desktop, _ services: AccountServices, to mediator: Mediator
  ) {
    shell.publishActions(to: mediator)
    shell.tools.scripts.publishAddresses(to: mediator)
    shell.publishDiscover(to: mediator, ports: DiscoverPorts(services)) { [weak self] in
      self?.showDiscover(page: $0, item: $1)
    }
    shell.publishEvents(to: mediator, planner: services.events) { [weak self] in
      self?.showDiscover(page: $0, item: $1)
    }
    PlacePickers(
      localizer: localizer,
      table: { [context] in
        PlaceTable(
          countries: context.resource("places/countries.tsv"),
          cities: context.resource("places/cities.tsv"))
      },
      show: { [weak self] in self?.show($0) }
    ).publish(to: mediator)
    for tab in desktop.tabs {
      mediator.publish(
        Mediator.Action("\(tab.id.rawValue)/show", optional: ["page", "item"]) {
          [weak desktop] parameters in
          desktop?.open(tab.id)
          guard let page = parameters["page"] else { return }
          desktop?.show(page: page, item: parameters["item"] ?? "")
        })
    }
    mediator.publish(
      Mediator.Action("account/register", required: ["address"]) { [weak self] in
        try self?.showInvitation($0["address"] ?? "")
      })
    mediator.publish(
      Mediator.Action(
        "do/action", required: ["name"],
        ask: { [weak shell] in
          guard $0["name"] == KeyAction.toggleTheme.rawValue else { return false }
          shell?.ask(
            title: "confirm.themeTitle", text: "confirm.toggleTheme",
            accept: "confirm.themeAccept", [:], then: $1)
          return true
        }
      ) { [weak self] in
        let name = $0["name"] ?? ""
        guard KeyAction(rawValue: name) != nil else {
          throw NatterError(.invalidInput, "error.noSuchAction", ["name": name])
        }
        guard Desktop.shows(actionNamed: name),
          self?.coordinator?.perform(named: name) == true
        else {
          throw NatterError(.invalidInput, "error.actionNotByAddress", ["name": name])
        }
      })
    mediator.publish(
      Mediator.Action(
        "settings/theme", required: ["name"],
        ask: { [weak shell] in
          shell?.ask(
            title: "confirm.themeTitle", text: "confirm.theme", accept: "confirm.themeAccept",
            ["name": $0["name"] ?? ""], then: $1)
          return true
        }
      ) { [weak self] in
        guard self?.actions.setTheme($0["name"] ?? "") == true else {
          throw NatterError(
            .invalidInput, "error.unknownTheme",
            ["name": $0["name"] ?? "", "names": self?.themeNames.joined(separator: ", ") ?? ""])
        }
      })
  }

  /// Opens the address that the program was started with, once there is somewhere to open it.
  func openWaitingAddress() {
    guard let address = waitingAddress, let screen = accountScreen else { return }
    waitingAddress = nil
    open(address, on: screen, isForeign: true)
  }

  /// - Parameter isForeign: whether another author may have written it, as in a message, or on the
  ///   command line, which a browser fills in from a page's link: then the user is asked first.
  func open(_ address: String, on screen: AccountScreen, isForeign: Bool) {
    do {
      try screen.mediator.open(address, isForeign: isForeign)
    } catch {
      screen.shell.show(NatterError(reporting: error, key: "error.unexpected").notice)
    }
  }

  /// Opens an address that another program was started with, on the account that it was meant for.
  func openSpooledAddress(_ address: String, for account: JID) {
    // What is being typed belongs to what is on the screen.
    pause.whenQuiet { [weak self] in
      guard let self, let screen = screen(of: account) else { return }
      showAccount(account)
      open(address, on: screen, isForeign: true)
    }
  }

  /// Passes this program's address to the instance that has the account, and says so if it is slow.
  /// - Returns: whether that one has opened it.
  func handOverAddress(of account: Account, from holder: Int32) async -> Bool {
    guard let address = waitingAddress else { return false }
    let spool = MessageSpool(besideDatabase: context.databaseFile(of: account.jid).path)
    var pane: DialogPane?
    let cancel = scheduler.after(Self.handoffPause) { [weak self] in
      pane = self?.handoffDialog(of: account, to: holder)
    }
    defer {
      cancel()
      if let pane { coordinator?.remove(pane) }
    }
    return await InstanceMessenger(spool).hand(address, as: .address)
  }

  /// One that opens addresses has done it by then.
  private static let handoffPause = Duration.milliseconds(300)

  private func handoffDialog(of account: Account, to holder: Int32) -> DialogPane {
    let quit: () -> Void = { [weak self] in self?.end.yield(.quit) }
    let model = DialogViewModel(
      Dialog(
        title: localizer("startup.inUseTitle"), level: .info,
        lines: [
          .text(
            localizer(
              "startup.handing", ["account": account.jid.description, "pid": String(holder)]))
        ], buttons: [.init("quit", localizer("startup.quit"))], safe: "quit"),
      onPress: { _ in quit() }, onCancel: quit)
    let dialog = DialogPane(
      viewModel: model, glyphs: glyphs, localizer: localizer, hidesOthers: true)
    coordinator?.present(dialog)
    // It can be answered. What was typed before was not for it.
    letInputIn(replaying: false)
    return dialog
  }
}
