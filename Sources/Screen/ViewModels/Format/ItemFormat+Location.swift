import NatterCore
import Text
import XMPP

nonisolated extension ItemFormat {
  /// Returns `⌖ 48.85660, 2.35220 ± 30 m  Café at the corner`, the description as received.
  package func text(of location: SharedLocation) -> String {
    let point = location.point
    var text = [point.latitude, point.longitude].map { GeoURI.fixed($0, digits: 5) }
      .joined(separator: ", ")
    if let accuracy = point.accuracy {
      text += " \(glyphs.accuracy) \(GeoURI.fixed(accuracy.rounded(.up), digits: 0)) m"
    }
    if !location.text.isEmpty { text += "  " + shown(location.text) }
    return glyphs.isLinear
      ? localizer("timeline.location", ["location": text]) : "\(glyphs.location) \(text)"
  }
}
