import Testing

@testable import ConnectionService

@Suite struct ResumptionHealthTests {
  @Test func `deaf twice in a row`() {
    var resumptionHealth = ResumptionHealth()
    for _ in 0..<3 {
      resumptionHealth.wasDeaf()
      resumptionHealth.wasSettled()
      #expect(!resumptionHealth.isDeaf)
      resumptionHealth.wasHeard()
    }
    resumptionHealth.wasDeaf()
    resumptionHealth.wasDeaf()
    #expect(resumptionHealth.isDeaf && !resumptionHealth.isStuck)
  }

  @Test func `cut off at its beginning four times in a row`() {
    var resumptionHealth = ResumptionHealth()
    for _ in 0..<3 {
      for _ in 0..<3 { resumptionHealth.wasCutOff() }
      resumptionHealth.wasHeard()
      #expect(!resumptionHealth.isStuck)
      resumptionHealth.wasSettled()
    }
    for _ in 0..<4 { resumptionHealth.wasCutOff() }
    #expect(resumptionHealth.isStuck && !resumptionHealth.isDeaf)
  }
}
