import NatterCore
import Text
import XMPP

/// The reactions to a message, in a line below it.
nonisolated struct ReactionLine {
  /// Each emoji with its count, the user's own in brackets.
  let counts: String
  /// Each emoji with the names of its senders.
  let names: String

  /// - Parameter totals: the counts, if `reactions` does not contain all of them.
  init(
    _ reactions: [Message.Reaction], totals: [Message.ReactionTotal] = [], format: ItemFormat,
    people: People
  ) {
    let numbers = Dictionary(
      totals.map { (XEP0444Reactions.bare($0.emoji), $0.people) }, uniquingKeysWith: max)
    var order: [String] = []
    var said: [String: (emoji: String, names: [String], isOwn: Bool)] = [:]
    for reaction in reactions {
      let name =
        reaction.isOwn
        ? format.localizer("timeline.you") : format.shown(people.shortName(of: reaction.sender))
      for emoji in reaction.emoji {
        // An emoji is the same with or without the variation selector for colour.
        let key = XEP0444Reactions.bare(emoji)
        if said[key] == nil { order.append(key) }
        var entry = said[key] ?? (emoji: format.shown(emoji), names: [], isOwn: false)
        entry.names.append(name)
        if reaction.isOwn { entry.isOwn = true }
        said[key] = entry
      }
    }
    for total in totals {
      let key = XEP0444Reactions.bare(total.emoji)
      guard said[key] == nil else { continue }
      order.append(key)
      said[key] = (emoji: format.shown(total.emoji), names: [], isOwn: false)
    }
    let entries = order.compactMap { key in
      said[key].map { (entry: $0, count: max(numbers[key] ?? 0, $0.names.count)) }
    }
    counts = entries.map { entry, count in
      let text = entry.emoji + (count > 1 ? " \(count)" : "")
      return entry.isOwn ? "[\(text)]" : text
    }.joined(separator: "  ")
    names = entries.map { entry, count in
      let more = count - entry.names.count
      let rest = more > 0 ? [format.localizer.plural("timeline.moreReactors", more)] : []
      return entry.emoji + " " + format.localizer.list(entry.names + rest)
    }.joined(separator: format.glyphs.isLinear ? "; " : "  ")
  }
}
