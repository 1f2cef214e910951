import Terminal

/// The question whether a terminal draws pictures by the kitty graphics protocol.
enum KittyQuestion {
  /// One red, green and blue pixel that is not kept, in the corner; then everything behind it is cleared, for terminals that show the
  /// question as text. The cursor goes back to its place.
  static let text =
    "\u{1B}7\u{1B}[H\u{1B}_Gi=\(TerminalReport.pictureQuestion),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    + "\u{1B}[H\u{1B}[J\u{1B}8"
}
