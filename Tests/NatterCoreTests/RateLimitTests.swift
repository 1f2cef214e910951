import Testing

@testable import NatterCore

/// Rates, floods and scopes as values.
@Suite struct RateLimitTests {
  @Test func `a burst is free, then the rate decides`() {
    var limit = RateLimit(2, burst: 3)
    // In milliseconds; no more than the burst after a long pause.
    let times = [0, 0, 0, 0, 250, 500, 500, 90_000, 90_000, 90_000, 90_000]
    let pauses = times.map { limit.take(at: .milliseconds($0))?.milliseconds }
    #expect(pauses == [nil, nil, nil, 500, 250, nil, 500, nil, nil, nil, 500])
  }

  @Test func `more than a thousand refusals in ten seconds are a flood`() {
    var floods = FloodDetector()
    let few = (0..<1000).map { _ in floods.note(at: .seconds(1)) }
    #expect(!few.contains(true))
    let (many, later) = (floods.note(at: .seconds(2)), floods.note(at: .seconds(12)))
    #expect(many)
    #expect(!later)
  }

  @Test(arguments: [
    (["all"], true, true), (["direct"], true, false), (["rooms"], false, true), ([], false, false),
  ])
  func `a scope is read`(names: [String], hasDirect: Bool, hasRooms: Bool) throws {
    let scope = try #require(BridgeScope(names))
    #expect(scope.hasDirect == hasDirect)
    #expect(scope.hasRooms == hasRooms)
    #expect(BridgeScope(["people"]) == nil)
    #expect(BridgeScope(["a@b"])?.addresses.count == 1)
  }
}
