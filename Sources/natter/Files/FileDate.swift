import FoundationEssentials
import Glibc

/// When files were written. Foundation's way to it makes a dictionary of all there is to know, which a start has to wait for.
nonisolated enum FileDate {
  /// When the file was last written; `nil` where there is none.
  static func of(_ path: String) -> Date? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return Date(
      timeIntervalSince1970: Double(facts.st_mtim.tv_sec)
        + Double(facts.st_mtim.tv_nsec) / 1_000_000_000)
  }
}
