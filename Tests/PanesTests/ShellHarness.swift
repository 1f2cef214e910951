import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Text
import ViewModels
import XMPP

@testable import Panes

/// The whole shell on a screen in memory.
final class ShellHarness {
  let screen: MemoryScreen
  let timers = ManualTimers()
  let now = ManualNow(.minutes(2))
  let ports: FakePorts
  let shell: ShellViewModel
  let coordinator: AppCoordinator
  var done: [String] = []
  /// The lists that were asked for.
  var choices: [ChoiceRequest] = []
  /// The forms that were shown.
  var forms: [FormViewModel] = []
  let files: FakeFiles?
  /// The scripts, read when it settles.
  let center: ScriptCenter?
  /// The dialogs about scripts that were shown.
  var dialogs: [DialogViewModel] = []
  /// The other accounts that a search looks through.
  var otherAccounts: [SearchedAccount] = []

  init(
    _ size: Size, ports: FakePorts = .wireframe(), glyphs: Glyphs = .ascii,
    showsSidebar: Bool = true, showsClock: Bool = true,
    factories: [any SubAppFactory] = [], files: FakeFiles? = nil, disk: FakeDisk? = nil,
    pictures: PictureBoard = PictureBoard(), language: String = "en",
    inputs: ComposerState = ComposerState(), firstShown: JID? = nil, before: Desktop? = nil,
    spellsEmoji: Bool = false, history: (any HistoryFetching)? = nil,
    historyFiles: (any HistoryFiling)? = nil, scripts: FakeScripts? = nil
  ) async {
    center = scripts.map { ScriptCenter($0) }
    self.files = files
    let localizer = Localizer(
      tag: language, texts: (try? texts(of: language)) ?? [:],
      fallback: language == "en" ? [:] : (try? englishTexts()) ?? [:])
    screen = MemoryScreen(size: size)
    self.ports = ports
    let format = ItemFormat(
      localizer: localizer, glyphs: glyphs, account: .alice, spellsEmoji: spellsEmoji,
      local: { LocalTime.utc($0) })
    var actions = ShellActions.forTests()
    weak var harness: ShellHarness?
    actions.quit = { harness?.done.append("quit") }
    actions.suspend = { harness?.done.append("suspend") }
    actions.redraw = { harness?.done.append("redraw") }
    actions.toggleTheme = { harness?.done.append("theme") }
    actions.showHelp = { _ in harness?.done.append("help") }
    actions.setMouse = { harness?.done.append("mouse \($0)") }
    actions.showAccount = { harness?.done.append("account \($0)") }
    actions.copy = {
      harness?.done.append("copy \($0)")
      return .copied
    }
    actions.openLink = { harness?.done.append("link \($0)") }
    actions.openAddress = { address, _ in harness?.done.append("address \(address)") }
    actions.request = { harness?.done.append("go \($0) \($1["message"] ?? "")") }
    actions.choose = {
      harness?.choices.append($0)
      harness?.done.append("choose \($0.labels.joined(separator: ", "))")
    }
    actions.showPicker = { picker in
      let pane = FilePickerPane(
        viewModel: picker, glyphs: glyphs, localizer: localizer, pictures: pictures)
      harness?.coordinator.present(pane)
      return { harness?.coordinator.remove(pane) }
    }
    actions.confirm = { request in
      let reported = [request.textKey] + request.arguments.values
      harness?.done.append("ask " + reported.joined(separator: " "))
    }
    actions.search.show = { search in
      harness?.coordinator.present(FindPane(viewModel: search, glyphs: glyphs))
    }
    actions.search.others = { harness?.otherAccounts ?? [] }
    actions.search.open = { account, message, jid, words in
      harness?.done.append("found \(account) \(message.rawValue) \(jid) \(words)")
    }
    actions.showForm = {
      harness?.forms.append($0)
      return {}
    }
    actions.showPicture = {
      harness?.coordinator.present(
        PicturePane(viewModel: $0, glyphs: glyphs, localizer: localizer, pictures: pictures))
    }
    actions.accounts = { harness?.shell.accounts.items.map(\.id) ?? [] }
    actions.showAccount = { harness?.done.append("account \($0)") }
    actions.showNextAccount = { harness?.done.append("next account") }
    actions.showList = { list in
      let pane = PalettePane(viewModel: list, glyphs: glyphs)
      list.onRun = { entry in
        harness?.coordinator.remove(pane)
        entry.run()
      }
      harness?.coordinator.present(pane)
    }
    let now = now
    var all = ShellViewModel.Ports(
      timeline: ports, conversations: ports, histories: ports, roster: ports,
      rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
      sender: ports, relating: ports, searching: ports, history: history,
      people: .init(describing: ports, blocking: ports),
      files: files.map {
        .on($0, looking: disk) { harness?.done.append("open \($0)") }
      },
      preferences: ports)
    all.historyFiles = historyFiles
    all.scripts = center
    shell = ShellViewModel(
      ports: all,
      format: format, scheduler: timers.scheduler, actions: actions,
      showsClock: showsClock, memory: inputs, now: { now.date })
    shell.firstShown = firstShown
    coordinator = AppCoordinator(
      screen: screen, localizer: localizer, glyphs: glyphs, scheduler: timers.scheduler,
      actions: actions, now: { now.date })
    harness = self
    center?.actions.notify = { harness?.shell.show($0) }
    center?.actions.show = { model in
      let pane = DialogPane(viewModel: model, glyphs: glyphs, localizer: localizer)
      harness?.dialogs.append(model)
      harness?.coordinator.present(pane)
      return { harness?.coordinator.remove(pane) }
    }
    center?.actions.showPane = { model in
      let pane = ScriptTextPane(viewModel: model, glyphs: glyphs)
      harness?.coordinator.present(pane)
      return { harness?.coordinator.remove(pane) }
    }
    let desktop = Desktop(
      shell: shell, showsSidebar: showsSidebar, factories: factories, pictures: pictures)
    if let before { desktop.restore(from: before) }
    coordinator.show(desktop)
    await shell.load()
    await settle()
  }

  /// Waits for what was begun and shows it.
  func settle() async {
    // A frame may show what is read then.
    for _ in 0..<2 {
      await shell.finish()
      await center?.load()
      coordinator.display.drawFrame()
    }
  }

  func press(_ keys: Key...) { for key in keys { coordinator.handle(.key(key)) } }
  func type(_ text: String) { for letter in text { press(.character(letter)) } }
  func handle(_ event: DomainEvent) {
    shell.handle(event)
    coordinator.display.drawFrame()
  }

  var picture: String { screen.shown.description }
  var rows: [String] {
    picture.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}

extension FakePorts {
  /// The content of the picture `chats` (interface.md, "Screens").
  static func wireframe() -> FakePorts {
    FakePorts(
      messages: [
        message(1, "Morning! Did you get the draft of the keymap?", at: -2),
        message(2, "It is in the shared folder, second page.", at: -2),
        message(
          3, "Yes, reading it *now*. Looks good so far.", from: .alice, at: 1, delivery: .read),
        message(
          4,
          "Great :) here is the photo from the summit, with the whole team standing in front of the old observatory.",
          at: 2),
      ],
      conversations: [
        Conversation(
          jid: .bob, unread: 1, firstUnread: MessagePosition(at: .minutes(2), id: .init(4)),
          lastActivity: .minutes(2)),
        Conversation(jid: .chloe, unread: 3, lastActivity: .minutes(-30)),
      ],
      contacts: [
        Contact(jid: .bob, name: "Bob Martin", subscription: .both),
        Contact(jid: .chloe, name: "Chloe Dupont", subscription: .both),
        Contact(jid: .zhang, name: "Zhang Wei", subscription: .both),
        Contact(jid: JID(local: "mum", domain: "example.org"), name: "Mum", subscription: .both),
      ],
      presence: [
        ContactPresence(jid: .bob, availability: .online, status: "Back at 3"),
        ContactPresence(jid: .chloe, availability: .away),
        ContactPresence(jid: JID(local: "mum", domain: "example.org"), availability: .online),
      ], now: .minutes(3))
  }
}
