import FoundationEssentials
import Glibc

/// The modification times of files. Foundation's way to read them builds a dictionary of all
/// attributes, which takes too long for the startup.
nonisolated enum FileDate {
  /// Returns the time of the last write to the file, or `nil` if there is no file.
  static func of(_ path: String) -> Date? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return Date(
      timeIntervalSince1970: Double(facts.st_mtim.tv_sec)
        + Double(facts.st_mtim.tv_nsec) / 1_000_000_000)
  }
}
