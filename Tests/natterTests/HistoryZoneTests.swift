import Testing

@testable import natter

@Suite struct HistoryZoneTests {
  @Test(arguments: [
    ("UTC", HistoryZone.fixed(0)), ("Z", .fixed(0)), ("+02:00", .fixed(7200)),
    ("-0530", .fixed(-19_800)),
  ])
  func `a zone can be an offset`(text: String, expected: HistoryZone) {
    #expect(HistoryZone(text) == expected)
  }

  @Test func `a zone can be a name, and is not that of this process`() throws {
    let offsets = try #require(HistoryZone("Europe/Paris")).offsets
    // Noon of 15 January and of 15 July 2024.
    #expect(offsets(1_705_320_000) == 3600 && offsets(1_721_044_800) == 7200)
    #expect(HistoryZone("Asia/Kolkata")?.offsets(1_705_320_000) == 19_800)
  }

  @Test(arguments: [
    "", "+", "+2", "+25:00", "+02:60", "+0:200", "Nowhere", "../Europe/Paris", "/etc/passwd",
    "Europe",
  ])
  func `anything else is none`(text: String) {
    #expect(HistoryZone(text) == nil)
  }

  @Test func `an offset is the same at all times`() {
    let offset = HistoryZone.fixed(-3600).offsets
    #expect(offset(0) == -3600 && offset(1_800_000_000) == -3600)
  }

  @Test func `times outside the calendar have an offset, too`() {
    for local in [Int.min / 4, -1, Int.max / 4] {
      #expect(abs(HistoryZone.here(local)) <= 86_400)
    }
  }
}
