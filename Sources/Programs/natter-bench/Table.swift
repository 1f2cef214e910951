import Foundation

/// The layout of figures in tables.
enum Table {
  /// A name, followed by figures in aligned columns.
  static func row(_ name: String, _ figures: String...) -> String {
    name.padding(toLength: 30, withPad: " ", startingAt: 0)
      + figures.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
  }

  /// The value that `part` of the figures do not exceed; 0.5 is the median, 1 the greatest. There
  /// is at least one figure.
  static func percentile(_ part: Double, of figures: [Double]) -> Double {
    let sorted = figures.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}
