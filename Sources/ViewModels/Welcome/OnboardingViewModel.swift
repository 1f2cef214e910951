/// The feature guide: four pages, shown once and again when help is asked for it (UX.md 3.3, screen 1).
package final class OnboardingViewModel {
  /// A key to be tried out on the second page.
  package struct Practice: Hashable, Sendable {
    /// As help spells it, `^N`.
    package let key: String
    /// What it does, as a text.
    package let meaning: String
    package init(key: String, meaning: String) {
      self.key = key
      self.meaning = meaning
    }
  }

  /// Where the guide is left to.
  package enum Exit: Hashable, Sendable {
    case signIn, newAccount
    /// The built-in server.
    case local
    /// Back to the chats, for somebody who reads it again.
    case chats
  }

  package static let pageCount = 4

  package let form: FormViewModel
  /// The page that is shown, from 0.
  package private(set) var page = 0
  private let localizer: Localizer
  private let practices: [Practice]
  private var practised: Set<String> = []
  private let themes: [String]
  private let dataDirectory: String
  private let offersLocal: Bool
  private let isReview: Bool

  /// The guide is left. It has been seen: whoever shows it keeps that, so that it does not come again by itself.
  package var onExit: (Exit) -> Void = { _ in }
  /// A theme was chosen; it should be on the screen at once.
  package var onTheme: (String) -> Void = { _ in }

  private enum ID {
    static let theme = "theme"
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
  ///   - themes: names to choose from, the one in use first; empty: no choice is shown.
  ///   - dataDirectory: where messages and accounts are kept, for the third page.
  ///   - offersLocal: whether the built-in server can be tried.
  ///   - isReview: whether somebody who is signed in reads it again: every way out leads back to the chats.
  package init(
    localizer: Localizer, practices: [Practice], themes: [String] = [], dataDirectory: String,
    offersLocal: Bool, isReview: Bool = false, invalidation: Invalidation = Invalidation()
  ) {
    self.localizer = localizer
    self.practices = practices
    self.themes = themes
    self.dataDirectory = dataDirectory
    self.offersLocal = offersLocal
    self.isReview = isReview
    form = FormViewModel(title: "", fields: [], invalidation: invalidation)
    form.moreHint = localizer("dialog.keysMore")
    form.onPress = { [weak self] in self?.pressed($0) }
    form.onCancel = { [weak self] in self?.onExit(isReview ? .chats : .signIn) }
    form.onTurn = { [weak self] in self?.turn(by: $0) }
    form.onChord = { [weak self] in self?.practise($0) ?? false }
    form.onChange = { [weak self] id in
      guard let self, id == ID.theme, let theme = form[id]?.selected else { return }
      onTheme(self.themes[theme])
    }
    show(0)
  }

  /// Begins anew, as when help asks for it.
  package func restart() {
    practised = []
    show(0)
  }

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
    form.defaultButton = !isLast ? ID.next : isReview ? ID.done : ID.signIn
    form.trailer = (0..<Self.pageCount).map { $0 == page ? "*" : "o" }.joined(separator: " ")
    form.keyHints = [
      localizer(isLast ? "guide.keysChoose" : "guide.keysNext"), localizer("guide.keysPage"),
      localizer("guide.keysSkip"), localizer("guide.keysAgain"),
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
      entry(
        "chats", localizer("guide.chats"), localizer("guide.chatsText"),
        compact: localizer("guide.chatsShort")),
      entry(
        "history", localizer("guide.history"), localizer("guide.historyText"),
        compact: localizer("guide.historyShort")),
      entry(
        "outbox", localizer("guide.outbox"), localizer("guide.outboxText"),
        compact: localizer("guide.outboxShort")),
      entry(
        "commands", localizer("guide.commands"), localizer("guide.commandsText"),
        compact: localizer("guide.commandsShort")),
      FormField(.spacer, "space-2"),
      paragraph("three", localizer("guide.threeKeys")),
      entry(
        "help", "F1", localizer("guide.helpText"), compact: localizer("guide.helpShort")),
      entry("newline", "^J", localizer("guide.newlineText")),
      entry("quit", "^Q", localizer("guide.quitText")),
    ]
    if !themes.isEmpty {
      fields.append(FormField(.spacer, "space-3"))
      fields.append(FormField(.choice(themes), ID.theme, label: localizer("guide.theme")))
    }
    return fields + nextButtons
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
    [
      paragraph("privacy", localizer("guide.privacy")),
      FormField(.spacer, "space-1"),
      entry("messages", localizer("guide.messages"), dataDirectory),
      entry("password", localizer("guide.password"), localizer("guide.passwordText")),
      entry("log", localizer("guide.log"), localizer("guide.logText")),
      entry("network", localizer("guide.network"), localizer("guide.networkText")),
      entry("server", localizer("guide.server"), localizer("guide.serverText")),
    ] + nextButtons
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

  // MARK: - What the person does

  /// Counts a key of the second page as tried.
  private func practise(_ chord: String) -> Bool {
    guard page == 1, practices.contains(where: { $0.key == chord }) else { return false }
    practised.insert(chord)
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
