import Sockets
import System

/// A watch on a folder, or none: the system limits the number of watches.
nonisolated extension FolderMonitor? {
  /// Waits until something may have arrived; without a watch it returns every second, so that the
  /// caller polls the folder.
  /// - Returns: `false` when nothing arrives any more, or the task was cancelled.
  func arrives() async -> Bool {
    guard let self else {
      do { try await Task.sleep(for: .seconds(1)) } catch { return false }
      return true
    }
    for await _ in self.arrivals { return true }
    return false
  }
}
