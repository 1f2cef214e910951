/// Sizes as people read them.
package enum ByteCount {
  /// `812 B`, `4.2 kB`, `31 MB`: three digits at most before the unit, decimal ones as disks and networks have them.
  package static func text(_ count: Int) -> String {
    if count < 1000 { return "\(max(0, count)) B" }
    var value = Double(count)
    var unit = ""
    for next in ["kB", "MB", "GB", "TB", "PB"] {
      value /= 1000
      unit = next
      if value < 999.5 { break }
    }
    if value < 9.95 {
      let tenths = Int((value * 10).rounded())
      return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
    return "\(Int(value.rounded())) \(unit)"
  }
}
