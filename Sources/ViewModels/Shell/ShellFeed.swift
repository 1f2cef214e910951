import NatterCore

/// Brings an account's news to its shell, each of them once and in order, also where another shell takes the place of it: what
/// the one before has not heard of by then is for the next.
package final class ShellFeed {
  package private(set) var shell: ShellViewModel
  private var opening: Task<Void, Never>
  private var following: Task<Void, Never>?

  /// - Parameter events: all that there are from now on; nobody else reads them.
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
      // A full stream would not give the keys a turn.
      if count.isMultiple(of: 32) { await Task.yield() }
    }
  }

  private func waitUntilOpen() async {
    var open: ShellViewModel?
    // Another one may take its place meanwhile.
    while open !== shell {
      open = shell
      await opening.value
    }
  }

  /// Puts another shell in the place of the one there is, in the middle of what that one is about.
  package func replace(by other: ShellViewModel) {
    other.goOn(from: shell)
    opening.cancel()
    shell = other
    opening = Task { await other.open() }
  }

  /// Brings nothing more.
  package func cancel() {
    opening.cancel()
    following?.cancel()
  }

  /// Returns when nothing is brought any more.
  package func ended() async {
    await opening.value
    await following?.value
  }
}
