import Foundation

/// Figures as people read them.
enum Table {
  /// A name, and figures in columns below each other.
  static func row(_ name: String, _ figures: String...) -> String {
    name.padding(toLength: 30, withPad: " ", startingAt: 0)
      + figures.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
  }

  /// What `part` of the figures, of which there is at least one, are at most; 0.5 is the median, 1 the greatest.
  static func percentile(_ part: Double, of figures: [Double]) -> Double {
    let sorted = figures.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}
