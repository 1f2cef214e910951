import NatterCore

extension Setting {
  /// All keys of `config.toml`, in the order of the output of --print-config.
  package static let all: [Setting] = [
    Setting(
      "account", "address", .address(\.account.address), example: "\"alice@example.org\"",
      "The address to sign in with. Without it, the default account ('natter accounts')."),
    Setting(
      "account", "server", .server(\.account.server, port: \.account.port),
      example: "\"xmpp.example.org\"",
      "The host to connect to. Without it, the domain of the address is looked up."),
    Setting(
      "account", "port", .integer(\.account.port, 1...65535), example: "5222",
      "The port to connect to, 1 to 65535."),
    Setting(
      "account", "tls", .choice(ChoiceSetting(\.account.security)),
      """
      auto: as the DNS records of the domain say. starttls: start unencrypted, then TLS. direct: TLS
      from the first byte. off: nothing is encrypted; this is refused for every server but one on
      this computer.
      """),
    Setting(
      "account", "ca_file", .text(\.account.caFile), example: "\"/etc/ssl/example.pem\"",
      "A PEM file of certificate authorities to trust in addition to the system's."),
    Setting(
      "account", "http_url", .text(\.account.httpURL), example: "\"https://example.org:5443\"",
      "The address of the server's sign-in over HTTP. Without this setting, Natter looks it up."),
    Setting(
      "account", "secrets", .choice(ChoiceSetting(\.account.secrets)),
      """
      Where passwords and tokens are stored. file: in a file that only you can read. desktop: by
      secret-tool, where that is installed.
      """),
    Setting(
      "account", "password_command", .texts(\.account.passwordCommand),
      example: "[\"pass\", \"show\", \"xmpp/alice\"]",
      "A program that prints the password in its first line. It runs without a shell."),

    Setting(
      "ui", "language", .name(\.ui.language, \.languages, allowsAuto: true),
      "The language. auto: as the environment says (LC_ALL, LC_MESSAGES, LANG)."),
    Setting(
      "ui", "theme", .name(\.ui.theme, \.themes, allowsAuto: true),
      """
      The theme. auto: theme_night or theme_day, by day_hours where they are set, else by the
      terminal's background.
      """),
    Setting(
      "ui", "theme_night", .name(\.ui.themeNight, \.themes, allowsAuto: false),
      "The theme for a dark background."),
    Setting(
      "ui", "theme_day", .name(\.ui.themeDay, \.themes, allowsAuto: false),
      "The theme for a light background."),
    Setting(
      "ui", "day_hours", .hours(\.ui.dayHours), example: "\"07:00-19:00\"",
      """
      The hours in which auto uses theme_day; in the others it uses theme_night, whatever the
      terminal's background is.
      """),
    Setting(
      "ui", "colour_vision", .choice(ChoiceSetting(\.ui.colourVision)),
      """
      How you see the colours of names. all: you can distinguish them. red-green: red and green look
      alike. blue: you do not see blue. The themes named colour-blind do the same for all other
      colours.
      """),
    Setting(
      "ui", "mouse", .boolean(\.ui.usesMouse),
      "Use the mouse. With false, the terminal selects text as usual."),
    Setting(
      "ui", "glyphs", .choice(ChoiceSetting(\.ui.glyphs)),
      """
      The characters for lines and symbols. auto: what the terminal supports. unicode, ascii: always
      these.
      """),
    Setting(
      "ui", "pictures", .choice(ChoiceSetting(\.ui.pictures)),
      """
      How pictures on this computer are drawn. auto: by the terminal where it is known to support
      it, else by chafa where it is installed. kitty, iterm2: by the terminal, with that protocol.
      sixel: by the terminal, from chafa's output, for one picture over the whole screen; with
      characters elsewhere. signs: with characters, in every terminal. off: only their names are
      shown.
      """),
    Setting(
      "ui", "links", .choice(ChoiceSetting(\.ui.links)),
      """
      Let the terminal open links in messages at a click. auto: where it is known to support that.
      on: in every terminal. off: in none.
      """),
    Setting(
      "ui", "keys", .choice(ChoiceSetting(\.ui.keys)),
      """
      The preset of keys. natter: readline's keys in the input line, except ^F, ^N, ^P and ^O.
      emacs: all of readline's keys. vi: after Esc, letters move and edit; i, a and the like return
      to typing. slack: as natter, and ^K opens the palette.
      """),
    Setting(
      "ui", "enter", .choice(ChoiceSetting(\.ui.enter)),
      """
      The effect of Enter in the input line. send: it sends the message. newline: it starts a new
      line, and Alt+Enter, Ctrl+Enter or ^X Enter send; Enter still runs a typed command.
      """),
    Setting(
      "ui", "up_edits", .choice(ChoiceSetting(\.ui.upEdits)),
      """
      Edit your last message with Up in an empty input. auto: with the keys of Slack. on: with all
      keys. off: Up goes to the previous input.
      """),
    Setting(
      "ui", "sidebar", .boolean(\.ui.showsSidebar),
      "Show the list of conversations where there is room."),
    Setting(
      "ui", "order", .choice(ChoiceSetting(\.ui.order)),
      """
      The order of conversations in the list, below pinned and unread ones. recent: by the time of
      the newest message. manual: in the order into which you move them. alphabet: by their names.
      """),
    Setting("ui", "clock", .boolean(\.ui.showsClock), "Show the time of day."),
    Setting(
      "ui", "slow_link", .choice(ChoiceSetting(\.ui.slowLink)),
      """
      Draw less: no list beside the conversation, no clock, no typing notices, and new lines several
      at a time. auto: while the connection to this terminal is slow, which Natter measures. on:
      always. off: never.
      """),
    Setting(
      "ui", "time", .choice(ChoiceSetting(\.ui.time)),
      """
      Position of the time of a message. before: first in its row. after: last, so that the text is
      read first.
      """),
    Setting(
      "ui", "emoji", .choice(ChoiceSetting(\.ui.emoji)),
      """
      How emoji are shown. glyphs: as the terminal draws them. names: spelled out, like :thumbs_up:.
      """),
    Setting(
      "ui", "emoji_on_send", .boolean(\.ui.sendsEmoji),
      """
      Send names in colons, like :tada:, as emoji. Names in code and in quoted lines are sent as they
      are.
      """),
    Setting(
      "ui", "unicode", .choice(ChoiceSetting(\.ui.unicode)),
      """
      Emoji of several characters: families, skin tones, characters drawn as pictures. safe: as the
      parts that every terminal draws alike. full: as one emoji. auto: as one emoji where the
      terminal reports that it draws them so.
      """),
    Setting(
      "ui", "ambiguous_width", .choice(ChoiceSetting(\.ui.ambiguousWidth)),
      """
      Characters that some terminals draw two columns wide, as those set up for Chinese, Japanese or
      Korean do: Greek and Cyrillic letters, curly quotes, lines. narrow: one column each. wide:
      two, and the screen's own lines are ASCII. auto: as the terminal reports.
      """),
    Setting(
      "ui", "bidi", .choice(ChoiceSetting(\.ui.bidi)),
      """
      How right-to-left text is put in order. terminal: it gets the text as it was written. natter:
      for terminals that draw everything from left to right.
      """),
    Setting(
      "ui", "mode", .choice(ChoiceSetting(\.ui.mode)),
      """
      The interface that natter starts in. screen: the whole terminal is used. plain: text is only
      ever added at the end, as with --plain; natter --screen still opens the full screen.
      """),
    Setting(
      "ui", "screen_reader", .boolean(\.ui.isForScreenReader),
      """
      Lay the screen out for a screen reader: everything in a single column, no lines, the cursor on
      the selection, new messages announced in the status line.
      """),
    Setting(
      "ui", "announce", .boolean(\.ui.announces),
      """
      Also announce new messages in the status line, one at a time. With screen_reader this is
      always so. From rooms that are not on the screen, only mentions are announced, unless /notify
      says otherwise. Keywords (/notify word) count as mentions.
      """),
    Setting(
      "ui", "reduced_motion", .boolean(\.ui.reducesMotion),
      "Let nothing move by itself: no countdown, no typing notices, no clock, no transitions."),
    Setting(
      "ui", "transitions", .boolean(\.ui.slidesTabs),
      """
      Slide a tab in when you switch to it. Never over SSH or a slow connection, and never longer
      than 150 ms.
      """),

    Setting(
      "notify", "bell", .choice(ChoiceSetting(\.notify.bell)),
      """
      The messages that ring the terminal's bell, unless /notify says otherwise. never: none,
      whatever /notify says; direct: those to you alone; mention: these, and mentions in rooms; all:
      every message. Keywords (/notify word) count as mentions.
      """),

    Setting(
      "notify", "desktop", .choice(ChoiceSetting(\.notify.desktop)),
      """
      How to notify outside the terminal about direct messages and mentions, unless /notify says
      otherwise. auto: by the terminal where it is known to support it, else by notify-send. off:
      not at all. osc9, osc99, osc777: by the terminal, with that sequence. notify-send: always by
      that program. Keywords (/notify word) count as mentions.
      """),
    Setting(
      "notify", "command", .texts(\.notify.command), example: "[\"my-notifier\", \"--urgent\"]",
      """
      A program that is run for each notification, instead of the terminal or notify-send; the title
      and the text are its last arguments. It runs without a shell.
      """),
    Setting(
      "notify", "preview", .boolean(\.notify.showsPreview),
      "Show the text of the message in notifications. With false, they show only the sender."),
    Setting(
      "notify", "quiet", .hours(\.notify.quietHours), example: "\"22:00-07:00\"",
      "Hours of the day without notifications and without the bell."),

    Setting(
      "privacy", "receipts", .boolean(\.privacy.sendsReceipts),
      "Send contacts a receipt when their messages arrive. Strangers never get one."),
    Setting(
      "privacy", "read_markers", .boolean(\.privacy.sendsMarkers),
      "Let contacts see which of their messages you have read. Strangers never do."),
    Setting(
      "privacy", "typing", .boolean(\.privacy.sendsTyping),
      "Let contacts see that you are typing. Strangers never do."),
    Setting(
      "privacy", "idle", .boolean(\.privacy.sendsIdle),
      "Let contacts see how long you have been idle. Strangers never do."),

    Setting(
      "files", "folder", .text(\.files.folder), example: "\"~/Downloads\"",
      "The folder for downloads. Without it, the desktop's folder for downloads."),
    Setting(
      "files", "open_command", .texts(\.files.opener), example: "[\"xdg-open\"]",
      """
      The program that /open uses to show a file. Without it, xdg-open. It runs without a shell,
      with the path as its last argument.
      """),
    Setting(
      "files", "automatic", .integer(\.files.automatic, 0...1000),
      """
      Files of contacts up to this many megabytes, 0 to 1000, are downloaded automatically. 0: none
      are.
      """),

    Setting(
      "location", "map", .text(\.location.map),
      example: "\"https://www.openstreetmap.org/?mlat={lat}&mlon={lon}#map=16/{lat}/{lon}\"",
      """
      The address of a map, with {lat} and {lon} in it, for locations that no program on this
      computer shows. Natter asks before it opens one. Without it, OpenStreetMap.
      """),
    Setting(
      "location", "command", .texts(\.location.command), example: "[\"where-am-i\"]",
      """
      A program that prints where you are, as LATITUDE LONGITUDE [METRES], for /location. It runs
      without a shell, for 10 seconds at most.
      """),

    Setting(
      "bridge", "socket", .boolean(\.bridge.listens),
      """
      Let other programs of yours use an account that is open, through a socket that only you can
      open: natter call, natter tail, natter serve. With false, they only read what is stored.
      """),

    Setting(
      "log", "level", .choice(ChoiceSetting(\.log.level)),
      "The level of natter.log: error, warning, info, debug. Messages are never logged."),
  ]
}
