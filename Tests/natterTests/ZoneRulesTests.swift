import Testing

@testable import natter

/// Offsets out of files of the zone database, and the rules in their footers.
@Suite struct ZoneRulesTests {
  /// The bytes of a number, the highest one first.
  private func bytes(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// One of the two parts of a file.
  private func part(
    _ changes: [(moment: Int, type: Int)], _ offsets: [Int], width: Int
  ) -> [UInt8] {
    var file: [UInt8] = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, 0, changes.count, offsets.count, 4] { file += bytes(count, 4) }
    for change in changes { file += bytes(change.moment, width) }
    file += changes.map { UInt8($0.type) }
    for offset in offsets { file += bytes(offset, 4) + [0, 0] }
    return file + Array("ABC\0".utf8)
  }

  /// A zone that is one hour east of UTC until 1,000,000, two hours until 2,000,000, one hour
  /// afterwards, and then as the footer says.
  private func file(_ footer: String = "") -> [UInt8] {
    part([], [0], width: 4)
      + part([(1_000_000, 1), (2_000_000, 0)], [3600, 7200], width: 8)
      + Array("\n\(footer)\n".utf8)
  }

  @Test func `each moment has the offset that began last`() throws {
    let rules = try #require(ZoneRules(file()))
    #expect([0, 999_999].map(rules.offset(at:)) == [3600, 3600])
    #expect([1_000_000, 1_999_999].map(rules.offset(at:)) == [7200, 7200])
    #expect([2_000_000, 4_000_000_000].map(rules.offset(at:)) == [3600, 3600])
  }

  @Test func `local times that are there twice or not at all have the earlier offset`() throws {
    let rules = try #require(ZoneRules(file()))
    // 1,003,600 to 1,007,199 are left out, 2,003,600 to 2,007,199 are there twice.
    #expect([1_003_599, 1_003_600, 1_007_200].map(rules.offset(ofLocal:)) == [3600, 3600, 7200])
    #expect([2_003_600, 2_007_199, 2_007_200].map(rules.offset(ofLocal:)) == [7200, 7200, 3600])
    #expect([Int.min, -1, Int.max].map(rules.offset(ofLocal:)) == [3600, 3600, 3600])
  }

  @Test(arguments: [
    // The last Sundays of March and October 2027, at 01:00 UTC.
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_806_195_599, 3600),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_806_195_600, 7200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_824_944_399, 7200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_824_944_400, 3600),
    // Summer is around the new year.
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_798_761_600, 39_600),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_814_400_000, 36_000),
    ("<+0545>-5:45", 1_800_000_000, 20_700),
    // 1 March, which a leap year has a day later, and its 60th day, 29 February.
    ("AAA3BBB,J60/0,J61/0", 1_835_492_400, -7200), ("AAA3BBB,J60/0,J61/0", 1_835_492_399, -10_800),
    ("AAA3BBB,59/0,60/0", 1_835_406_000, -7200), ("AAA3BBB,59/0,60/0", 1_835_405_999, -10_800),
  ])
  func `the footer says what comes afterwards`(footer: String, moment: Int, offset: Int) throws {
    #expect(try #require(ZoneRules(file(footer))).offset(at: moment) == offset)
  }

  @Test(arguments: [
    "X1", "ABC", "ABC25", "ABC1DEF", "ABC1DEF,M3.5.0", "ABC1DEF,M13.5.0,M10.5.0",
    "ABC1DEF,M3.6.0,M10.5.0", "ABC1DEF,J0,J1", "ABC1DEF,366,1", "ABC1DEF,1,2/168", "<ABC1",
    "ABC1 ",
  ])
  func `a footer that is none makes the file none`(footer: String) {
    #expect(ZoneRules(file(footer)) == nil)
  }

  @Test func `damaged files are none, or have some offset`() {
    let whole = file("CET-1CEST,M3.5.0,M10.5.0/3")
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0xFF
      _ = ZoneRules(damaged)?.offset(ofLocal: 1_800_000_000)
      _ = ZoneRules(Array(whole.prefix(index)))?.offset(ofLocal: 1_800_000_000)
    }
    #expect(ZoneRules(Array(whole.prefix(60))) == nil)
    #expect(ZoneRules([]) == nil && ZoneRules(Array("no zone".utf8)) == nil)
    #expect(ZoneRules(whole + [UInt8](repeating: 0, count: ZoneRules.byteLimit)) == nil)
  }
}
