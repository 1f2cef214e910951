import CCurl
import FoundationEssentials

/// Dates in headers (RFC 9110 §5.6.7), in each of the forms that servers use.
package enum HTTPDate {
  /// The date that `text` says; `nil` for what is none.
  package static func date(from text: String) -> Date? {
    let seconds = curl_getdate(text, nil)
    return seconds == -1 ? nil : Date(timeIntervalSince1970: Double(seconds))
  }
}
