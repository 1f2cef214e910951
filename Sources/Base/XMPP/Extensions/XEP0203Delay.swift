import FoundationEssentials
import XML

/// `<delay/>`, the time when a late stanza was sent (XEP-0203), or the `<x/>` of older programs
/// (XEP-0091).
package struct XEP0203Delay: Hashable, Sendable {
  package let stamp: Date
  /// The `from` of the entity that delayed the stanza, parsed.
  package let origin: AddressAttribute
  /// The entity that delayed the stanza; `nil` when it is missing or not an address.
  package var from: JID? { origin.jid }

  package init(stamp: Date, from: JID?) {
    self.init(stamp: stamp, origin: from.map { .address($0) } ?? .absent)
  }

  private init(stamp: Date, origin: AddressAttribute) {
    self.stamp = stamp
    self.origin = origin
  }

  /// Reads a `<delay/>` or the legacy `<x/>`; `nil` when `element` is something else, or has no
  /// valid timestamp.
  package init?(_ element: Element) {
    let isOld = element.is("x", Self.oldNamespace)
    guard isOld || element.is("delay", Namespace.delay),
      let text = element["stamp"], text.utf8.count <= Self.longestStamp,
      let stamp = Self.date(from: isOld ? Self.withHyphens(text) : text)
    else { return nil }
    self.init(stamp: stamp, origin: element.address("from"))
  }

  package static let oldNamespace = "jabber:x:delay"
  /// The longest text that is read as a time, in bytes.
  private static let longestStamp = 256

  /// Parses a timestamp. Both specifications use UTC, so a timestamp without a zone counts as UTC.
  private static func date(from text: String) -> Date? {
    XEP0082DateTime.date(from: text) ?? XEP0082DateTime.date(from: text + "Z")
  }

  /// Converts `20020910T23:08:25` to `2002-09-10T23:08:25` (XEP-0091 §2); returns anything else
  /// unchanged.
  private static func withHyphens(_ text: String) -> String {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 8, parts[0].utf8.allSatisfy({ 48...57 ~= $0 })
    else { return text }
    let day = parts[0]
    return "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))T\(parts[1])"
  }

  package var element: Element {
    var element = Element(
      "delay", Namespace.delay, ["stamp": XEP0082DateTime.text(for: stamp)])
    element["from"] = from?.description
    return element
  }
}

/// The times before which a delay cannot be genuine: its sender wrote it in another's name.
package struct EarliestDelays: Hashable, Sendable {
  /// For delays in the name of the account's server.
  package let server: Date
  /// For delays in the name of the room that a message is from.
  package let room: Date

  package init(server: Date = .distantPast, room: Date = .distantPast) {
    (self.server, self.room) = (server, room)
  }
}
