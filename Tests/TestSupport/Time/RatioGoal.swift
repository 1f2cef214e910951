/// A figure beside another one that was measured in the same run, and the greatest ratio of both
/// that is good. It says something on any machine, which a time in seconds does not.
package struct RatioGoal: Sendable {
  /// What is compared.
  package let name: String
  /// The figure, in the unit of `base`.
  package let figure: Double
  /// What it is compared with.
  package let base: Double
  /// The greatest good ratio.
  package let limit: Double

  package init(_ name: String, _ figure: Double, to base: Double, limit: Double) {
    (self.name, self.figure, self.base, self.limit) = (name, figure, base, limit)
  }

  /// The figure divided by the base; infinite when only the base is 0, and 0 when both are.
  package var ratio: Double { base > 0 ? figure / base : figure > 0 ? .infinity : 0 }

  /// Indicates whether the goal is reached. A figure that is no number reaches none.
  package var holds: Bool { ratio <= limit }
}
