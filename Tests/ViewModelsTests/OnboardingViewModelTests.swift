import NatterCore
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct OnboardingViewModelTests {
  let localizer = formTexts()
  let guide: OnboardingViewModel

  init() {
    guide = OnboardingViewModel(
      localizer: localizer,
      practices: [.init(key: "F1", meaning: "help"), .init(key: "^N", meaning: "next")],
      languages: [.init("auto", "automatic"), .init("fr", "Français")],
      themes: [.init("auto", "Automatic"), .init("night", "Night"), .init("day", "Day")],
      language: "auto", theme: "night", answers: .init(sendsTyping: false),
      dataDirectory: "/home/a/.local/share/natter",
      offersLocal: true)
  }

  @Test func `enter goes through the pages to the sign-in`() {
    var exits: [OnboardingViewModel.Exit] = []
    guide.onExit = { exits.append($0) }
    var pages: [Int] = []
    for _ in 0..<4 {
      pages.append(guide.page)
      guide.form.confirm()
    }
    #expect(pages == [0, 1, 2, 3])
    #expect(exits == [.signIn])
  }

  @Test func `left and right switch pages and stop at the ends`() {
    guide.form.turn(by: -1)
    #expect(guide.page == 0)
    for _ in 0..<9 { guide.form.turn(by: 1) }
    #expect(guide.page == 3)
    #expect(guide.form.trailer == "o o o *")
  }

  @Test func `esc leaves it from each page`() {
    for page in 0..<OnboardingViewModel.pageCount {
      var exits: [OnboardingViewModel.Exit] = []
      guide.onExit = { exits.append($0) }
      guide.restart()
      guide.turn(by: page)
      guide.form.cancel()
      #expect(exits == [.signIn])
    }
  }

  @Test func `a user who is signed in comes back to the chats by every way out`() {
    let guide = OnboardingViewModel(
      localizer: localizer, practices: [], dataDirectory: "/d", offersLocal: true, isReview: true)
    var exits: [OnboardingViewModel.Exit] = []
    guide.onExit = { exits.append($0) }
    guide.form.cancel()
    guide.form.press("skip")
    for _ in 0..<4 { guide.form.confirm() }
    #expect(exits == [.chats, .chats, .chats])
    #expect(guide.form["sign-in"] == nil)
  }

  @Test func `keys are practised on the second page only, each once`() {
    #expect(guide.form.onChord?("F1") == false)
    guide.turn(by: 1)
    #expect(guide.form.onChord?("^Q") == false)
    #expect(guide.form["left"]?.label.hasPrefix("2 keys left") == true)
    #expect(guide.form.onChord?("F1") == true)
    // Once it has been tried it does what it does everywhere.
    #expect(guide.form.onChord?("F1") == false)
    #expect(guide.form["left"]?.label.hasPrefix("1 key left") == true)
    #expect(guide.form["practice.F1"]?.kind == .entry(term: "[x] F1"))
    #expect(guide.form.onChord?("^N") == true)
    #expect(guide.form["left"]?.label == localizer("guide.practised"))
    #expect(guide.form.focus == "next")
  }

  @Test func `the line of keys is true where left and right change a choice`() {
    func hints() -> [String] { guide.form.shownKeyHints { _ in true }.map(\.text) }
    #expect(hints().contains(localizer("guide.keysPage")))
    for id in ["language", "theme", "screen"] {
      guide.form.focus(on: id)
      #expect(hints().first == localizer("guide.keysChange"))
      #expect(!hints().contains(localizer("guide.keysPage")))
    }
    guide.form.focus(on: "next")
    #expect(hints().first == localizer("guide.keysNext"))
    #expect(guide.form.shownKeyHints { _ in false }[1] == localizer.wayOut("guide.keysSkip"))
  }

  @Test(arguments: [
    (OnboardingViewModel.Secrets.file, "guide.passwordText"),
    (.keyring, "guide.passwordKeyring"), (.command, "guide.passwordCommand"),
  ])
  func `where passwords are is shown as the settings have it`(
    secrets: OnboardingViewModel.Secrets, key: String
  ) {
    let guide = OnboardingViewModel(
      localizer: localizer, practices: [], answers: .init(), dataDirectory: "/d",
      secrets: secrets, offersLocal: true)
    guide.turn(by: 2)
    #expect(guide.form["password"]?.label == localizer(key))
    // The questions are before the text that is only to be read.
    let ids = guide.form.fields.map(\.id)
    #expect(ids.firstIndex(of: "typing") ?? 99 < ids.firstIndex(of: "messages") ?? 0)
  }

  @Test func `what there is to choose from may come later, and moves nothing that is there`() {
    let now = OnboardingViewModel.Choice("auto", "automatic (Night)")
    let guide = OnboardingViewModel(
      localizer: localizer, practices: [], languages: [.init("fr", "Français")], themes: [now],
      language: "fr", theme: "auto", dataDirectory: "/d", offersLocal: true)
    guide.form.focus(on: "theme")
    let words = guide.form.fields.map(\.selectedWord)
    guide.offer(
      languages: [.init("auto", "automatic"), .init("en", "English"), .init("fr", "Français")],
      themes: [now, .init("day", "Day")])
    #expect(guide.form.fields.map(\.selectedWord) == words && guide.form.focus == "theme")
    guide.form.turn(by: 1)
    #expect(guide.form["theme"]?.selectedWord == "Day")
    // On another page it is there when the first one comes back.
    guide.turn(by: 1)
    guide.offer(languages: [.init("fr", "Français")], themes: [now, .init("day", "Day")])
    #expect(guide.page == 1)
  }

  @Test func `the theme is chosen live`() {
    var themes: [String] = []
    guide.onTheme = { themes.append($0) }
    guide.form.focus(on: "theme")
    #expect(guide.form["theme"]?.selectedWord == "Night")
    guide.form.turn(by: 1)
    guide.form.turn(by: 1)
    #expect(themes == ["day", "auto"])
    #expect(guide.page == 0)
    guide.form.turn(by: -1)
    guide.turn(by: 1)
    guide.turn(by: -1)
    #expect(guide.form["theme"]?.selectedWord == "Day")
  }

  @Test func `the language is chosen live, and the guide begins there again in it`() {
    var languages: [String] = []
    guide.onLanguage = { languages.append($0) }
    guide.turn(by: 2)
    guide.showLanguages()
    #expect(guide.page == 0 && guide.form.focus == "language")
    #expect(guide.form["language"]?.selectedWord == "automatic")
    guide.form.turn(by: 1)
    #expect(languages == ["fr"])
  }

  @Test func `the screen is chosen live, and the guide begins there again`() {
    var screens: [OnboardingViewModel.Screen] = []
    guide.onScreen = { screens.append($0) }
    guide.showScreens()
    #expect(guide.form.focus == "screen" && guide.form["screen"]?.selected == 0)
    #expect(guide.form.message == nil)
    guide.form.turn(by: 1)
    guide.form.turn(by: 1)
    #expect(screens == [.reader, .lines])
  }

  @Test func `what others see is asked on the third page, as it is set`() {
    var answers: [String] = []
    guide.onMarkers = { answers.append("markers \($0)") }
    guide.onTyping = { answers.append("typing \($0)") }
    guide.turn(by: 2)
    #expect(guide.form.isOn("read-markers") && !guide.form.isOn("typing"))
    for id in ["read-markers", "typing"] {
      guide.form.focus(on: id)
      guide.form.toggle()
    }
    #expect(answers == ["markers false", "typing true"])
    // After the next page and back it is as it was left.
    guide.turn(by: 1)
    guide.turn(by: -1)
    #expect(!guide.form.isOn("read-markers") && guide.form.isOn("typing"))
  }

  @Test func `the built-in server is offered only where there is one`() {
    guide.turn(by: 3)
    #expect(guide.form["local"] != nil)
    let other = OnboardingViewModel(
      localizer: localizer, practices: [], dataDirectory: "/d", offersLocal: false)
    other.turn(by: 3)
    #expect(other.form["local"] == nil)
    other.turn(by: -9)
    #expect(other.form["theme"] == nil && other.form["language"] == nil)
  }

  private func welcome(_ step: WelcomeViewModel.Step) -> WelcomeViewModel {
    let flag = Invalidation()
    return WelcomeViewModel(
      step: step,
      guide: OnboardingViewModel(
        localizer: localizer, practices: [], dataDirectory: "/d", offersLocal: true,
        invalidation: flag),
      signIn: SignInViewModel(signing: FakeSigning(), localizer: localizer, invalidation: flag),
      register: RegisterViewModel(signing: FakeSigning(), localizer: localizer, invalidation: flag),
      invalidation: flag)
  }

  @Test func `a form is made when the user comes to it, and once`() {
    let flag = Invalidation()
    var made = 0
    func signIn() -> SignInViewModel {
      made += 1
      return SignInViewModel(signing: FakeSigning(), localizer: localizer, invalidation: flag)
    }
    let welcome = WelcomeViewModel(
      step: .guide,
      guide: OnboardingViewModel(
        localizer: localizer, practices: [], dataDirectory: "/d", offersLocal: true,
        invalidation: flag),
      signIn: signIn(),
      register: RegisterViewModel(signing: FakeSigning(), localizer: localizer, invalidation: flag),
      invalidation: flag)
    var isLeft = false
    welcome.onCancel = { isLeft = true }
    _ = welcome.form
    #expect(made == 0)
    welcome.showSignIn()
    welcome.form.cancel()
    #expect(made == 1 && isLeft)
  }

  @Test func `from the guide to registration and back to sign-in, and nothing typed is lost`() {
    let welcome = welcome(.guide)
    var seen = 0
    welcome.onGuideSeen = { seen += 1 }
    welcome.guide.turn(by: 3)
    welcome.form.press("new-account")
    #expect(welcome.step == .register)
    #expect(seen == 1)
    welcome.form.fill("address", "alice@example.org")
    welcome.form.cancel()
    #expect(welcome.step == .signIn)
    welcome.form.fill("address", "bob@example.org")
    welcome.form.fill("password", "pw")
    welcome.form.press("new-account")
    #expect(welcome.form.text(of: "address") == "alice@example.org")
    welcome.form.press("back")
    #expect(welcome.form.text(of: "address") == "bob@example.org")
    #expect(welcome.form.text(of: "password") == "pw")
  }

  @Test func `the built-in server is one button away`() {
    let welcome = welcome(.guide)
    var locals = 0
    welcome.onLocal = { locals += 1 }
    welcome.guide.turn(by: 3)
    welcome.form.press("local")
    #expect(locals == 1)
  }

  @Test func `a refused credential opens the sign-in with its reason`() {
    let welcome = welcome(.guide)
    welcome.invalidation.lower()
    welcome.showSignIn(
      because: ConnectionProblem(.wrongPassword, host: "example.org"),
      address: JID(local: "alice", domain: "example.org"))
    #expect(welcome.step == .signIn)
    #expect(welcome.invalidation.isRaised)
    #expect(welcome.form.focus == "password")
    #expect(welcome.form["password"]?.error == "Wrong password.")
    #expect(welcome.form.text(of: "address") == "alice@example.org")
  }
}
