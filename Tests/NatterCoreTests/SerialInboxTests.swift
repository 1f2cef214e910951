import Synchronization
import Testing

@testable import NatterCore

@Suite struct SerialInboxTests {
  private struct Failure: Error {}

  /// The performed steps, in order, and gates that a test opens.
  private final class Course: Sendable {
    let steps = Mutex<[String]>([])
    private let gates = Mutex<[String: AsyncStream<Void>.Continuation]>([:])

    func note(_ step: String) { steps.withLock { $0.append(step) } }
    var noted: [String] { steps.withLock { $0 } }

    /// Notes that `name` began, and that it ended once its gate was opened; cancelling opens no
    /// gate.
    func pass(_ name: String) async {
      let (stream, gate) = AsyncStream<Void>.makeStream()
      gates.withLock { $0[name] = gate }
      note(name + " begins")
      await Task { for await _ in stream {} }.value
      note(name + " ends")
    }

    func open(_ name: String) { gates.withLock { $0.removeValue(forKey: name) }?.finish() }
  }

  private let inbox = SerialInbox<String>()
  private let course = Course()

  private func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

  private func begin(_ name: String, of key: String = "a") -> Task<Void, any Error> {
    inbox.begin(in: key) { [course] in await course.pass(name) }
  }

  private func finish(_ name: String) async {
    await until { course.noted.last == name + " begins" }
    course.open(name)
    await until { course.noted.contains(name + " ends") }
  }

  @Test func `of one key it is done in the order in which it was asked for`() async throws {
    let tasks = (1...20).map { begin("\($0)") }
    for number in 1...20 { await finish("\(number)") }
    for task in tasks { try await task.value }
    #expect(course.noted == (1...20).flatMap { ["\($0) begins", "\($0) ends"] })
    #expect(inbox.isFree)
  }

  @Test func `of two keys none waits for the other`() async throws {
    let first = begin("one", of: "a")
    await until { course.noted == ["one begins"] }
    let second = begin("two", of: "b")
    await finish("two")
    try await second.value
    await finishOpen("one")
    try await first.value
    #expect(course.noted == ["one begins", "two begins", "two ends", "one ends"])
    #expect(inbox.isFree)
  }

  private func finishOpen(_ name: String) async {
    course.open(name)
    await until { course.noted.contains(name + " ends") }
  }

  @Test func `what fails lets the next one run`() async throws {
    await #expect(throws: Failure.self) { try await inbox.run(in: "a") { throw Failure() } }
    #expect(inbox.isFree)
    let first = begin("one")
    await until { course.noted == ["one begins"] }
    let second = inbox.begin(in: "a") { throw Failure() }
    let third = begin("three")
    #expect(inbox.waiting(in: "a") == 2)
    course.open("one")
    try await first.value
    await #expect(throws: Failure.self) { try await second.value }
    await finish("three")
    try await third.value
    #expect(inbox.isFree)
  }

  @Test func `a cancelled caller keeps its position, and is notified there`() async throws {
    let first = begin("one")
    await until { course.noted == ["one begins"] }
    let second = Task { [inbox, course] in
      await inbox.run(in: "a") {
        course.note(Task.isCancelled ? "cancelled" : "not cancelled")
      }
    }
    await until { inbox.waiting(in: "a") == 1 }
    let third = begin("three")
    #expect(inbox.waiting(in: "a") == 2)
    second.cancel()
    // Cancelling lets nobody pass.
    for _ in 0..<100 { await Task.yield() }
    #expect(course.noted == ["one begins"])
    course.open("one")
    await second.value
    await finish("three")
    for task in [first, third] { try await task.value }
    #expect(
      course.noted == ["one begins", "one ends", "cancelled", "three begins", "three ends"])
    #expect(inbox.isFree)
  }

  @Test func `what was begun goes on without the one who asked for it`() async throws {
    let first = begin("one")
    let asking = Task { [inbox, course] in
      try await inbox.begin(in: "a") { course.note(Task.isCancelled ? "cancelled" : "goes on") }
        .value
    }
    await until { inbox.waiting(in: "a") == 1 }
    asking.cancel()
    await finish("one")
    try await first.value
    try await asking.value
    #expect(course.noted.last == "goes on")
    #expect(inbox.isFree)
  }

  /// An actor whose method waits in the middle of what it does.
  private actor Account {
    private let inbox = SerialInbox<String>()
    private(set) var sum = 0

    func add(_ number: Int, serialized isSerialized: Bool) async {
      guard isSerialized else { return await add(number) }
      await inbox.run(in: "sum") { await add(number) }
    }

    private func add(_ number: Int) async {
      let before = sum
      for _ in 0..<3 { await Task.yield() }
      sum = before + number
    }
  }

  @Test func `what an actor's method reads before it waits is true when it writes`() async {
    let account = Account()
    await withTaskGroup { group in
      for number in 1...50 { group.addTask { await account.add(number, serialized: true) } }
    }
    #expect(await account.sum == 1275)
  }
}
