/// Sizes as people read them.
package enum ByteCount {
  /// What units are called where nobody says otherwise.
  package static let units = ["B", "kB", "MB", "GB", "TB", "PB"]

  /// `812 B`, `4.2 kB`, `31 MB`: three digits at most before the unit, decimal ones as disks and networks have them.
  /// - Parameters:
  ///   - units: bytes first, each a thousand of the one before.
  ///   - point: what stands before tenths.
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
