import FoundationEssentials

/// The time and the waiting of the room service.
package struct RoomClock: Sendable {
  let now: @Sendable () -> Date
  let sleep: @Sendable (Duration) async throws -> Void

  package init(
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.now, self.sleep) = (now, sleep)
  }
}
