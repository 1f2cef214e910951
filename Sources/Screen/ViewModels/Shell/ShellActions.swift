import Keys
import NatterCore
import XMPP

/// The actions that the program around the shell performs: terminal, themes, sign-in.
package struct ShellActions {
  /// Redraws the whole screen and reads the terminal's size again.
  package var redraw: () -> Void
  /// Suspends the program until the user's shell resumes it (`^Z`).
  package var suspend: () -> Void
  /// Saves the drafts and ends the program.
  package var quit: () -> Void
  /// Switches between the day theme and the night theme.
  package var toggleTheme: () -> Void
  /// Applies the theme of that name and saves the choice; `false` if it does not exist.
  package var setTheme: (String) -> Bool
  /// The names of all themes.
  package var themeNames: () -> [String]
  /// Opens the help, at a topic if there is a name.
  package var showHelp: (String?) -> Void
  /// Opens the sign-in form.
  package var signIn: () -> Void
  /// Signs out and deletes the secret.
  package var signOut: () -> Void
  /// Opens the form that changes the password.
  package var changePassword: () -> Void
  /// Opens the form that deletes the account on its server.
  package var deleteAccount: () -> Void
  /// Asks for confirmation before an action that cannot be undone.
  package var confirm: (ConfirmRequest) -> Void
  /// Shows a form above everything else, until the returned closure is called.
  package var showForm: (FormViewModel) -> () -> Void
  /// Shows a list of values to choose from.
  package var choose: (ChoiceRequest) -> Void
  /// Enables or disables mouse reports; without them the terminal selects text.
  package var setMouse: (Bool) -> Void
  /// Parses an address that the user typed (RFC 7622 §3); `nil` if it is invalid.
  package var parseAddress: (String) -> JID?

  /// Reloads settings, keys and themes whose files have changed.
  package var reload: () -> Void = {}
  /// Copies a text to the terminal's clipboard.
  package var copy: (String) -> CopyOutcome = { _ in .unavailable }
  /// Opens links and locations with other programs.
  package var links = LinkActions()
  /// Opens a text in the user's own editor, then calls back with the edited text.
  package var edit: (String, @escaping (Result<String, any Error>) -> Void) -> Void = { _, _ in }
  /// Opens an address of one of Natter's own schemes; `isForeign` is true if another user wrote it.
  /// Throws `NatterError`.
  package var openAddress: (String, _ isForeign: Bool) throws -> Void = { _, _ in }
  /// Sends a request to another module, by the name that the module published. Throws
  /// `NatterError`.
  package var request: (String, [String: String]) throws -> Void = { _, _ in }
  /// Performs the action of that name; `false` if there is none.
  package var perform: (String) -> Bool = { _ in false }
  /// The names of the actions, with their texts.
  package var actionNames: () -> [(name: String, text: String)] = { [] }
  /// The available languages.
  package var languages: () -> [String] = { [] }
  /// Applies a language and saves the choice; `false` if it does not exist.
  package var setLanguage: (String) -> Bool = { _ in false }
  /// The notification rules of the conversations.
  package var notifications = ConversationNotifications()
  /// Shows the file picker above everything else, until the returned closure is called.
  package var showPicker: (FilePickerViewModel) -> () -> Void = { _ in {} }
  /// The actions of the search for messages.
  package var search = SearchActions()
  /// Shows a list to choose from, until a choice or Esc.
  package var showList: (PaletteViewModel) -> Void = { _ in }
  /// Starts data synchronization again (flows.md, "Data sync"), or stops it.
  package var synchronize: (Bool) -> Void = { _ in }
  /// Shows pictures one at a time, until Esc.
  package var showPicture: (PictureViewModel) -> Void = { _ in }
  /// The accounts of this program, in their order.
  package var accounts: () -> [JID] = { [] }
  /// Switches to another account.
  package var showAccount: (JID) -> Void = { _ in }
  /// Switches to the account after the current one.
  package var showNextAccount: () -> Void = {}
  /// Switches to another account, at its next unread conversation.
  package var showUnread: (JID) -> Void = { _ in }
  /// Switches to another sub-app.
  package var openTab: (SubAppID) -> Void = { _ in }

  /// Opens a URL with the program that is configured for it.
  package var openLink: (String) -> Void {
    get { links.open }
    set { links.open = newValue }
  }

  package init(
    redraw: @escaping () -> Void = {}, suspend: @escaping () -> Void = {},
    quit: @escaping () -> Void = {}, toggleTheme: @escaping () -> Void = {},
    setTheme: @escaping (String) -> Bool = { _ in false },
    themeNames: @escaping () -> [String] = { [] },
    showHelp: @escaping (String?) -> Void = { _ in }, signIn: @escaping () -> Void = {},
    signOut: @escaping () -> Void = {}, changePassword: @escaping () -> Void = {},
    deleteAccount: @escaping () -> Void = {},
    confirm: @escaping (ConfirmRequest) -> Void = { _ in },
    showForm: @escaping (FormViewModel) -> () -> Void = { _ in {} },
    choose: @escaping (ChoiceRequest) -> Void = { _ in },
    setMouse: @escaping (Bool) -> Void = { _ in },
    parseAddress: @escaping (String) -> JID?
  ) {
    self.redraw = redraw
    self.suspend = suspend
    self.quit = quit
    self.toggleTheme = toggleTheme
    self.setTheme = setTheme
    self.themeNames = themeNames
    self.showHelp = showHelp
    self.signIn = signIn
    self.signOut = signOut
    self.changePassword = changePassword
    self.deleteAccount = deleteAccount
    self.confirm = confirm
    self.showForm = showForm
    self.choose = choose
    self.setMouse = setMouse
    self.parseAddress = parseAddress
  }
}

/// A question before an action that cannot be undone; the default answer is the safe one.
package struct ConfirmRequest {
  /// Keys of `Resources/locales`.
  package let titleKey: String
  package let textKey: String
  /// The label key of the button that accepts.
  package let acceptKey: String
  /// Values for the `{name}` placeholders of the texts. They are remote data: sanitized for
  /// display.
  package let arguments: [String: String]
  /// True if the question may appear while the user types: those keys are not an answer.
  package let comesLate: Bool
  package let onAccept: () -> Void

  package init(
    titleKey: String, textKey: String, acceptKey: String, arguments: [String: String] = [:],
    comesLate: Bool = false, onAccept: @escaping () -> Void
  ) {
    self.titleKey = titleKey
    self.textKey = textKey
    self.acceptKey = acceptKey
    self.arguments = arguments
    self.comesLate = comesLate
    self.onAccept = onAccept
  }
}

/// A list of values to choose from.
package struct ChoiceRequest {
  package var labels: [String] { offer.labels }
  package let title: String
  /// The entries of the list.
  package let offer: ChoiceOffer
  /// The index of the current value.
  package let selected: Int
  /// The keys that choose an entry directly, in the order of the entries. If empty, only Enter
  /// does.
  package let keys: [Character]
  /// Called with the index of the highlighted entry, for a live preview.
  package let onMove: (Int) -> Void
  /// Called once, with the index of the chosen entry, or `nil` if the user cancels.
  package let onEnd: (Int?) -> Void

  package init(
    title: String, labels: [String], selected: Int, keys: [Character] = [],
    onMove: @escaping (Int) -> Void = { _ in },
    onEnd: @escaping (Int?) -> Void
  ) {
    self.init(
      title: title, offer: ChoiceOffer(labels, labels: labels), selected: selected, keys: keys,
      onMove: onMove, onEnd: onEnd)
  }

  /// - Parameter offer: entries that may change while the list is open.
  package init(
    title: String, offer: ChoiceOffer, selected: Int, keys: [Character] = [],
    onMove: @escaping (Int) -> Void = { _ in }, onEnd: @escaping (Int?) -> Void
  ) {
    self.title = title
    self.offer = offer
    self.selected = selected
    self.keys = keys
    self.onMove = onMove
    self.onEnd = onEnd
  }
}

/// The entries of a list, which may change while it is open.
package final class ChoiceOffer {
  package private(set) var values: [String]
  /// The label of each value, ready to be drawn.
  package private(set) var labels: [String]
  /// Called when the entries change.
  var onChange: () -> Void = {}

  package init(_ values: [String], labels: [String]) {
    (self.values, self.labels) = (values, labels)
  }

  package func change(to values: [String], labels: [String]) {
    (self.values, self.labels) = (values, labels)
    onChange()
  }
}
