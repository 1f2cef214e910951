import Foundation
import NatterCore
import Testing

@Suite struct MonotonicArrivalClockTests {
  private let now = Date(timeIntervalSince1970: 1_000_000)

  @Test func `times only grow, from read to read, however close these are`() {
    var arrivals = MonotonicArrivalClock()
    var times: [Date] = []
    for (count, seconds) in [(1, 0.0), (3, 5), (0, 5), (200, 5), (2, 5.001), (1, 60)] {
      let next = arrivals.next(count, now: now + seconds)
      #expect(next.count == count)
      times += next
    }
    #expect(times.first == now && times.last == now + 60)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `a clock that is set back a little changes no order; by far, it counts`() throws {
    var arrivals = MonotonicArrivalClock()
    let first = try #require(arrivals.next(1, now: now).last)
    let second = try #require(arrivals.next(1, now: now - 30).last)
    #expect(second > first && second < now + 1)
    // Nothing is to be at the bottom for ever.
    #expect(arrivals.next(1, now: now - 1000).last == now - 1000)
  }

  @Test func `a clock that gets the same reads later has no earlier times`() {
    var (first, second) = (MonotonicArrivalClock(), MonotonicArrivalClock())
    for (count, seconds) in [(1, 0.0), (50, 0.000_1), (3, 0.000_1), (1, 0.5), (9, 0.4), (2, 7)] {
      let earlier = first.next(count, now: now + seconds)
      let later = second.next(count, now: now + seconds + 0.000_5)
      #expect(zip(earlier, later).allSatisfy { $0 <= $1 })
    }
  }
}
