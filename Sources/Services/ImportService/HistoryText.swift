import BoundedText
import FoundationEssentials
import XMPP

/// Text and times of histories, as messages of this program may have them.
package enum HistoryText {
  /// The longest body that is read, in bytes.
  package static let limit = 1 << 20
  /// The most scalars of a nick that are read. An address has fewer (RFC 7622 §3.1).
  static let nickLimit = 1024
  /// The longest id that is read, in bytes.
  static let idLimit = 1024

  /// Returns a body: ill-formed UTF-8 becomes U+FFFD, NUL is dropped; `nil` if it is over the
  /// limit.
  static func body(_ bytes: some Collection<UInt8>) -> String? {
    guard bytes.count <= limit else { return nil }
    guard bytes.contains(0) else { return String(bounding: bytes) }
    return String(bounding: bytes.filter { $0 != 0 })
  }

  /// Does the same with text that was read already.
  static func body(_ text: String) -> String? {
    guard text.utf8.count <= limit else { return nil }
    guard text.utf8.contains(0) else { return text.bounded }
    return String(bounding: text.utf8.filter { $0 != 0 })
  }

  /// Returns an id; `nil` if there is none, or none that a message could have.
  static func id(_ text: String?) -> String? {
    guard let text, !text.isEmpty, text.utf8.count <= idLimit, !text.utf8.contains(0) else {
      return nil
    }
    return text
  }

  /// Returns a time; `nil` outside the years 1970 to 9999.
  /// - Parameter seconds: since 1970.
  static func time(_ seconds: Double) -> Date? {
    guard seconds > 0, seconds < 253_402_300_800 else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  /// Returns whether a text is the address of a file, and nothing else.
  static func isFileAddress(_ text: String) -> Bool {
    let beginning = Substring(text.utf8.prefix(9)).lowercased()
    guard ["https://", "http://", "aesgcm://"].contains(where: beginning.hasPrefix) else {
      return false
    }
    return !text.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
  }
}
