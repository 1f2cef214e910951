import Keys
import Text

/// The feature guide: four pages, shown at the first start, and again from the help (interface.md,
/// "Screens").
package final class OnboardingViewModel {
  package static let pageCount = 4

  package let form: FormViewModel
  /// The current page, from 0.
  package private(set) var page = 0
  private let localizer: Localizer
  private let practices: [Practice]
  private let keyNames: KeyNames
  private let tabs: [SubAppTab]
  private var practised: Set<String> = []
  private var languages: [Choice]
  private var themes: [Choice]
  private var language: Choice.ID
  private var theme: Choice.ID
  private let answers: Answers?
  private let dataDirectory: String
  private let secrets: Secrets
  private let offersLocal: Bool
  private let isReview: Bool

  /// Called when the user leaves the guide. The receiver records that, so that it does not open by
  /// itself again.
  package var onExit: (Exit) -> Void = { _ in }
  /// Called when a theme is chosen, to show it at once.
  package var onTheme: (Choice.ID) -> Void = { _ in }
  /// Called when a language is chosen, to continue the guide in it.
  package var onLanguage: (Choice.ID) -> Void = { _ in }

  /// Called when a kind of screen is chosen, to continue the guide in that form.
  package var onScreen: (Screen) -> Void = { _ in }
  /// Called when read markers are enabled or disabled.
  package var onMarkers: (Bool) -> Void = { _ in }
  /// Called when typing notifications are enabled or disabled.
  package var onTyping: (Bool) -> Void = { _ in }

  private enum ID {
    static let screen = "screen"
    static let markers = "read-markers"
    static let typing = "typing"
    static let theme = "theme"
    static let language = "language"
    static let next = "next"
    static let back = "previous"
    static let skip = "skip"
    static let signIn = "sign-in"
    static let newAccount = "new-account"
    static let local = "local"
    static let done = "done"
  }

  /// - Parameters:
  ///   - practices: keys for the second page.
  ///   - keyNames: the keys that the first page shows.
  ///   - tabs: the sub-apps that it describes, from the left.
  ///   - languages: the languages to choose from, or at least the current one; empty: no choice is
  ///     shown.
  ///   - themes: the themes, likewise.
  ///   - language: the current one; `theme` likewise.
  ///   - answers: the current values of the settings on its pages; `nil`: they are not shown.
  ///   - dataDirectory: where messages and accounts are stored, for the third page.
  ///   - secrets: where passwords are stored, likewise.
  ///   - offersLocal: whether the built-in server is available.
  ///   - isReview: whether a signed-in user reads it again: every exit leads back to the chats.
  package init(
    localizer: Localizer, practices: [Practice], keyNames: KeyNames = KeyNames(),
    tabs: [SubAppTab] = [], languages: [Choice] = [], themes: [Choice] = [],
    language: Choice.ID = "", theme: Choice.ID = "", answers: Answers? = nil,
    dataDirectory: String, secrets: Secrets = .file, offersLocal: Bool, isReview: Bool = false,
    invalidation: Invalidation = Invalidation()
  ) {
    self.localizer = localizer
    self.practices = practices
    self.keyNames = keyNames
    self.tabs = tabs
    (self.languages, self.themes, self.language, self.theme) = (languages, themes, language, theme)
    self.answers = answers
    self.dataDirectory = dataDirectory
    self.secrets = secrets
    self.offersLocal = offersLocal
    self.isReview = isReview
    form = FormViewModel(title: "", fields: [], invalidation: invalidation)
    form.moreHint = localizer("dialog.keysMore")
    form.onPress = { [weak self] in self?.pressed($0) }
    form.onCancel = { [weak self] in self?.onExit(isReview ? .chats : .signIn) }
    form.onTurn = { [weak self] in self?.turn(by: $0) }
    form.onChord = { [weak self] in self?.practise($0) ?? false }
    form.onChange = { [weak self] in self?.choose($0) }
    show(0)
  }

  /// Offers all languages and themes, once they are known.
  package func offer(languages: [Choice], themes: [Choice]) {
    // A choice made meanwhile stays.
    let language = chosen(ID.language, self.languages)
    let theme = chosen(ID.theme, self.themes)
    (self.languages, self.themes) = (languages, themes)
    (self.language, self.theme) = (language ?? self.language, theme ?? self.theme)
    guard page == 0 else { return }
    let (focus, message) = (form.focus, form.message)
    show(0)
    if let focus { form.focus(on: focus) }
    form.message = message
  }

  private func chosen(_ id: FormField.ID, _ choices: [Choice]) -> Choice.ID? {
    form[id].flatMap { choices.indices.contains($0.selected) ? choices[$0.selected].id : nil }
  }

  /// Starts at the choice of languages, after another one was chosen there.
  package func showLanguages() {
    show(0)
    form.focus(on: ID.language)
  }

  /// Starts at the choice of screens, after another one was chosen there.
  package func showScreens() {
    show(0)
    form.focus(on: ID.screen)
    guard answers?.screen == .lines else { return }
    form.message = FormMessage(.info, [localizer("guide.linesNextTime")])
  }

  private func choose(_ id: FormField.ID) {
    guard let field = form[id] else { return }
    switch id {
    case ID.theme: onTheme(themes[field.selected].id)
    case ID.language: onLanguage(languages[field.selected].id)
    case ID.screen: Screen(rawValue: field.selected).map(onScreen)
    case ID.markers: onMarkers(field.isOn)
    case ID.typing: onTyping(field.isOn)
    default: break
    }
  }

  /// Starts again from the first page.
  package func restart() {
    practised = []
    show(0)
  }

  /// Moves by `step` pages; it stops at the ends.
  package func turn(by step: Int) { show(page + step) }

  private func show(_ wanted: Int) {
    page = min(max(0, wanted), Self.pageCount - 1)
    let fields: [FormField] =
      switch page {
      case 0: introduction
      case 1: keys
      case 2: privacy
      default: isReview ? ending : beginning
      }
    let isLast = page == Self.pageCount - 1
    form.practisesKeys = page == 1
    form.defaultButton = !isLast ? ID.next : isReview ? ID.done : ID.signIn
    form.trailer = (0..<Self.pageCount).map { $0 == page ? "*" : "o" }.joined(separator: " ")
    form.keyHints = [
      localizer.hint(isLast ? "guide.keysChoose" : "guide.keysNext"),
      localizer.hint("guide.keysPage"),
      localizer.wayOut("guide.keysSkip"), localizer.hint("guide.keysAgain"),
    ]
    form.shortKeyHints = [
      localizer.hint(isLast ? "guide.keysChoose" : "guide.keysNext"),
      localizer.wayOut("guide.keysSkip"),
      localizer.hint("guide.keysPage"),
    ]
    // An extra key press would save another language.
    form.choiceKeyHints = [
      localizer.hint("guide.keysChange"), localizer.hint("guide.keysList"),
      localizer.hint("guide.keysTab"),
      localizer.wayOut("guide.keysSkip"),
    ]
    form.replace(
      title: localizer(
        "guide.title", ["page": String(page + 1), "count": String(Self.pageCount)]),
      fields: fields, focus: form.defaultButton)
  }

  // MARK: - Pages

  private func paragraph(_ id: String, _ text: String, compact: String? = nil) -> FormField {
    FormField(.paragraph, id, label: text, compactLabel: compact)
  }

  private func entry(_ id: String, _ term: String, _ text: String, compact: String? = nil)
    -> FormField
  {
    FormField(.entry(term: term), id, label: text, compactLabel: compact)
  }

  private var nextButtons: [FormField] {
    [
      FormField(.spacer, "space-end"),
      FormField(.button, ID.next, label: localizer("guide.next")),
      FormField(
        .button, ID.skip, label: localizer("guide.skip"), compactLabel: localizer("guide.skipShort")
      ),
    ]
  }

  private var introduction: [FormField] {
    var fields = [
      paragraph("what", localizer("guide.what"), compact: localizer("guide.whatShort")),
      FormField(.spacer, "space-1"),
    ]
    for tab in tabs {
      let key = keyNames.tabs[tab.id] ?? ""
      fields.append(
        entry(
          "tab.\(tab.id.rawValue)",
          [key, tab.name(localizer)].filter { !$0.isEmpty }.joined(separator: " "),
          tab.text(localizer), compact: tab.shortText(localizer)))
    }
    fields += [
      FormField(.spacer, "space-2"),
      paragraph(
        "three", localizer("guide.threeKeys"), compact: localizer("guide.threeKeysShort")),
      paragraph(
        "keys", keyLine("guide.keyPalette", gap: 6),
        compact: keyLine("guide.keyPaletteShort", gap: 2)
      ),
    ]
    if !languages.isEmpty || !themes.isEmpty || answers != nil {
      fields.append(FormField(.spacer, "space-3"))
    }
    let choices = [
      (ID.language, "guide.language", languages, language),
      (ID.theme, "guide.theme", themes, theme),
    ]
    for (id, label, words, chosen) in choices where !words.isEmpty {
      var field = FormField(.choice(words.map(\.name)), id, label: localizer(label))
      field.selected = words.firstIndex { $0.id == chosen } ?? 0
      fields.append(field)
    }
    if let answers {
      var field = FormField(
        .choice(
          ["guide.screenOrdinary", "guide.screenReader", "guide.screenLines"].map { localizer($0) }),
        ID.screen, label: localizer("guide.screen"))
      field.selected = answers.screen.rawValue
      fields.append(field)
    }
    return fields + nextButtons
  }

  /// Returns the keys that lead to all the others, as they are bound; unbound ones are omitted.
  private func keyLine(_ palette: String, gap: Int) -> String {
    [
      (keyNames.help, localizer("guide.keyHelp")), (keyNames.palette, localizer(palette)),
      (keyNames.quit, localizer("guide.keyQuit")),
    ].filter { !$0.0.isEmpty }.map { "\($0) \($1)" }
      .joined(separator: String(repeating: " ", count: gap))
  }

  private var keys: [FormField] {
    var fields = [
      paragraph("try", localizer("guide.try")), FormField(.spacer, "space-1"),
    ]
    for practice in practices {
      let isDone = practised.contains(practice.key)
      fields.append(
        entry(
          "practice.\(practice.key)", "\(isDone ? "[x]" : "[ ]") \(practice.key)", practice.meaning)
      )
    }
    fields.append(FormField(.spacer, "space-2"))
    let left = practices.count - practised.count
    fields.append(
      paragraph(
        "left", left == 0 ? localizer("guide.practised") : localizer.plural("guide.left", left)))
    fields.append(paragraph("no-alt", localizer("guide.noAlt")))
    return fields + nextButtons
  }

  private var privacy: [FormField] {
    var fields = [
      paragraph("privacy", localizer("guide.privacy")),
      FormField(.spacer, "space-1"),
    ]
    // Before the text: on a small screen the text extends past the edge, and Enter leaves the page.
    if let answers {
      for (id, label, isOn) in [
        (ID.markers, "guide.sendsMarkers", answers.sendsMarkers),
        (ID.typing, "guide.sendsTyping", answers.sendsTyping),
      ] {
        var field = FormField(.checkbox, id, label: localizer(label))
        field.isOn = isOn
        fields.append(field)
      }
      fields.append(FormField(.spacer, "space-2"))
    }
    fields += [
      entry("messages", localizer("guide.messages"), dataDirectory),
      entry("password", localizer("guide.password"), localizer(secrets.textKey)),
      entry("log", localizer("guide.log"), localizer("guide.logText")),
      entry("network", localizer("guide.network"), localizer("guide.networkText")),
      entry("server", localizer("guide.server"), localizer("guide.serverText")),
      entry("notices", localizer("guide.notices"), localizer("guide.noticesText")),
    ]
    return fields + nextButtons
  }

  private var beginning: [FormField] {
    var fields = [
      paragraph("begin", localizer("guide.begin")),
      FormField(.spacer, "space-1"),
      entry("have", localizer("guide.signIn"), localizer("guide.signInText")),
      entry("new", localizer("guide.newAccount"), localizer("guide.newAccountText")),
    ]
    if offersLocal {
      fields.append(entry("try-local", localizer("guide.local"), localizer("guide.localText")))
    }
    fields += [
      FormField(.spacer, "space-2"),
      FormField(.button, ID.signIn, label: localizer("guide.signIn")),
      FormField(.button, ID.newAccount, label: localizer("guide.newAccount")),
    ]
    if offersLocal {
      fields.append(FormField(.button, ID.local, label: localizer("guide.local")))
    }
    return fields
  }

  private var ending: [FormField] {
    [
      paragraph("end", localizer("guide.end")),
      FormField(.spacer, "space-end"),
      FormField(.button, ID.done, label: localizer("guide.done")),
    ]
  }

  // MARK: - User input

  /// Marks a key of the second page as tried; the next time the key has its normal effect.
  private func practise(_ chord: String) -> Bool {
    guard page == 1, practices.contains(where: { $0.key == chord }),
      practised.insert(chord).inserted
    else { return false }
    let focus = form.focus
    show(page)
    if let focus { form.focus(on: focus) }
    return true
  }

  private func pressed(_ id: FormField.ID) {
    switch id {
    case ID.next: turn(by: 1)
    case ID.skip, ID.signIn: onExit(isReview ? .chats : .signIn)
    case ID.done: onExit(.chats)
    case ID.newAccount: onExit(.newAccount)
    case ID.local: onExit(.local)
    default: break
    }
  }
}
