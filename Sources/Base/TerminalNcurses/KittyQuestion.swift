import Terminal

/// The query for support of pictures by the kitty graphics protocol.
enum KittyQuestion {
  /// The query has one RGB pixel that is not stored, at the top left corner. Then it clears
  /// everything after the cursor, for terminals that show the query as text, and restores the
  /// cursor.
  static let text =
    "\u{1B}7\u{1B}[H\u{1B}_Gi=\(TerminalReport.pictureQuestion),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    + "\u{1B}[H\u{1B}[J\u{1B}8"
}
