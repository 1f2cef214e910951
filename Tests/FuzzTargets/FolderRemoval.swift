import FoundationEssentials
import Synchronization

/// Removes the folder at the end of the process: a function for `atexit`, which takes no closure
/// with a context.
enum FolderRemoval {
  static let path = Mutex<String?>(nil)

  static func remove() {
    guard let path = path.withLock({ $0 }) else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
