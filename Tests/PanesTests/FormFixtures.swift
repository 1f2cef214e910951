import ChatsFixtures
import Foundation
import Keys
import NatterCore
import Terminal
import TestSupport
import Text
import ViewModels
import XMPP

@testable import Panes

/// A server that is never asked.
nonisolated struct NoSigning: SigningIn {
  func signIn(_ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void)
    async throws
  { throw CancellationError() }
  func registrationForm(for account: Account) async throws -> RegistrationForm {
    throw CancellationError()
  }
  func register(
    _ request: SignInRequest, answers: [String: [String]],
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws { throw CancellationError() }
}

/// Returns a pane on a screen of that size, drawn in its own frame.
func drawn(_ pane: any OverlayPane, _ columns: Int, _ rows: Int) -> Surface {
  var surface = Surface(size: pane.frame(in: Size(rows: rows, columns: columns)).size)
  pane.draw(into: &surface)
  return surface
}

/// The same as text.
func picture(_ pane: any OverlayPane, _ columns: Int, _ rows: Int) -> String {
  drawn(pane, columns, rows).description
}

/// The texts of a language.
func localizer(_ language: String) -> Localizer {
  Localizer(tag: language, texts: (try? texts(of: language)) ?? [:])
}

/// The tabs that the program has.
let builtInTabs = [
  ChatsFactory.tab, ContactsFactory.tab, DiscoverFactory.tab, FilesFactory.tab, MeFactory.tab,
]

/// Guide, sign-in and registration, ready to draw.
func welcome(
  _ step: WelcomeViewModel.Step = .signIn, in language: String = "en",
  bindings: KeyBindingTable = .natter, tabs: [SubAppTab] = builtInTabs
) -> WelcomeViewModel {
  let flag = Invalidation()
  let localizer = localizer(language)
  return WelcomeViewModel(
    step: step,
    guide: OnboardingViewModel(
      localizer: localizer,
      practices: WelcomePane.practices(bindings: bindings, localizer: localizer),
      keyNames: WelcomePane.keyNames(
        bindings: bindings, tabs: tabs, localizer: localizer),
      tabs: tabs,
      languages: [.init("en", "English"), .init("fr", "Français")],
      themes: [.init("auto", "Automatic"), .init("night", "Natter Night")],
      answers: .init(),
      dataDirectory: "/home/alice/.local/share/natter", offersLocal: true, invalidation: flag),
    signIn: SignInViewModel(signing: NoSigning(), localizer: localizer, invalidation: flag),
    register: RegisterViewModel(signing: NoSigning(), localizer: localizer, invalidation: flag),
    invalidation: flag)
}

func pane(_ welcome: WelcomeViewModel, glyphs: Glyphs = .ascii, in language: String = "en")
  -> FormPane
{
  WelcomePane.make(viewModel: welcome, glyphs: glyphs, localizer: localizer(language))
}

/// Presses keys, as the coordinator hands them over.
extension OverlayPane {
  func press(_ keys: Key...) { for key in keys { _ = handle(key) } }
  func type(_ text: String) { for letter in text { _ = handle(.character(letter)) } }
}

/// "Not connected", as in the wireframe.
func alertPane(in language: String = "en", glyphs: Glyphs = .ascii) -> DialogPane {
  let now = Date(timeIntervalSince1970: 1_800_000_000)
  let alert = AlertViewModel(
    state: .waiting(
      until: now.addingTimeInterval(23),
      reason: ConnectionProblem(.refused, host: "example.org", port: 5222, detail: "ECONNREFUSED")),
    account: "alice@example.org", localizer: localizer(language), now: { now }, onChoice: { _ in })
  return DialogPane(viewModel: alert.dialog, glyphs: glyphs, localizer: localizer(language))
}

func helpPane(
  _ context: KeyBinding.Context = .input, topic: String = "",
  in language: String = "en", glyphs: Glyphs = .ascii, onGuide: @escaping () -> Void = {},
  onManual: @escaping () -> Void = {}
) -> HelpPane {
  let localizer = localizer(language)
  let commands = [
    HelpEntry("/chat ADDRESS", "opens a conversation"),
    HelpEntry("/quit", "quits Natter"),
  ]
  let model = HelpViewModel(
    pages: HelpPages.pages(
      bindings: .natter, tabs: builtInTabs, context: context, commands: commands,
      localizer: localizer,
      other: [
        HelpPages.privacy(localizer: localizer, dataDirectory: "/home/alice/.local/share/natter")
      ]),
    localizer: localizer, topic: topic)
  (model.onGuide, model.onManual) = (onGuide, onManual)
  return HelpPane(viewModel: model, glyphs: glyphs)
}

/// The sign-in form with a problem in it.
func signInPane(
  showing kind: ConnectionProblem.ProblemKind, detail: String = "", language: String = "en"
) -> FormPane {
  let welcome = welcome(in: language)
  welcome.showSignIn(
    because: ConnectionProblem(kind, host: "example.org", port: 5222, detail: detail),
    address: JID(local: "alice", domain: "example.org"))
  return pane(welcome, in: language)
}

func guidePane(page: Int, in language: String = "en") -> FormPane {
  let welcome = welcome(.guide, in: language)
  welcome.guide.turn(by: page)
  return pane(welcome, in: language)
}

/// The sign-in form with an address in it.
func filledSignInPane(in language: String = "en") -> FormPane {
  let pane = pane(welcome(in: language), in: language)
  pane.type("alice@example.org")
  return pane
}

/// The sign-in form with its second part open and the focus in it.
func advancedPane() -> FormPane {
  let welcome = welcome()
  welcome.form.focus(on: "advanced")
  welcome.form.toggle()
  welcome.form.focus(on: "port")
  return pane(welcome)
}

func removalPane() -> DialogPane {
  DialogPane(
    viewModel: .confirmation(
      title: "Remove a contact",
      text: ["Remove Bob (bob@example.net) from your contacts? The messages stay."], yes: "Remove",
      no: "Cancel", onYes: {}, onNo: {}), glyphs: .ascii, localizer: english())
}

/// The page of settings that decides what the screen looks like, open and with the second one
/// selected.
func settingsHarness(_ size: Size, in language: String, glyphs: Glyphs = .ascii) async
  -> ShellHarness
{
  func state(
    _ key: String, _ kind: SettingState.ControlKind, _ value: String, _ standard: String? = nil
  )
    -> SettingState
  {
    SettingState(
      id: .init("ui", key), kind: kind, value: value, standard: standard ?? value)
  }
  let states = [
    state("theme", .choice(["auto", "natter-day", "natter-night"]), "natter-night", "auto"),
    state("language", .choice(["auto", "en", "fr", "zh-Hans"]), language, "auto"),
    state("keys", .choice(["natter", "emacs", "vi", "slack"]), "natter"),
    state("clock", .boolean, "true"), state("mouse", .boolean, "true"),
    state("sidebar", .boolean, "true"), state("reduced_motion", .boolean, "false"),
  ]
  let settings = SettingsActions(read: { states }, change: { _, _ in true })
  let harness = await ShellHarness(
    size, glyphs: glyphs,
    factories: [
      ContactsFactory(), FilesFactory(),
      MeFactory(
        pages: ["ui", "notify", "privacy", "files", "account", "log"].map {
          .settings($0, settings)
        }
          + [.about { AboutViewModel(shell: $0, sources: .forTests) }]),
    ], language: language)
  harness.press(Key(.function(6)), .enter, Key(.down))
  return harness
}
