import Foundation

/// Tests that take over twenty seconds, or that have more of the same than a default run.
package enum LongTests {
  /// Indicates whether they run: with NATTER_LONG_TESTS=1, as `.ci/run long` sets it.
  package static let areOn = ProcessInfo.processInfo.environment["NATTER_LONG_TESTS"] == "1"

  /// The size of a test that has one for each kind of run.
  package static func size(_ usual: Int, long: Int) -> Int { areOn ? long : usual }
}

// There is no Swift Testing to be linked statically: what only tests call is left out where
// `natter-bench` is.
#if canImport(Testing)
  import Testing

  extension Trait where Self == ConditionTrait {
    /// Runs the suite only among the long tests. Its name ends in `LongTests`, by which `.ci/run
    /// long` finds it.
    ///
    /// The names of its tests say what they prove, and a shorter test of the default run covers the
    /// same ground with less.
    package static var long: Self {
      .enabled(if: LongTests.areOn, "takes long: .ci/run long runs it")
    }
  }
#endif
