import FoundationEssentials
import XML

/// The local time of an entity (XEP-0202).
package struct XEP0202Time: Hashable, Sendable {
  package let utc: Date
  /// The offset in seconds east of UTC, less than a day.
  package let offset: Int

  package init(utc: Date, offset: Int) {
    self.utc = utc
    self.offset = offset
  }

  /// Reads a `<time/>`; `nil` when `element` is something else, or a part is missing or malformed.
  package init?(_ element: Element) {
    guard element.is("time", Namespace.time),
      let utc = element.first("utc", Namespace.time).flatMap({ XEP0082DateTime.date(from: $0.text) }
      ),
      let zone = element.first("tzo", Namespace.time)?.text, let offset = Self.seconds(in: zone)
    else { return nil }
    self.init(utc: utc, offset: offset)
  }

  package var element: Element {
    let minutes = abs(offset) / 60
    func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let zone = (offset < 0 ? "-" : "+") + pad(minutes / 60) + ":" + pad(minutes % 60)
    return Element(
      "time", Namespace.time, [:],
      [
        Element("tzo", Namespace.time, text: zone),
        Element("utc", Namespace.time, text: XEP0082DateTime.text(for: utc)),
      ])
  }

  private static func seconds(in zone: String) -> Int? {
    if zone == "Z" { return 0 }
    // `+05:30` has six bytes.
    guard zone.utf8.count <= 16 else { return nil }
    let parts = zone.dropFirst().split(separator: ":").map { Int($0) }
    // `Int` accepts a `+` or `-` in front of a number, so check the ranges.
    guard parts.count == 2, let hours = parts[0], let minutes = parts[1],
      (0..<24).contains(hours), (0..<60).contains(minutes),
      let sign = zone.first, sign == "+" || sign == "-"
    else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
