import NatterCore
import XMPP

/// The settings of `config.toml`, with defaults for absent keys.
package struct Settings: Hashable, Sendable {
  /// The storage of passwords and tokens.
  package enum SecretStorage: String, Hashable, Sendable, CaseIterable {
    /// A file with permissions for its owner only.
    case file
    /// The desktop's secret service.
    case desktop
  }

  /// `[account]`: the account to sign in with if none was saved, and how to reach its server.
  package struct Connection: Hashable, Sendable {
    /// The bare address; `nil`: the saved account, or the sign-in form.
    package var address: JID?
    /// The host to connect to; `nil`: the SRV records of the domain apply.
    package var server: String?
    package var port: Int?
    package var security = Account.Security.automatic
    /// The path of a PEM file of authorities to trust in addition to the system's.
    package var caFile: String?
    /// The URL of the server's sign-in over HTTP; `nil`: it is discovered.
    package var httpURL: String?
    /// The storage of passwords and tokens.
    package var secrets = SecretStorage.file
    /// The program that prints the password, and its arguments; empty: none.
    package var passwordCommand: [String] = []
  }

  /// `[ui]`.
  package struct Interface: Hashable, Sendable {
    /// The character set of lines and symbols.
    package enum GlyphChoice: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case unicode, ascii
    }
    /// A language of `Resources/locales`, or `auto`: the language of the environment.
    package var language = "auto"
    /// A theme, or `auto`: `themeNight` or `themeDay`, by `dayHours` or the terminal's background.
    package var theme = "auto"
    package var themeNight = "night"
    package var themeDay = "day"
    /// The hours of the day theme, for `auto`; `nil`: the terminal's background decides.
    package var dayHours: DayHours?
    package var usesMouse = true
    package var glyphs = GlyphChoice.automatic
    /// The method of drawing pictures.
    package enum Pictures: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case kitty, iterm2, sixel, symbols = "signs", off
    }
    package var pictures = Pictures.automatic
    /// Indicates whether links are marked for the terminal.
    package enum Links: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case on, off
    }
    package var links = Links.automatic
    /// The key bindings.
    package enum Keys: String, Hashable, Sendable, CaseIterable { case natter, emacs, vi, slack }
    package var keys = Keys.natter
    /// The effect of Enter in the input line of messages.
    package enum Enter: String, Hashable, Sendable, CaseIterable {
      case send
      case newLine = "newline"
    }
    package var enter = Enter.send
    /// Indicates whether Up in an empty input edits the last message; `automatic`: with the keys of
    /// Slack.
    package enum UpEdits: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case on, off
    }
    package var upEdits = UpEdits.automatic
    /// Indicates whether the list of conversations is shown if there is room for it.
    package var showsSidebar = true
    /// The order of the conversations in the list.
    package enum Order: String, Hashable, Sendable, CaseIterable { case recent, manual, alphabet }
    package var order = Order.recent
    package var showsClock = true
    /// The position of a message's time: before its name, or after its text.
    package enum Time: String, Hashable, Sendable, CaseIterable { case before, after }
    package var time = Time.before
    /// The display of emoji.
    package enum Emoji: String, Hashable, Sendable, CaseIterable { case glyphs, names }
    package var emoji = Emoji.glyphs
    /// Indicates whether a name in colons is sent as its emoji.
    package var sendsEmoji = true
    /// The display of grapheme clusters of several characters.
    package enum Unicode: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case safe, full
    }
    package var unicode = Unicode.automatic
    /// The columns of characters whose width differs between terminals.
    package enum AmbiguousWidth: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case narrow, wide
    }
    package var ambiguousWidth = AmbiguousWidth.automatic
    /// The colours of names that the user can distinguish (XEP-0392 §5.2).
    package enum ColourVision: String, Hashable, Sendable, CaseIterable {
      case all
      case redGreen = "red-green"
      case blue
    }
    package var colourVision = ColourVision.all
    /// Indicates whether drawing is reduced to a minimum.
    package enum SlowLink: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case on, off
    }
    package var slowLink = SlowLink.automatic
    /// The program that reorders right-to-left text.
    package enum Bidi: String, Hashable, Sendable, CaseIterable { case terminal, natter }
    package var bidi = Bidi.terminal
    /// The mode in which `natter` starts.
    package enum Mode: String, Hashable, Sendable, CaseIterable {
      case screen
      /// Line mode, like `--plain`.
      case plain
    }
    package var mode = Mode.screen
    /// Indicates whether the screen is adapted for a screen reader.
    package var isForScreenReader = false
    /// Indicates whether new messages are announced in the status line, too.
    package var announces = false
    package var reducesMotion = false
    /// Indicates whether switching tabs is animated.
    package var slidesTabs = false

    /// Indicates whether Up in an empty input edits the user's last message.
    package var editsOnUp: Bool { upEdits == .automatic ? keys == .slack : upEdits == .on }
    /// Indicates whether nothing on the screen changes by itself.
    package var isCalm: Bool { reducesMotion || isForScreenReader }
    /// Indicates whether new messages are announced in the status line: a screen reader does not
    /// speak a list that has grown.
    package var announcesMessages: Bool { announces || isForScreenReader }
    /// Indicates whether the clock is shown: it changes by itself.
    package var showsTime: Bool { showsClock && !isCalm }
  }

  /// `[notify]`.
  package struct Notification: Hashable, Sendable {
    /// The messages for which the terminal's bell rings.
    package enum Bell: String, Hashable, Sendable, CaseIterable {
      case never, mention, direct, all
    }
    package var bell = Bell.mention

    /// The method of desktop notifications.
    package enum Desktop: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case off, osc9, osc99, osc777
      case notifySend = "notify-send"
    }
    package var desktop = Desktop.automatic
    /// A program that is run instead, with its arguments; title and text follow them. Empty: none.
    package var command: [String] = []
    /// Indicates whether notifications contain the text of the message.
    package var showsPreview = false
    /// The hours without notifications.
    package var quietHours: DayHours?
  }

  /// `[privacy]`: the data that is sent to others automatically.
  package struct Privacy: Hashable, Sendable {
    /// Contacts receive receipts for their messages (XEP-0184).
    package var sendsReceipts = true
    /// Contacts receive markers for the messages that were read (XEP-0333).
    package var sendsMarkers = true
    /// Contacts receive typing notifications (XEP-0085).
    package var sendsTyping = true
    /// Contacts receive the time since when the keyboard is idle (XEP-0319, XEP-0012).
    package var sendsIdle = true

    package init() {}
  }

  /// `[files]`.
  package struct Files: Hashable, Sendable {
    /// The download folder; `nil`: the desktop's.
    package var folder: String?
    /// The program that opens files and its arguments; empty: `xdg-open`.
    package var opener: [String] = []
    /// The maximum size of files that are downloaded automatically from contacts, in megabytes; 0:
    /// none.
    package var automatic: Int? = 0
  }

  /// `[location]`.
  package struct Location: Hashable, Sendable {
    /// The address of a map, with `{lat}` and `{lon}` in it; `nil`: that of OpenStreetMap.
    package var map: String?
    /// The program that prints where this computer is, and its arguments; empty: none.
    package var command: [String] = []
  }

  /// `[bridge]`: access for other programs of the same user.
  package struct Bridge: Hashable, Sendable {
    /// Indicates whether a Natter that has an account open listens on a socket.
    package var listens = true
  }

  /// `[log]`.
  package struct Logging: Hashable, Sendable {
    /// The same names as the log's own levels.
    package enum Level: String, Hashable, Sendable, CaseIterable {
      case error, warning, info, debug
    }
    package var level = Level.info
  }

  package var account = Connection()
  package var ui = Interface()
  package var notify = Notification()
  package var privacy = Privacy()
  package var files = Files()
  package var location = Location()
  package var bridge = Bridge()
  package var log = Logging()

  package init() {}
}
