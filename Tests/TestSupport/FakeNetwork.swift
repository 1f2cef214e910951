import Foundation
import Sockets
import Synchronization

/// The kernel's part towards a `NetworkMonitor`: a machine that gets addresses, and sleeps, when a
/// test says so.
package final class FakeNetwork: Sendable {
  private struct State {
    var links: Set<NetworkAddresses.LinkAddress> = []
    var looks = 0
    var slept: Duration = .zero
  }

  private let state = Mutex(State())
  /// This end, and the one that the monitor hears.
  private let routes: (Int32, Int32)
  private let clock: (Int32, Int32)

  package init() {
    routes = Self.pair()
    clock = Self.pair()
  }

  deinit { for end in [routes.0, routes.1, clock.0, clock.1] { close(end) } }

  private static func pair() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    let kind = SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else { return (-1, -1) }
    return (ends[0], ends[1])
  }

  package var sources: NetworkSources {
    NetworkSources(
      openRoutes: { fcntl(self.routes.1, F_DUPFD_CLOEXEC, 0) },
      openClockWatch: { fcntl(self.clock.1, F_DUPFD_CLOEXEC, 0) },
      armClockWatch: { _ in 0 },
      addresses: {
        self.state.withLock {
          $0.looks += 1
          return NetworkAddresses($0.links)
        }
      },
      awake: { .seconds(100) },
      all: { .seconds(100) + self.state.withLock { $0.slept } })
  }

  /// The number of times that the addresses were read.
  package var looks: Int { state.withLock { $0.looks } }

  /// There is one link more.
  package func getsLink() {
    state.withLock {
      _ = $0.links.insert(.init(link: "n\($0.links.count)", isUp: true, address: nil))
    }
    announces()
  }

  /// Reports an address, be it a new one or not.
  package func announces() {
    // struct nlmsghdr with RTM_NEWADDR, and nothing in it.
    report(routes.0, [20, 0, 0, 0, 20, 0, 0, 0] + [UInt8](repeating: 0, count: 12))
  }

  /// The clock that runs during sleep jumps, and with it the wall clock.
  package func sleeps(for duration: Duration) {
    state.withLock { $0.slept += duration }
    report(clock.0, [UInt8](repeating: 0, count: 8))
  }

  private func report(_ end: Int32, _ bytes: [UInt8]) { _ = send(end, bytes, bytes.count, 0) }
}
