/// One thing after the other: what is begun waits for what was begun before it.
struct Turns {
  private var last: Task<Void, Never>?

  mutating func begin<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value)
    -> Task<Value, any Error>
  {
    let before = last
    let task = Task {
      await before?.value
      return try await work()
    }
    last = Task { _ = try? await task.value }
    return task
  }
}
