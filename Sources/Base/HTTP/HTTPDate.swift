import CCurl
import FoundationEssentials

/// Dates in headers (RFC 9110 §5.6.7), in each of the forms that servers use.
package enum HTTPDate {
  /// Returns the date in `text`; `nil` if it is not valid.
  package static func date(from text: String) -> Date? {
    let seconds = curl_getdate(text, nil)
    return seconds == -1 ? nil : Date(timeIntervalSince1970: Double(seconds))
  }
}
