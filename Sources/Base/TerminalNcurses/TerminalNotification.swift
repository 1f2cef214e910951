import Terminal

/// The ways in which terminals show notifications (interface.md, "Mouse, paste and notifications").
nonisolated package enum TerminalNotification: Hashable, Sendable {
  /// iTerm2, WezTerm and others: one text.
  case osc9
  /// kitty: title and text.
  case osc99
  /// rxvt-unicode, foot, ghostty: title and text.
  case osc777

  /// The form for the terminal that the environment names; terminals cannot be asked for it.
  package init?(environment: [String: String]) {
    let name = environment["TERM"] ?? ""
    if environment["KITTY_WINDOW_ID"] != nil || name == "xterm-kitty" {
      self = .osc99
    } else if ["iTerm.app", "WezTerm"].contains(environment["TERM_PROGRAM"] ?? "") {
      self = .osc9
    } else if name.hasPrefix("foot") || name.hasPrefix("rxvt-unicode")
      || name.hasPrefix("xterm-ghostty") || environment["TERM_PROGRAM"] == "ghostty"
    {
      self = .osc777
    } else {
      return nil
    }
  }

  /// The bytes for the terminal. Neither text can end the sequence or begin another one.
  func bytes(title: String, text: String, inTmux: Bool) -> String {
    let title = Self.safe(title, columns: 60)
    let text = Self.safe(text, columns: 200)
    let sequence =
      switch self {
      case .osc9: "\u{1B}]9;\(title): \(text)\u{7}"
      case .osc99:
        "\u{1B}]99;i=natter:d=0:p=title;\(title)\u{1B}\\\u{1B}]99;i=natter:d=1:p=body;\(text)\u{1B}\\"
      case .osc777: "\u{1B}]777;notify;\(title);\(text)\u{7}"
      }
    // tmux hands on what is wrapped so, if it is allowed to.
    guard inTmux else { return sequence }
    return "\u{1B}Ptmux;" + sequence.replacing("\u{1B}", with: "\u{1B}\u{1B}") + "\u{1B}\\"
  }

  private static func safe(_ text: String, columns: Int) -> String {
    // By scalars: a mark behind a semicolon makes one character with it, which still ends a field.
    var plain = String.UnicodeScalarView()
    for scalar in SafeText.line(text).unicodeScalars { plain.append(scalar == ";" ? "," : scalar) }
    return String(plain).truncated(columns: columns)
  }
}

extension NcursesScreen {
  /// Shows a notification by the terminal.
  package func notify(_ title: String, _ text: String, by form: TerminalNotification) {
    guard state == .active, modes.isXtermKind else { return }
    send(form.bytes(title: title, text: text, inTmux: isInTmux))
  }
}
