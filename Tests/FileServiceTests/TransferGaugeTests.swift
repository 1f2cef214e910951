import Foundation
import NatterCore
import TestSupport
import Testing

@testable import FileService

/// The progress of a transfer, reported as often as a screen can use it.
@Suite(.timeLimit(.minutes(6))) struct TransferGaugeTests {
  private let hub = EventHub()
  private let clock = ManualClock()
  private let start = ContinuousClock.now

  private func gauge() -> TransferGauge {
    TransferGauge(
      FileTransfer(
        id: .init(1), direction: .download, conversation: FileFixture.bob, path: "/d/rose.png",
        name: "rose.png", byteCount: 1000, state: .running,
        begun: Date(timeIntervalSince1970: 0)), hub: hub,
      sleep: { [clock] in try await clock.sleep(for: $0) })
  }

  /// The next reported one.
  private func next(_ events: AsyncStream<DomainEvent>) async -> FileTransfer? {
    guard case .transfersChanged(let changed)? = await events.first(where: { _ in true }) else {
      return nil
    }
    return changed.first
  }

  @Test func `half that came at once and then nothing is reported when its time comes`() async {
    let events = hub.events()
    let gauge = gauge()
    gauge.moved(to: 1, at: start)
    gauge.moved(to: 200, at: start + .milliseconds(1))
    gauge.moved(to: 500, at: start + .milliseconds(2))
    #expect(await next(events)?.progress == 1)
    // One report waits, whatever came in its time.
    #expect(await clock.waits(untilSleeping: 1))
    #expect(clock.sleeps == [.milliseconds(199)])
    clock.advance(by: .milliseconds(199))
    let reportedAt = await next(events)
    #expect(reportedAt?.progress == 500)
    // Of the whole time, and not of the moment in which it came.
    #expect((2000...2600).contains(reportedAt?.rate ?? 0), "\(reportedAt?.rate ?? 0)")
    // The next one is reported at once, being later than the interval.
    gauge.moved(to: 700, at: start + .milliseconds(500))
    #expect(await next(events)?.progress == 700)
  }

  @Test func `a stalled transfer becomes slower, until no time left is shown`() async {
    let events = hub.events()
    let gauge = gauge()
    gauge.moved(to: 1, at: start)
    gauge.moved(to: 500, at: start + .milliseconds(2))
    #expect(await next(events)?.progress == 1)
    var rates: [Int] = []
    #expect(await clock.waits(untilSleeping: 1))
    clock.advance(by: .milliseconds(198))
    while let reportedAt = await next(events) {
      rates.append(reportedAt.rate)
      #expect(reportedAt.progress == 500)
      if reportedAt.rate == 0 { break }
      #expect(await clock.waits(untilSleeping: 1))
      #expect(clock.sleeps == [.seconds(1)])
      clock.advance(by: .seconds(1))
    }
    #expect(rates == rates.sorted(by: >) && rates.count > 2 && rates.last == 0, "\(rates)")
    #expect(clock.sleeps == [])
  }

  @Test func `a paused or finished transfer is not reported as moving`() async {
    let events = hub.events()
    let held = gauge()
    held.moved(to: 1, at: start)
    held.moved(to: 500, at: start + .milliseconds(2))
    #expect(await next(events)?.progress == 1)
    #expect(await clock.waits(untilSleeping: 1))
    held.pause()
    held.moved(to: 600, at: start + .milliseconds(3))
    held.update { $0.address = "https://a.test/a" }
    clock.advance(by: .seconds(1))
    hub.publish(.transfersRemoved([.init(1)]))
    #expect(await events.first { _ in true } == .transfersRemoved([.init(1)]))
    held.note(.paused)
    held.update { $0.address = "https://a.test/b" }
    #expect(await next(events)?.state == .paused)
    held.note(.running)
    held.resume()
    held.moved(to: 700, at: start + .seconds(2))
    #expect(await next(events)?.progress == 700)
    held.close()

    let over = gauge()
    over.moved(to: 1, at: start)
    over.moved(to: 600, at: start + .milliseconds(1))
    #expect(await next(events)?.progress == 1)
    #expect(await clock.waits(untilSleeping: 1))
    over.close()
    clock.advance(by: .seconds(1))
    over.moved(to: 700, at: start + .seconds(1))
    over.update { $0.state = .done }
    let reportedAt = await next(events)
    #expect(reportedAt?.state == .done && reportedAt?.progress == 600)
    hub.publish(.transfersRemoved([.init(2)]))
    #expect(await events.first { _ in true } == .transfersRemoved([.init(2)]))
  }
}
