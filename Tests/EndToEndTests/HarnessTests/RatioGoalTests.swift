import TestSupport
import Testing

/// The arithmetic behind the verdicts of `natter-bench scripts`.
struct RatioGoalTests {
  @Test func `a goal is reached up to its limit, and not beyond`() {
    #expect(RatioGoal("a", 6, to: 5, limit: 1.2).holds)
    #expect(RatioGoal("a", 6, to: 4, limit: 1.5).ratio == 1.5)
    #expect(RatioGoal("a", 6, to: 4, limit: 1.5).holds)
    #expect(!RatioGoal("a", 7, to: 4, limit: 1.5).holds)
  }

  @Test func `nothing beside nothing is good, and something beside nothing is not`() {
    #expect(RatioGoal("wakes", 0, to: 0, limit: 1).holds)
    #expect(!RatioGoal("wakes", 1, to: 0, limit: 1).holds)
  }

  @Test func `what is no number reaches no goal`() {
    #expect(!RatioGoal("a", .nan, to: 1, limit: 2).holds)
    #expect(!RatioGoal("a", .infinity, to: 1, limit: 2).holds)
  }

  @Test func `texts have the time of their first line, and a line without an end is not read`() {
    let texts = StampedTexts("one 100\ntwo words 250\none 300\nnonsense\nthree x\nfour 40")
    #expect(texts["one"] == 100)
    #expect(texts["two words"] == 250)
    #expect(texts["nonsense"] == nil)
    #expect(texts["three"] == nil)
    #expect(texts["four"] == nil)
    #expect(StampedTexts("")["one"] == nil)
  }

  @Test func `a time of another program is one of this program's clock`() throws {
    let before = ContinuousClock.now
    let stamp = StampedTexts.now
    let after = ContinuousClock.now
    let instant = try #require(StampedTexts("now \(stamp)\n").instant(of: "now"))
    // It is converted by two clocks, which are read one after the other.
    #expect(before - .seconds(1) <= instant)
    #expect(instant <= after + .seconds(1))
  }
}
