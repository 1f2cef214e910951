import NatterCore
import XMPP

/// What people feel about a message, in a line below it.
nonisolated struct ReactionLine {
  /// Each emoji with how many feel so, one's own in brackets.
  let counts: String
  /// Each emoji with who feels so.
  let names: String

  init(_ reactions: [Message.Reaction], format: ItemFormat, people: People) {
    var order: [String] = []
    var said: [String: (emoji: String, names: [String], isOwn: Bool)] = [:]
    for reaction in reactions {
      let name =
        reaction.isOwn
        ? format.localizer("timeline.you") : format.shown(people.shortName(of: reaction.sender))
      for emoji in reaction.emoji {
        // With or without the sign that it is to be drawn in colour, it is the same.
        let key = XEP0444Reactions.bare(emoji)
        if said[key] == nil { order.append(key) }
        var entry = said[key] ?? (emoji: format.shown(emoji), names: [], isOwn: false)
        entry.names.append(name)
        if reaction.isOwn { entry.isOwn = true }
        said[key] = entry
      }
    }
    let entries = order.compactMap { said[$0] }
    counts = entries.map { entry in
      let text = entry.emoji + (entry.names.count > 1 ? " \(entry.names.count)" : "")
      return entry.isOwn ? "[\(text)]" : text
    }.joined(separator: "  ")
    names = entries.map { $0.emoji + " " + format.localizer.list($0.names) }
      .joined(separator: format.glyphs.isLinear ? "; " : "  ")
  }
}
