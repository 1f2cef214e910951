import Foundation
import TestSupport
import Testing

@testable import natter

/// Starts with scripts after which the program has crashed.
@Suite struct ScriptStartsTests {
  private func starts(_ crashes: Int..., in folder: TemporaryFolder) throws -> ScriptStarts {
    for time in crashes { try folder.write("natter 0.9\n", to: "crash-\(time).txt") }
    return ScriptStarts(
      folder.path("scripts/starts"), CrashReports(directory: folder.root))
  }

  private func begin(_ starts: ScriptStarts, at time: TimeInterval) throws -> Bool {
    try starts.begin(at: Date(timeIntervalSince1970: time))
  }

  @Test func `after two crashes the third start is without scripts, and the fourth with them`()
    throws
  {
    let folder = try TemporaryFolder("starts")
    let starts = try starts(in: folder)
    #expect(try begin(starts, at: 1000))
    _ = try self.starts(1030, in: folder)
    #expect(try begin(starts, at: 1031.5))
    _ = try self.starts(1091, in: folder)
    #expect(try !begin(starts, at: 1100))
    #expect(try begin(starts, at: 1200))
    #expect(try begin(starts, at: 1300))
  }

  @Test func `one crash, a late one, or one before the start does not count`() throws {
    for crashes in [[1130], [1030, 1200], [1061, 1130], [990, 1130]] {
      let folder = try TemporaryFolder("starts")
      let starts = try starts(in: folder)
      #expect(try begin(starts, at: 1000))
      #expect(try begin(starts, at: 1100))
      for crash in crashes { _ = try self.starts(crash, in: folder) }
      #expect(try begin(starts, at: 1300))
    }
    // A crash at the second start is of one of the two.
    let folder = try TemporaryFolder("starts")
    let starts = try starts(1010, in: folder)
    #expect(try begin(starts, at: 1000))
    #expect(try begin(starts, at: 1010))
    #expect(try begin(starts, at: 1020))
  }

  @Test func `a file that is damaged says nothing`() throws {
    let folder = try TemporaryFolder("starts")
    try folder.write("x y z\n", to: "starts")
    let starts = ScriptStarts(folder.path("starts"), CrashReports(directory: folder.root))
    #expect(try begin(starts, at: 1000))
  }
}
