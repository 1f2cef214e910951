import NatterCore

extension Setting {
  /// Every key that `config.toml` can have, in the order in which it is printed.
  package static let all: [Setting] = [
    Setting(
      "account", "address", .address(\.account.address), example: "\"alice@example.org\"",
      "The address to sign in with. Without it, the account that was saved last."),
    Setting(
      "account", "server", .text(\.account.server), example: "\"xmpp.example.org\"",
      "The host to connect to. Without it, what the domain of the address says."),
    Setting(
      "account", "port", .integer(\.account.port, 1...65535), example: "5222",
      "The port to connect to, 1 to 65535."),
    Setting(
      "account", "tls", .choice(ChoiceSetting(\.account.security)),
      """
      auto: as the domain says. starttls: begin in the clear, then TLS. direct: TLS from the start.
      off: none at all; this is refused for every server but one on this machine.
      """),
    Setting(
      "account", "ca_file", .text(\.account.caFile), example: "\"/etc/ssl/example.pem\"",
      "A PEM file of certificate authorities to trust beside those of the system."),
    Setting(
      "account", "http_url", .text(\.account.httpURL), example: "\"https://example.org:5443\"",
      "Where the server signs people in over HTTP. Without it, it is looked for."),
    Setting(
      "account", "secrets", .choice(ChoiceSetting(\.account.secrets)),
      """
      Where passwords and tokens are kept. file: a file that only you can read.
      desktop: the desktop's secret service, by secret-tool, where that is installed.
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
      "The theme. auto: theme_night or theme_day, as the terminal's background is."),
    Setting(
      "ui", "theme_night", .name(\.ui.themeNight, \.themes, allowsAuto: false),
      "The theme for a dark background."),
    Setting(
      "ui", "theme_day", .name(\.ui.themeDay, \.themes, allowsAuto: false),
      "The theme for a light background."),
    Setting(
      "ui", "mouse", .boolean(\.ui.usesMouse),
      "Whether the mouse works. With false, the terminal selects text as everywhere else."),
    Setting(
      "ui", "glyphs", .choice(ChoiceSetting(\.ui.glyphs)),
      "Lines and signs. auto: as the terminal can. unicode, ascii: always so."),
    Setting(
      "ui", "sidebar", .boolean(\.ui.showsSidebar),
      "Whether the list of conversations is shown where there is room."),
    Setting("ui", "clock", .boolean(\.ui.showsClock), "Whether the time is shown."),

    Setting(
      "notify", "bell", .choice(ChoiceSetting(\.notify.bell)),
      """
      For what the terminal's bell rings. never; mention: somebody names you; direct: that, and
      messages to you alone; all: every message.
      """),

    Setting(
      "privacy", "receipts", .boolean(\.privacy.sendsReceipts),
      "Whether contacts are told that their messages arrived. Strangers never are."),
    Setting(
      "privacy", "read_markers", .boolean(\.privacy.sendsMarkers),
      "Whether contacts are told which of their messages you have read. Strangers never are."),
    Setting(
      "privacy", "typing", .boolean(\.privacy.sendsTyping),
      "Whether contacts are told that you are typing. Strangers never are."),

    Setting(
      "log", "level", .choice(ChoiceSetting(\.log.level)),
      "How much natter.log tells: error, warning, info, debug. Never what people write."),
  ]
}
