/// The private modes that Natter switches on, as bytes for the terminal
/// (interface.md, "What terminals send").
nonisolated struct TerminalModes: Equatable {
  /// Whether the terminal understands xterm's modes. Others might show the bytes.
  var isXtermKind: Bool
  var mouse: Bool
  var focus: Bool
  /// Whether the terminal has told that it shows frames as a whole.
  var showsFramesWhole = false
  /// Whether it has told that it knows kitty's keyboard protocol.
  var tellsKeysApart = false
  /// Whether it has told that it can tell when its colours become dark or light.
  var followsColours = false

  /// Whether it is GNU screen, which puts no title aside.
  private let forgetsTitle: Bool

  /// - Parameters:
  ///   - name: TERM.
  ///   - hasMouse: whether terminfo names a mouse report (`kmous`), which the relatives of xterm have.
  ///   - environment: what screen and tmux name themselves in.
  init(
    terminal name: String, hasMouse: Bool, mouse: Bool, focus: Bool,
    environment: [String: String] = [:]
  ) {
    // The Linux console has kmous, and none of the rest.
    isXtermKind = hasMouse && !name.hasPrefix("linux")
    forgetsTitle =
      environment["STY"]?.isEmpty == false && environment["TMUX"]?.isEmpty != false
    self.mouse = mouse
    self.focus = focus
  }

  /// What lies between the two is shown at once (synchronised output, mode 2026); for terminals that say they know it.
  static let frameBegins = "\u{1B}[?2026h"
  static let frameEnds = "\u{1B}[?2026l"

  /// Asks whether the terminal knows synchronised output, telling of its colours (DECRQM) and kitty's keyboard protocol. One
  /// that does not is silent, or says so.
  static let questions = "\u{1B}[?2026$p\u{1B}[?2031$p\u{1B}[?u"

  /// Has the terminal tell when its colours become dark or light.
  static let coloursOn = "\u{1B}[?2031h"
  /// Asks which of the two they are: from then on the terminal tells.
  static let coloursQuestion = "\u{1B}[?996n"

  /// Has keys told apart that were always sent alike, and with them what Shift makes of them (kitty keyboard protocol,
  /// "Progressive enhancement": 1 and 4). Terminals keep it for the main and the alternate screen each: only to be sent in
  /// the latter.
  var keysOn: String { tellsKeysApart ? "\u{1B}[>5u" : "" }
  var keysOff: String { tellsKeysApart ? "\u{1B}[<u" : "" }

  /// Alt sends ESC; pastes come in brackets; mouse and focus are reported; the title is put aside.
  var on: String {
    guard isXtermKind else { return "" }
    // What 1036 and 1007 were before is the user's setting, so the terminal keeps it (XTSAVE).
    return "\u{1B}[22;2t\u{1B}[?1036s\u{1B}[?1036h\u{1B}[?2004h" + (focus ? "\u{1B}[?1004h" : "")
      + (followsColours ? Self.coloursOn : "") + mouseOn
  }

  /// Undoes `on` and `keysOn`, in the opposite order. Where the title before is not known any more, there is none.
  var off: String {
    guard isXtermKind else { return "" }
    return keysOff + mouseOff + (followsColours ? "\u{1B}[?2031l" : "")
      + (focus ? "\u{1B}[?1004l" : "")
      + "\u{1B}[?2004l\u{1B}[?1036r" + (forgetsTitle ? title("") : "\u{1B}[23;2t")
  }

  /// Without the mouse, the wheel must not page through what was typed (1007).
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
