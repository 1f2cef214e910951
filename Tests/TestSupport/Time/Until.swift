// There is no Swift Testing to be linked statically: what only tests call is left out where
// `natter-bench` is.
#if canImport(Testing)
  import Testing

  /// Checks repeatedly until `condition` holds, where no notification exists. The test fails after
  /// a minute, or longer on a slow machine (`withPatience`).
  package func until(
    _ what: Comment = "it did not come about", isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + Duration.seconds(60).withPatience
    while ContinuousClock.now < deadline {
      if try await condition() { return }
      // Other tests run at the same time: polling without a pause would delay them.
      try await Task.sleep(for: .milliseconds(1))
    }
    Issue.record(what, sourceLocation: sourceLocation)
  }
#endif
