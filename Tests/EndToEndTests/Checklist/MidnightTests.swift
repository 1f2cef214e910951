import Foundation
import TestSupport
import Testing

/// Statement 31's second half: a day that begins while the program runs.
@Suite(.requires(.faketime), .limitedConcurrency) struct MidnightTests {
  /// A clock of the program's own, which the test sets: `libfaketime` reads it from a file.
  private struct Clock {
    let home: Home
    var file: String { home.folder.path("clock") }

    /// Sets it to so many seconds since 1970; it goes on from there.
    func set(_ time: TimeInterval) throws {
      let offset = Int(time - Date().timeIntervalSince1970)
      try home.folder.write("\(offset < 0 ? "" : "+")\(offset)\n", to: "clock.new")
      // The program never reads half a line.
      guard rename(home.folder.path("clock.new"), file) == 0 else { throw POSIXError(.EIO) }
    }

    /// - Throws: `Programs.Missing`.
    func environment() throws -> [String: String] {
      let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
      let library = folders.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }
      guard let library else { throw Programs.Missing(name: "libfaketime") }
      return [
        // Read once a second: at every look at the clock, it would be most of what the program
        // does.
        "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_CACHE_DURATION": "1",
        // What waits by the time since the start goes on as ever.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
      ]
    }
  }

  /// "Sunday 22 November", as the English interface says it.
  private static func day(_ time: TimeInterval, _ zone: TimeZone) -> String {
    Date(timeIntervalSince1970: time).formatted(
      Date.VerbatimFormatStyle(
        format: "\(weekday: .wide) \(day: .defaultDigits) \(month: .wide)",
        locale: Locale(identifier: "en_GB"), timeZone: zone,
        calendar: Calendar(identifier: .gregorian)
      ))
  }

  @Test
  func `31: a day line appears at midnight while the program runs, and above what comes then`()
    async throws
  {
    let home = try Home()
    let clock = Clock(home: home)
    // Ahead of the clock, for with one that is behind, libfaketime stops timers; and little ahead,
    // for it stops them too where it is more than the machine has been running. So the zone is one
    // where it is midnight soon.
    let midnight = ((Date().timeIntervalSince1970 + 600) / 60).rounded(.up) * 60
    let offset = (86_400 - Int(midnight) % 86_400) % 86_400
    let zone = try #require(TimeZone(secondsFromGMT: offset > 50_400 ? offset - 86_400 : offset))
    let (yesterday, today) = (Self.day(midnight - 1, zone), Self.day(midnight, zone))
    var environment = try clock.environment()
    // POSIX counts to the west.
    let west = -zone.secondsFromGMT()
    environment["TZ"] =
      "<here>\(west < 0 ? "-" : "")\(abs(west) / 3600):\(abs(west) / 60 % 60)"
    // Twelve seconds before a full minute, which is when the program looks.
    try clock.set(midnight - 552)
    let run = try NatterRun.local(
      home: home, rows: 50, columns: 80, environment: environment)
    try await run.openGuide()
    try await run.say("help")
    try await run.expects("yesterday's day line alone, and the answer") { screen in
      screen.contains(yesterday) && !screen.contains(today)
        && screen.contains("23:5") && screen.contains("I can tell you about")
    }
    // The next full minute comes after midnight: nobody touches a key, and nothing comes.
    try clock.set(midnight + 50)
    try await run.expects("the new day's line", upTo: .seconds(120)) { screen in
      guard let old = screen.find(yesterday)?.row,
        let new = screen.find(today)?.row
      else { return false }
      return old < new && screen.text(row: 0).firstMatch(of: /00:0\d$/) != nil
    }
    try await run.say("keys")
    try await run.expects("the message under it") { screen in
      guard let line = screen.find(today)?.row,
        let message = screen.lines.firstIndex(where: { $0.contains("you    keys") })
      else { return false }
      return line < message && screen.text(row: message).contains("00:0")
        && screen.lines.filter { $0.contains(today) }.count == 1
    }
    #expect(await run.quit() == .exited(0))
  }
}
