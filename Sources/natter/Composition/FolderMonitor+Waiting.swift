import Sockets

/// A watch on a folder, or none: the system may have no room for one.
nonisolated extension FolderMonitor? {
  /// Waits until something may have come; without a watch nothing tells of changes there, and it is looked at again and again.
  /// - Returns: `false` when nothing comes any more, or the task was cancelled.
  func arrives() async -> Bool {
    guard let self else {
      do { try await Task.sleep(for: .seconds(1)) } catch { return false }
      return true
    }
    for await _ in self.arrivals { return true }
    return false
  }
}
