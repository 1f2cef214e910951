import NatterCore
import XMPP

/// What `config.toml` says, with the defaults for what it does not say.
package struct Settings: Hashable, Sendable {
  package enum SecretStorage: String, Hashable, Sendable, CaseIterable {
    /// A file that only its owner may read.
    case file
    /// The desktop's secret service.
    case desktop
  }

  /// `[account]`: the account to sign in with when none was saved, and how to reach its server.
  package struct Connection: Hashable, Sendable {
    /// The bare address; `nil`: what was saved, or the sign-in form.
    package var address: JID?
    /// The host to connect to; `nil`: what the domain's records say.
    package var server: String?
    package var port: Int?
    package var security = Account.Security.automatic
    /// The path of a PEM file of authorities to trust beside the system's.
    package var caFile: String?
    /// Where the server signs people in over HTTP; `nil`: it is looked for.
    package var httpURL: String?
    /// Where passwords and tokens are kept.
    package var secrets = SecretStorage.file
    /// The program that prints the password and its arguments; empty: none.
    package var passwordCommand: [String] = []
  }

  /// `[ui]`.
  package struct Interface: Hashable, Sendable {
    package enum GlyphChoice: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case unicode, ascii
    }
    /// A language of `Resources/locales`, or `auto`: what the environment says.
    package var language = "auto"
    /// A theme, or `auto`: `themeNight` or `themeDay`, by `dayHours` or as the terminal's background is.
    package var theme = "auto"
    package var themeNight = "night"
    package var themeDay = "day"
    /// When it is day, for `auto`; `nil`: the terminal's background tells.
    package var dayHours: DayHours?
    package var usesMouse = true
    package var glyphs = GlyphChoice.automatic
    /// What pictures are drawn with.
    package enum Pictures: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case kitty, iterm2, sixel, signs, off
    }
    package var pictures = Pictures.automatic
    /// Whether the terminal is told where links are.
    package enum Links: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case on, off
    }
    package var links = Links.automatic
    /// Whose keys the program has.
    package enum Keys: String, Hashable, Sendable, CaseIterable { case natter, emacs, vi, slack }
    package var keys = Keys.natter
    /// What Enter does with a message that is being typed.
    package enum Enter: String, Hashable, Sendable, CaseIterable {
      case send
      case newLine = "newline"
    }
    package var enter = Enter.send
    /// Whether the list of conversations is shown where there is room for it.
    package var showsSidebar = true
    package var showsClock = true
    /// Where the time of a message stands: before its name, or behind its text.
    package enum Time: String, Hashable, Sendable, CaseIterable { case before, after }
    package var time = Time.before
    /// How emoji are shown.
    package enum Emoji: String, Hashable, Sendable, CaseIterable { case glyphs, names }
    package var emoji = Emoji.glyphs
    /// How signs of several characters are drawn.
    package enum Unicode: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case safe, full
    }
    package var unicode = Unicode.automatic
    /// The columns of characters that some terminals give one and others two.
    package enum AmbiguousWidth: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case narrow, wide
    }
    package var ambiguousWidth = AmbiguousWidth.automatic
    /// Which colours of names the person can tell apart (XEP-0392 §5.2).
    package enum ColourVision: String, Hashable, Sendable, CaseIterable {
      case all
      case redGreen = "red-green"
      case blue
    }
    package var colourVision = ColourVision.all
    /// Whether as little as possible is drawn.
    package enum SlowLink: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case on, off
    }
    package var slowLink = SlowLink.automatic
    /// Who puts text from right to left in order.
    package enum Bidi: String, Hashable, Sendable, CaseIterable { case terminal, natter }
    package var bidi = Bidi.terminal
    /// What `natter` begins with.
    package enum Mode: String, Hashable, Sendable, CaseIterable {
      case screen
      /// Line mode, as `--plain`.
      case plain
    }
    package var mode = Mode.screen
    /// Whether the screen is for somebody who hears it.
    package var isForScreenReader = false
    /// Whether new messages are told in the status line, too.
    package var announces = false
    package var reducesMotion = false
    /// Whether another tab slides in.
    package var slidesTabs = false

    /// Whether nothing on the screen moves by itself.
    package var isCalm: Bool { reducesMotion || isForScreenReader }
    /// Whether new messages are told in the status line: whoever hears the screen hears no list that has grown.
    package var tellsMessages: Bool { announces || isForScreenReader }
    /// Whether the time is shown: it changes by itself.
    package var showsTime: Bool { showsClock && !isCalm }
  }

  /// `[notify]`.
  package struct Notification: Hashable, Sendable {
    /// For what the terminal's bell rings.
    package enum Bell: String, Hashable, Sendable, CaseIterable {
      case never, mention, direct, all
    }
    package var bell = Bell.mention

    /// How messages are told of beside the bell.
    package enum Desktop: String, Hashable, Sendable, CaseIterable {
      case automatic = "auto"
      case off, osc9, osc99, osc777
      case notifySend = "notify-send"
    }
    package var desktop = Desktop.automatic
    /// A program that is told instead, with its arguments; title and text follow them. Empty: none.
    package var command: [String] = []
    /// Whether the message itself is told.
    package var showsPreview = false
    /// Nothing is told then.
    package var quietHours: DayHours?
  }

  /// `[privacy]`: what others are told without being written to.
  package struct Privacy: Hashable, Sendable {
    /// Contacts learn that their messages arrived (XEP-0184).
    package var sendsReceipts = true
    /// Contacts learn which of their messages were read (XEP-0333).
    package var sendsMarkers = true
    /// Contacts learn that an answer is being typed (XEP-0085).
    package var sendsTyping = true
    /// Contacts learn since when nobody has touched the keyboard (XEP-0319, XEP-0012).
    package var sendsIdle = true

    package init() {}
  }

  /// `[files]`.
  package struct Files: Hashable, Sendable {
    /// Where downloads go; `nil`: the desktop's folder for them.
    package var folder: String?
    /// The program that opens files and its arguments; empty: `xdg-open`.
    package var opener: [String] = []
    /// Files of contacts up to so many megabytes are fetched unasked; 0: none are.
    package var automatic: Int? = 0
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
  package var log = Logging()

  package init() {}
}
