import NatterCore

/// The glyphs of the screen: Unicode, or ASCII if the terminal supports no more (interface.md,
/// "Terminals").
nonisolated package struct Glyphs: Hashable, Sendable {
  package let vertical: String
  package let horizontal: String
  /// The corners of a box: top left, top right, bottom left, bottom right.
  package let corners: [String]
  /// The separator above the first unseen message.
  package let newRule: String
  package let ellipsis: String
  package let chatty: String
  package let online: String
  package let away: String
  package let busy: String
  package let offline: String
  /// The glyph of unknown presence.
  package let unknown: String
  /// A pending subscription request.
  package let request: String
  package let queued: String
  package let sent: String
  package let read: String
  package let failed: String
  /// The glyphs of an upload and a download.
  package let outgoing: String
  package let incoming: String
  /// The glyphs of a room and of an occupant.
  package let room = "#"
  package let occupant = "@"
  /// The glyph of a feed.
  package let feed = "~"
  /// The glyph of a muted conversation.
  package var muted: String { "z" }
  /// The glyphs of a location and of its accuracy.
  package var location: String { drawsBlocks ? "⌖" : "+" }
  package var accuracy: String { drawsBlocks ? "±" : "+-" }
  /// The glyph before a selected or active line; the same in every character set.
  package let marker = ">"

  /// True if the screen is for a screen reader: a single column, without purely graphical elements.
  package private(set) var isLinear = false
  /// True if right-to-left text is reordered here, for a terminal that draws it in logical order.
  package var ordersText = false
  /// True if the time of a message follows its text instead of preceding the name.
  package var timeIsLast = false
  /// True if emoji of several characters are drawn as a single glyph.
  package var drawsWhole = false
  /// True if characters of ambiguous width take two columns.
  package var ambiguousIsWide = false
  /// True if there are half-block glyphs, of which pictures of black and white squares are made.
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

  /// For a screen reader: no lines that it would read out, letters instead of glyphs.
  package static let linear: Glyphs = {
    var glyphs = Glyphs(
      vertical: " ", horizontal: " ", corners: [" ", " ", " ", " "], newRule: " ", ellipsis: "~",
      chatty: "*", online: "*", away: "o", busy: "x", offline: ".", unknown: "-", request: "?",
      queued: ".",
      sent: "v", read: "vv", failed: "!", outgoing: "^", incoming: "v")
    glyphs.isLinear = true
    return glyphs
  }()

  /// Returns the glyph of `availability`: its shape carries as much information as its colour.
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
