/// Formats sizes for display.
package enum ByteCount {
  /// The default names of the units.
  package static let units = ["B", "kB", "MB", "GB", "TB", "PB"]

  /// Formats as `812 B`, `4.2 kB`, `31 MB`: at most three digits before the unit, in decimal units
  /// as disks and networks use them.
  /// - Parameters:
  ///   - units: bytes first, each a thousand times the previous one.
  ///   - point: the decimal separator.
  package static func text(_ count: Int, units: [String] = units, point: String = ".") -> String {
    if count < 1000 { return "\(max(0, count)) \(units.first ?? "")" }
    var value = Double(count)
    var unit = ""
    for next in units.dropFirst() {
      value /= 1000
      unit = next
      if value < 999.5 { break }
    }
    if value < 9.95 {
      let tenths = Int((value * 10).rounded())
      return "\(tenths / 10)\(point)\(tenths % 10) \(unit)"
    }
    return "\(Int(value.rounded())) \(unit)"
  }
}
