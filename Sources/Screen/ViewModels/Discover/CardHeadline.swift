import FoundationEssentials
import Text
import XMPP

/// The line above the cards of a page of Discover: their source, its age, and the additions that
/// wait for a connection.
nonisolated struct CardHeadline {
  /// The name of the source, or the number of sources.
  let source: String
  let isReading: Bool
  /// The time of the oldest of the shown copies; `nil` if nothing was loaded yet.
  let readAt: Date?
  /// The addresses of the pending additions.
  var waiting: [JID] = []

  func text(_ format: ItemFormat, now: Date) -> String {
    let localizer = format.localizer
    var text = source
    if isReading {
      text = localizer("discover.reading", ["place": source])
    } else if let readAt {
      text = localizer("discover.asOf", ["place": source, "time": format.moment(readAt, now: now)])
    }
    guard !waiting.isEmpty else { return text }
    return localizer(
      "discover.waitingFor",
      ["place": text, "names": waiting.map(\.description).joined(separator: ", ")])
  }
}
