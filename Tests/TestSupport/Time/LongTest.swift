// There is no Swift Testing to be linked statically: what only tests call is left out where `natter-bench` is.
#if canImport(Testing)
  import Foundation
  import Testing

  extension Trait where Self == ConditionTrait {
    /// Runs the test or suite only with NATTER_LONG_TESTS=1, as `.ci/run long` sets it: it takes over twenty seconds.
    ///
    /// Its name says what it proves, and a shorter test of the default run covers the same ground with less.
    package static var long: Self {
      .enabled(
        if: ProcessInfo.processInfo.environment["NATTER_LONG_TESTS"] == "1",
        "takes long: .ci/run long runs it")
    }
  }
#endif
