import TestSupport
import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(6))) struct NetworkMonitorTests {
  @Test func `sleep is what one clock has and the other has not`() {
    var detector = SleepDetector(awake: .seconds(100), all: .seconds(150))
    #expect(detector.slept(awake: .seconds(110), all: .seconds(160)) == nil)
    #expect(detector.slept(awake: .seconds(110), all: .seconds(160.5)) == nil)
    #expect(detector.slept(awake: .seconds(111), all: .seconds(3761.5)) == .seconds(3600))
    #expect(detector.slept(awake: .seconds(112), all: .seconds(3762.5)) == nil)
  }

  /// A message of rtnetlink with a body of zeros.
  private func message(_ type: UInt8, length: UInt8 = 20, body: Int = 4) -> [UInt8] {
    [length, 0, 0, 0, type, 0, 0, 0] + [UInt8](repeating: 0, count: 8 + body)
  }

  @Test(arguments: [UInt8(16), 17, 20, 21]) func `links and addresses are news`(type: UInt8) {
    #expect(RouteMessages.isNews(message(type)[...]))
    #expect(RouteMessages.isNews((message(2) + message(type))[...]))
  }

  @Test func `other messages and rubbish are not`() {
    let rubbish: [[UInt8]] = [
      [], [1], message(2), message(24), message(16, length: 200), message(16, length: 0),
      message(16, length: 15), [UInt8](repeating: 255, count: 64),
      [UInt8](repeating: 0, count: 64), message(2, length: 19, body: 3),
    ]
    for datagram in rubbish { #expect(!RouteMessages.isNews(datagram[...]), "\(datagram)") }
  }

  @Test func `an address that comes is reported`() async {
    let network = FakeNetwork()
    let monitor = NetworkMonitor(network.sources)
    var changes = monitor.changes.makeAsyncIterator()
    for _ in 0..<3 {
      network.getsLink()
      #expect(await changes.next() == .interfaces)
    }
  }

  @Test func `what is announced again is no change`() async throws {
    let network = FakeNetwork()
    let monitor = NetworkMonitor(network.sources)
    let before = network.looks
    network.announces()
    try await until { network.looks > before }
    // Reported after that: the first event was first.
    network.sleeps(for: .seconds(60))
    var changes = monitor.changes.makeAsyncIterator()
    #expect(await changes.next() == .resumed(after: .seconds(60)))
  }

  @Test func `a clock that jumped is reported, and how far, each time`() async {
    let network = FakeNetwork()
    let monitor = NetworkMonitor(network.sources)
    var changes = monitor.changes.makeAsyncIterator()
    for seconds in [3600, 5] {
      network.sleeps(for: .seconds(seconds))
      #expect(await changes.next() == .resumed(after: .seconds(seconds)))
    }
  }

  @Test func `stopping ends the news`() async {
    let monitor = NetworkMonitor()
    monitor.stop()
    for await _ in monitor.changes {}
    monitor.stop()
  }

  @Test func `monitors that are let go of leak no descriptors`() async throws {
    let before = openDescriptors()
    for _ in 0..<200 { _ = NetworkMonitor() }
    // Suites that run beside this one have some open too.
    try await until { openDescriptors() < before + 150 }
  }
}
