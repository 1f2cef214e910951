// What the guide is made from, and where it leads to.
extension OnboardingViewModel {
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

  /// The keys that the first page tells, as help spells them; empty for those that are bound to nothing.
  package struct KeyNames: Hashable, Sendable {
    let help: String
    let palette: String
    let quit: String
    let tabs: [SubAppID: String]
    package init(
      help: String = "", palette: String = "", quit: String = "", tabs: [SubAppID: String] = [:]
    ) {
      (self.help, self.palette, self.quit, self.tabs) = (help, palette, quit, tabs)
    }
  }

  /// A theme or a language to choose on the first page.
  package struct Choice: Identifiable, Hashable, Sendable {
    package let id: String
    package let name: String
    package init(_ id: String, _ name: String) { (self.id, self.name) = (id, name) }
  }

  /// What of the settings is asked on its pages, as it stands.
  package struct Answers: Hashable, Sendable {
    package var screen: Screen
    /// Whether contacts are told what was read.
    package var sendsMarkers: Bool
    /// Whether contacts are told that an answer is being typed.
    package var sendsTyping: Bool
    package init(
      screen: Screen = .ordinary, sendsMarkers: Bool = true, sendsTyping: Bool = true
    ) {
      self.screen = screen
      (self.sendsMarkers, self.sendsTyping) = (sendsMarkers, sendsTyping)
    }
  }

  /// What Natter is looked at, or listened to, with (interface.md, "Accessibility").
  package enum Screen: Int, Hashable, Sendable, CaseIterable {
    case ordinary
    /// The full screen for a screen reader.
    case reader
    /// Line mode, from the next start on.
    case lines
  }

  /// Where a password is, when it is kept.
  package enum Secrets: Hashable, Sendable {
    /// A file that only its owner may read.
    case file
    /// The desktop's keyring.
    case keyring
    /// A program of the person's own is asked for it.
    case command

    var textKey: String {
      switch self {
      case .file: "guide.passwordText"
      case .keyring: "guide.passwordKeyring"
      case .command: "guide.passwordCommand"
      }
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
}
