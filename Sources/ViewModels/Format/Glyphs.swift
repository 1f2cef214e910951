import NatterCore

/// The signs the screen is drawn with: Unicode, or ASCII where the terminal has no more
/// (interface.md, "Terminals").
nonisolated package struct Glyphs: Hashable, Sendable {
  package let vertical: String
  package let horizontal: String
  /// The corners of a box: top left, top right, bottom left, bottom right.
  package let corners: [String]
  /// The rule above the first unseen message.
  package let newRule: String
  package let ellipsis: String
  package let chatty: String
  package let online: String
  package let away: String
  package let busy: String
  package let offline: String
  /// Of whom it is not known.
  package let unknown: String
  /// A request that waits for an answer.
  package let request: String
  package let queued: String
  package let sent: String
  package let read: String
  package let failed: String
  /// What goes out and what comes in.
  package let outgoing: String
  package let incoming: String
  /// What stands for a room, and for somebody in one.
  package let room = "#"
  package let occupant = "@"
  /// What stands for a feed.
  package let feed = "~"
  /// What stands before a selected or active line; not a matter of the character set.
  package let marker = ">"

  /// Whether the screen is for somebody who hears it: one thing below the other, nothing that is only drawn.
  package private(set) var isLinear = false
  /// Whether text from right to left is put in order here, for a terminal that draws it as it comes.
  package var ordersText = false
  /// Whether the time of a message stands behind its text, and not before the name.
  package var timeIsLast = false
  /// Whether emoji of several characters are drawn as one sign.
  package var drawsWhole = false
  /// Whether characters of ambiguous width take two columns.
  package var ambiguousIsWide = false
  /// Whether there are signs of half a cell, as pictures of black and white squares are made of.
  package var drawsBlocks: Bool { vertical == Glyphs.unicode.vertical }

  package static let unicode = Glyphs(
    vertical: "│", horizontal: "─", corners: ["┌", "┐", "└", "┘"], newRule: "═", ellipsis: "…",
    chatty: "●", online: "●", away: "◐", busy: "⊘", offline: "○", unknown: "·", request: "?",
    queued: ".",
    sent: "✓", read: "✓✓", failed: "!", outgoing: "↑", incoming: "↓")

  package static let ascii = Glyphs(
    vertical: "|", horizontal: "-", corners: ["+", "+", "+", "+"], newRule: "=", ellipsis: "~",
    chatty: "*", online: "*", away: "o", busy: "x", offline: ".", unknown: "-", request: "?",
    queued: ".",
    sent: "v", read: "vv", failed: "!", outgoing: "^", incoming: "v")

  /// For a screen reader: no lines that would be read out, letters for signs.
  package static let linear: Glyphs = {
    var glyphs = Glyphs(
      vertical: " ", horizontal: " ", corners: [" ", " ", " ", " "], newRule: " ", ellipsis: "~",
      chatty: "*", online: "*", away: "o", busy: "x", offline: ".", unknown: "-", request: "?",
      queued: ".",
      sent: "v", read: "vv", failed: "!", outgoing: "^", incoming: "v")
    glyphs.isLinear = true
    return glyphs
  }()

  /// The sign of `availability`: its shape tells as much as its colour.
  package func presence(_ availability: Availability) -> String {
    switch availability {
    case .chatty: chatty
    case .online: online
    case .away, .extendedAway: away
    case .busy: busy
    case .offline: offline
    }
  }
}
