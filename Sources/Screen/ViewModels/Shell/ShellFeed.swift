import NatterCore

/// Delivers an account's events to its shell, each once and in order. If another shell replaces it,
/// the new shell receives the events that the old one has not handled.
package final class ShellFeed {
  package private(set) var shell: ShellViewModel
  private var opening: Task<Void, Never>
  private var following: Task<Void, Never>?

  /// - Parameter events: all events from now on; this is their only reader.
  package init(_ shell: ShellViewModel, _ events: AsyncStream<DomainEvent>) {
    self.shell = shell
    opening = Task { await shell.open() }
    following = Task { await self.follow(events) }
  }

  private func follow(_ events: AsyncStream<DomainEvent>) async {
    var count = 0
    for await event in events {
      await waitUntilOpen()
      shell.handle(event)
      count += 1
      // A full stream would starve the keys.
      if count.isMultiple(of: 32) { await Task.yield() }
    }
  }

  private func waitUntilOpen() async {
    var open: ShellViewModel?
    // Another shell may replace it meanwhile.
    while open !== shell {
      open = shell
      await opening.value
    }
  }

  /// Replaces the shell; the new one continues in the middle of the old one's activity.
  package func replace(by other: ShellViewModel) {
    other.restore(from: shell)
    opening.cancel()
    shell = other
    opening = Task { await other.open() }
  }

  /// Stops the delivery.
  package func cancel() {
    opening.cancel()
    following?.cancel()
  }

  /// Returns when the delivery has stopped.
  package func ended() async {
    await opening.value
    await following?.value
  }
}
