import Foundation
import TestSupport

/// A clock of the program's own, which the test sets: `libfaketime` reads it from a file.
struct FalseClock {
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
      "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1",
      // What waits by the time since the start goes on as ever.
      "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
    ]
  }
}
