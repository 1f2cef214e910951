import XML

/// A location that an element describes (XEP-0080).
package struct XEP0080Location: Hashable, Sendable {
  package static let namespace = "http://jabber.org/protocol/geoloc"

  /// The coordinates.
  package let point: GeoURI
  /// The description, the address and the remarks, in one line; empty if there are none.
  package let text: String

  package init(_ point: GeoURI, text: String) {
    self.point = point
    self.text = text
  }

  /// Reads a `<geoloc/>`; `nil` if it has no coordinates, or such as `GeoURI` refuses, or in
  /// another datum than WGS 84.
  package init?(_ element: Element) {
    guard element.is("geoloc", Self.namespace),
      let latitude = Self.number("lat", of: element),
      let longitude = Self.number("lon", of: element)
    else { return nil }
    if let datum = element.first("datum", Self.namespace)?.text.withoutBlanksAround,
      !datum.isEmpty, datum.lowercased() != "wgs84"
    {
      return nil
    }
    let accuracy = Self.number("accuracy", of: element)
    let point =
      GeoURI(latitude: latitude, longitude: longitude, accuracy: accuracy)
      ?? GeoURI(latitude: latitude, longitude: longitude)
    guard let point else { return nil }
    self.init(point, text: Self.text(of: element) ?? "")
  }

  package var element: Element {
    var element = Element("geoloc", Self.namespace)
    func add(_ name: String, _ text: String) {
      element.append(Element(name, Self.namespace, text: text))
    }
    if let accuracy = point.accuracy { add("accuracy", GeoURI.trimmed(accuracy)) }
    if !text.isEmpty { add("description", text) }
    add("lat", GeoURI.trimmed(point.latitude))
    add("lon", GeoURI.trimmed(point.longitude))
    return element
  }

  /// Returns the texts of a `<geoloc/>`, the nearest surroundings first; `nil` if it has none.
  static func text(of element: Element) -> String? {
    let parts = [
      "description", "room", "building", "street", "locality", "region", "country", "text",
    ].compactMap { element.first($0, namespace)?.text.withoutBlanksAround }
      .filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func number(_ name: String, of element: Element) -> Double? {
    element.first(name, namespace).flatMap { GeoURI.number($0.text.withoutBlanksAround[...]) }
  }
}

extension MessageStanza {
  /// The location that it shares (XEP-0080); `nil` if there is none with coordinates.
  package var location: XEP0080Location? {
    element.first("geoloc", XEP0080Location.namespace).flatMap { XEP0080Location($0) }
  }
}
