import Keys

// The parts of the guide, and its exits.
extension OnboardingViewModel {
  /// A key to try on the second page.
  package struct Practice: Hashable, Sendable {
    /// The key in the notation of the help, such as `^N`.
    package let key: String
    /// The description of its action.
    package let meaning: String
    package init(key: String, meaning: String) {
      self.key = key
      self.meaning = meaning
    }
  }

  /// The keys that the first page shows, in the notation of the help; empty if unbound.
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

  /// The settings on the pages of the guide, with their current values.
  package struct Answers: Hashable, Sendable {
    package var screen: Screen
    /// True if contacts receive read markers.
    package var sendsMarkers: Bool
    /// True if contacts receive typing notifications.
    package var sendsTyping: Bool
    package init(
      screen: Screen = .ordinary, sendsMarkers: Bool = true, sendsTyping: Bool = true
    ) {
      self.screen = screen
      (self.sendsMarkers, self.sendsTyping) = (sendsMarkers, sendsTyping)
    }
  }

  /// The kind of output (interface.md, "Accessibility").
  package enum Screen: Int, Hashable, Sendable, CaseIterable {
    case ordinary
    /// The full screen for a screen reader.
    case reader
    /// Line mode, from the next start on.
    case lines
  }

  /// The location of a saved password.
  package enum Secrets: Hashable, Sendable {
    /// A file readable by its owner only.
    case file
    /// The desktop's keyring.
    case keyring
    /// A program of the user's own, which is queried for it.
    case command

    var textKey: String {
      switch self {
      case .file: "guide.passwordText"
      case .keyring: "guide.passwordKeyring"
      case .command: "guide.passwordCommand"
      }
    }
  }

  /// The destination after the guide.
  package enum Exit: Hashable, Sendable {
    case signIn, newAccount
    /// The built-in server.
    case local
    /// Back to the chats, for a signed-in user who reads it again.
    case chats
  }
}
