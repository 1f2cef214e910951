/// The private modes that Natter enables, as bytes for the terminal (interface.md, "What terminals
/// send").
nonisolated struct TerminalModes: Equatable {
  /// Indicates whether the terminal supports xterm's modes. Others might show the bytes.
  var isXtermKind: Bool
  var mouse: Bool
  var focus: Bool
  /// Indicates whether the terminal has reported support of synchronised output.
  var showsFramesWhole = false
  /// Indicates whether it has reported support of kitty's keyboard protocol.
  var distinguishesKeys = false
  /// Indicates whether it has reported support of notifications of dark and light colours.
  var followsColours = false

  /// Indicates whether it is GNU screen, which does not save titles.
  private let forgetsTitle: Bool

  /// - Parameters:
  ///   - name: TERM.
  ///   - hasMouse: whether terminfo has a mouse report (`kmous`), as for the relatives of xterm.
  ///   - environment: the variables of screen and tmux.
  init(
    terminal name: String, hasMouse: Bool, mouse: Bool, focus: Bool,
    environment: [String: String] = [:]
  ) {
    // The Linux console has kmous, and nothing else of xterm.
    isXtermKind = hasMouse && !name.hasPrefix("linux")
    forgetsTitle =
      environment["STY"]?.isEmpty == false && environment["TMUX"]?.isEmpty != false
    self.mouse = mouse
    self.focus = focus
  }

  /// The start and end of output that is shown at once (synchronised output, mode 2026); for
  /// terminals that report support.
  static let frameBegins = "\u{1B}[?2026h"
  static let frameEnds = "\u{1B}[?2026l"

  /// Queries the support of synchronised output and of notifications of colours (DECRQM), and of
  /// kitty's keyboard protocol. A terminal without them is silent, or reports that.
  static let questions = "\u{1B}[?2026$p\u{1B}[?2031$p\u{1B}[?u"

  /// Enables notifications of dark and light colours.
  static let coloursOn = "\u{1B}[?2031h"
  /// Queries which of the two the colours are; the terminal reports changes from then on.
  static let coloursQuestion = "\u{1B}[?996n"

  /// Makes the terminal distinguish keys with the same legacy encoding, and report the shifted key
  /// (kitty keyboard protocol, "Progressive enhancement": 1 and 4). Terminals keep this state
  /// separately for the main and the alternate screen: only to be sent in the latter.
  var keysOn: String { distinguishesKeys ? "\u{1B}[>5u" : "" }
  var keysOff: String { distinguishesKeys ? "\u{1B}[<u" : "" }

  /// Alt sends ESC; pastes are bracketed; mouse and focus are reported; the title is saved.
  var on: String {
    guard isXtermKind else { return "" }
    // The previous state of 1036 and 1007 is the user's setting, so the terminal saves it (XTSAVE).
    return "\u{1B}[22;2t\u{1B}[?1036s\u{1B}[?1036h\u{1B}[?2004h" + (focus ? "\u{1B}[?1004h" : "")
      + (followsColours ? Self.coloursOn : "") + mouseOn
  }

  /// Undoes `on` and `keysOn`, in reverse order. If the previous title is unknown, the title
  /// becomes empty.
  var off: String {
    guard isXtermKind else { return "" }
    return keysOff + mouseOff + (followsColours ? "\u{1B}[?2031l" : "")
      + (focus ? "\u{1B}[?1004l" : "")
      + "\u{1B}[?2004l\u{1B}[?1036r" + (forgetsTitle ? title("") : "\u{1B}[23;2t")
  }

  /// Without the mouse, the wheel must not scroll through the input history (1007).
  var mouseOn: String {
    guard isXtermKind else { return "" }
    return mouse ? "\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h" : "\u{1B}[?1007s\u{1B}[?1007l"
  }

  var mouseOff: String {
    guard isXtermKind else { return "" }
    return mouse ? "\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l" : "\u{1B}[?1007r"
  }

  /// Sets the terminal's title (OSC 2); `text` must be safe.
  func title(_ text: String) -> String {
    isXtermKind ? "\u{1B}]2;\(text)\u{7}" : ""
  }
}
