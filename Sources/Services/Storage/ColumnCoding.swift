import FoundationEssentials
import NatterCore
import SQLite
import XML
import XMPP

/// The conversion of domain values to column values and back.
enum ColumnCoding {
  /// Microseconds are exact in a `Date` between the years 1700 and 2240; times outside are moved to
  /// the nearest of these.
  static func microseconds(_ date: Date) -> Int64 {
    let limit = 8_500_000_000_000_000.0
    let value = (date.timeIntervalSince1970 * 1_000_000).rounded()
    return value.isNaN ? 0 : Int64(min(max(value, -limit), limit))
  }

  static func date(_ microseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }

  /// Returns the parts of a JID that was prepared before it was stored (RFC 7622 §3.1).
  static func jid(_ text: String) -> JID {
    JID(prepared: text)
  }

  /// Returns the address in a column, which is not NULL.
  static func jid(_ row: Row, _ column: Int) -> JID {
    row.withUTF8(column) { JID(prepared: $0) }
  }

  /// Returns the element of `text`; `nil` when it is none.
  static func element(_ text: String) -> Element? {
    let parser = XMLStreamParser()
    let stream = XMLWriter().streamHeader([:]) + Array(text.utf8)
    guard let events = try? parser.feed(stream) else { return nil }
    for case .element(let element) in events { return element }
    return nil
  }

  /// Joins texts without line ends for one column; `nil` where there are none.
  static func text(ofLines lines: [String]) -> String? {
    lines.isEmpty ? nil : lines.joined(separator: "\n")
  }

  static func lines(_ text: String?) -> [String] {
    text.map { $0.split(separator: "\n").map(String.init) } ?? []
  }

  static func name(of delivery: Delivery?) -> String? {
    switch delivery {
    case nil: nil
    case .queued: "queued"
    case .sent: "sent"
    case .delivered: "delivered"
    case .read: "read"
    case .failed: "failed"
    }
  }

  static func delivery(_ name: String?, failure: String?) -> Delivery? {
    switch name {
    case "queued": .queued
    case "sent": .sent
    case "delivered": .delivered
    case "read": .read
    case "failed": .failed(reason: failure ?? "")
    default: nil
    }
  }
}

extension Delivery {
  /// The reason of `.failed`.
  var failure: String? {
    if case .failed(let reason) = self { reason } else { nil }
  }

  /// Returns `true` if a report of `next` is accepted: states advance only.
  ///
  /// A message may fail until a client of the recipient has it. A failed message can be queued
  /// again, and a message that was given up here may have arrived after all.
  func mayBecome(_ next: Delivery) -> Bool {
    switch (self, next) {
    case (.queued, .failed), (.sent, .failed), (.failed, .queued): true
    case (.failed(let old), .failed(let new)): old != new
    case (.failed, .sent), (.failed, .delivered), (.failed, .read): true
    case (_, .failed), (_, .queued): false
    case (.queued, _): true
    case (.sent, .delivered), (.sent, .read), (.delivered, .read): true
    case (.sent, .sent), (.delivered, _), (.read, _): false
    }
  }
}
