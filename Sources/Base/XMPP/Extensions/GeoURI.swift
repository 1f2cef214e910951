/// A point on the earth as a `geo:` URI names it (RFC 5870), in WGS 84.
package struct GeoURI: Hashable, Sendable {
  /// Degrees, -90 to 90, north of the equator.
  package let latitude: Double
  /// Degrees, -180 to 180, east of Greenwich.
  package let longitude: Double
  /// The radius of uncertainty in metres, 0 or more (`u`, §3.4.3); `nil`: unknown.
  package let accuracy: Double?

  /// Longer texts are no URIs of points.
  private static let lengthLimit = 256
  /// The greatest accuracy, in metres: more than the earth's circumference.
  private static let accuracyLimit = 100_000_000.0

  /// Returns `nil` if a value is out of its range, or no number.
  package init?(latitude: Double, longitude: Double, accuracy: Double? = nil) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    if let accuracy {
      guard (0...Self.accuracyLimit).contains(accuracy) else { return nil }
    }
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
  }

  /// Reads a URI (§3.3). An altitude and unknown parameters are ignored, and so is the zoom level
  /// that some clients append (`?z=15`).
  ///
  /// Returns `nil` if `text` is anything else, in particular where the coordinates are in another
  /// system than WGS 84, out of range, with an exponent, or with more digits than a point needs.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.lengthLimit, Self.hasScheme(text)
    else { return nil }
    var rest = Substring(text.utf8.dropFirst(4))
    if let query = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      guard Self.isZoom(rest[rest.utf8.index(after: query)...]) else { return nil }
      rest = rest[..<query]
    }
    let parts = rest.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let numbers = parts[0].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { Self.number(Substring($0)) }
    guard (2...3).contains(numbers.count), numbers.allSatisfy({ $0 != nil }),
      let latitude = numbers[0], let longitude = numbers[1],
      let parameters = Self.parameters(parts.dropFirst().map { Substring($0) })
    else { return nil }
    var accuracy: Double?
    if let radius = parameters["u"] {
      guard let metres = Self.number(Substring(radius)), metres >= 0 else { return nil }
      accuracy = metres
    }
    if let system = parameters["crs"], system.lowercased() != "wgs84" { return nil }
    self.init(latitude: latitude, longitude: longitude, accuracy: accuracy)
  }

  /// Returns whether a text begins with the scheme.
  package static func hasScheme(_ text: String) -> Bool {
    // Every text that is read is asked.
    let scheme = text.utf8.prefix(4)
    return scheme.last == UInt8(ascii: ":")
      && scheme.dropLast().elementsEqual("geo".utf8) { $0 | 0x20 == $1 }
  }

  /// The URI, with at most 7 digits after the point: a centimetre.
  package var text: String {
    "geo:\(Self.trimmed(latitude)),\(Self.trimmed(longitude))"
      + (accuracy.map { ";u=\(Self.trimmed($0))" } ?? "")
  }

  /// Returns a number with a fixed count of digits after the point.
  /// - Parameter digits: 0 to 7.
  package static func fixed(_ value: Double, digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let text = String(scaled)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    let minus = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return minus + padded }
    return minus + padded.dropLast(digits) + "." + padded.suffix(digits)
  }

  /// Returns a number without zeros at the end of its fraction.
  package static func trimmed(_ value: Double) -> String {
    var text = Substring(fixed(value, digits: 7))
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return String(text)
  }

  /// Reads `-?digits[.digits]` (§3.3, `num`) of a length that a coordinate can have.
  package static func number(_ text: Substring) -> Double? {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...9).contains(parts[0].count),
      parts.count == 1 || (1...17).contains(parts[1].count),
      parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    return Double(String(text))
  }

  /// Returns the parameters by their names in lower case; `nil` if one is malformed or there twice.
  private static func parameters(_ parts: [Substring]) -> [String: String]? {
    var values: [String: String] = [:]
    for part in parts {
      let pair = part.utf8.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(Substring(pair[0])).lowercased()
      let value = pair.count > 1 ? String(Substring(pair[1])) : ""
      guard !name.isEmpty, name.utf8.allSatisfy(isNameByte), value.utf8.allSatisfy(isValueByte),
        pair.count == 1 || !value.isEmpty, values.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    return values
  }

  private static func isZoom(_ query: Substring) -> Bool {
    query.utf8.starts(with: "z=".utf8) && (3...4).contains(query.utf8.count)
      && query.utf8.dropFirst(2).allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
  }

  private static func isValueByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      || "-_.!~*'()[]:&+$%".utf8.contains(byte)
  }
}
