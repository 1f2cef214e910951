import NatterCore
import XMPP

/// What the shell can have done by the program around it: the terminal, the themes, the sign-in.
package struct ShellActions {
  /// Draws everything anew and reads the terminal's size again.
  package var redraw: () -> Void
  /// Stops the program until the shell brings it back (`^Z`).
  package var suspend: () -> Void
  /// Ends the program, drafts saved.
  package var quit: () -> Void
  /// Changes between the day and the night theme.
  package var toggleTheme: () -> Void
  /// Takes the theme of that name, and keeps it; `false` when there is none.
  package var setTheme: (String) -> Bool
  /// The names of all themes.
  package var themeNames: () -> [String]
  /// Opens the help, at a topic where one is named.
  package var showHelp: (String?) -> Void
  /// Opens the sign-in form.
  package var signIn: () -> Void
  /// Signs out and forgets the secret.
  package var signOut: () -> Void
  /// Opens the form for another password.
  package var changePassword: () -> Void
  /// Opens the form that deletes the account on its server.
  package var deleteAccount: () -> Void
  /// Asks before something that cannot be taken back.
  package var confirm: (ConfirmRequest) -> Void
  /// Shows a form above everything else, until what it returns is called.
  package var showForm: (FormViewModel) -> () -> Void
  /// Lists some words to choose one from.
  package var choose: (ChoiceRequest) -> Void
  /// Turns mouse reports on or off; off lets the terminal select text.
  package var setMouse: (Bool) -> Void
  /// Reads an address a person typed (RFC 7622 §3); `nil` when it is none.
  package var parseAddress: (String) -> JID?

  /// Reads settings, keys and themes again where their files have changed.
  package var reload: () -> Void = {}
  /// Gives a text to the terminal, to be pasted anywhere.
  package var copy: (String) -> CopyOutcome = { _ in .unavailable }
  /// Opens an address with the program that is there for it.
  package var openLink: (String) -> Void = { _ in }
  /// Has a text changed in the person's own editor, then calls back with what it is now.
  package var edit: (String, @escaping (Result<String, any Error>) -> Void) -> Void = { _, _ in }
  /// Has an address of Natter's own kinds opened, with whether somebody else wrote it. Throws `NatterError`.
  package var openAddress: (String, _ isForeign: Bool) throws -> Void = { _, _ in }
  /// Asks another module for something by the name it published it under. Throws `NatterError`.
  package var request: (String, [String: String]) throws -> Void = { _, _ in }
  /// Does what a key does, by its name; `false` when there is no such action.
  package var perform: (String) -> Bool = { _ in false }
  /// The names of what keys do, and what they say.
  package var actionNames: () -> [(name: String, text: String)] = { [] }
  /// The languages there are.
  package var languages: () -> [String] = { [] }
  /// Takes a language, and keeps it; `false` when there is none of that name.
  package var setLanguage: (String) -> Bool = { _ in false }
  /// What of a conversation is told.
  package var notificationRule: (JID) -> NotificationRule = { _ in .standard }
  package var setNotificationRule: (JID, NotificationRule) -> Void = { _, _ in }
  /// Shows the files of this machine above everything else, until what it returns is called.
  package var showPicker: (FilePickerViewModel) -> () -> Void = { _ in {} }
  /// Has the person type what is looked for, until Esc.
  package var showSearch: (MessageSearch) -> Void = { _ in }
  /// Shows a list to choose from, until something is chosen or Esc.
  package var showList: (PaletteViewModel) -> Void = { _ in }
  /// Begins data sync anew (flows.md, "Data sync"), or ends it.
  package var synchronize: (Bool) -> Void = { _ in }
  /// Shows pictures, one at a time, until Esc.
  package var showPicture: (PictureViewModel) -> Void = { _ in }
  /// The accounts of this program, in their order.
  package var accounts: () -> [JID] = { [] }
  /// Shows another account.
  package var showAccount: (JID) -> Void = { _ in }
  /// Shows the account after the one that is shown.
  package var showNextAccount: () -> Void = {}
  /// Shows another account, at what is unread in it.
  package var showUnread: (JID) -> Void = { _ in }
  /// Shows another sub-app.
  package var openTab: (SubAppID) -> Void = { _ in }

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

/// A question before something that cannot be taken back; its default answer is the safe one.
package struct ConfirmRequest {
  /// Keys of `Resources/locales`.
  package let titleKey: String
  package let textKey: String
  /// What the button that does it says.
  package let acceptKey: String
  /// Values for the texts' `{name}` placeholders. From outside: shown made safe.
  package let arguments: [String: String]
  /// Whether it may come while the user types something else: what is typed then is not an answer.
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

/// Some words to choose one from.
package struct ChoiceRequest {
  package var words: [String] { offer.words }
  package let title: String
  /// What stands in the list.
  package let offer: ChoiceOffer
  /// The word that holds now.
  package let selected: Int
  /// The letters that choose a word at once, in the order of the words; none: only Enter does.
  package let keys: [Character]
  /// Called with the word that is stood on: what can be shown at once is.
  package let onMove: (Int) -> Void
  /// Called once, with the chosen word, or `nil` when none was.
  package let onEnd: (Int?) -> Void

  package init(
    title: String, words: [String], selected: Int, keys: [Character] = [],
    onMove: @escaping (Int) -> Void = { _ in },
    onEnd: @escaping (Int?) -> Void
  ) {
    self.init(
      title: title, offer: ChoiceOffer(words, words: words), selected: selected, keys: keys,
      onMove: onMove, onEnd: onEnd)
  }

  /// - Parameter offer: words of which there may be more while the list is open.
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

/// What can be chosen from a list.
package final class ChoiceOffer {
  package private(set) var values: [String]
  /// What stands in the list for each of them, final.
  package private(set) var words: [String]
  /// Called when there are others.
  var onChange: () -> Void = {}

  package init(_ values: [String], words: [String]) { (self.values, self.words) = (values, words) }

  package func change(to values: [String], words: [String]) {
    (self.values, self.words) = (values, words)
    onChange()
  }
}
