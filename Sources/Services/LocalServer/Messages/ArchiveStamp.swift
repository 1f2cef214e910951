import FoundationEssentials
import XMPP

/// The times of archived messages, whose ids are microseconds since 1970-01-01 UTC.
enum ArchiveStamp {
  /// Returns the time of the message with `id` (XEP-0082), in milliseconds rounded down.
  static func text(of id: Int64) -> String {
    XEP0082DateTime.text(for: Date(timeIntervalSince1970: Double(id / 1000) / 1000))
  }
}
