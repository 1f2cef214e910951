import Testing

@testable import ConnectionService

@Suite struct ResumptionHealthTests {
  @Test func `deaf twice in a row`() {
    var trials = ResumptionHealth()
    for _ in 0..<3 {
      trials.wasDeaf()
      trials.wasSettled()
      #expect(!trials.isDeaf)
      trials.wasHeard()
    }
    trials.wasDeaf()
    trials.wasDeaf()
    #expect(trials.isDeaf && !trials.isStuck)
  }

  @Test func `cut off at its beginning four times in a row`() {
    var trials = ResumptionHealth()
    for _ in 0..<3 {
      for _ in 0..<3 { trials.wasCutOff() }
      trials.wasHeard()
      #expect(!trials.isStuck)
      trials.wasSettled()
    }
    for _ in 0..<4 { trials.wasCutOff() }
    #expect(trials.isStuck && !trials.isDeaf)
  }
}
