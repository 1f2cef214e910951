import CResolv
import Glibc

/// What a `NetworkMonitor` listens to and looks at: the kernel's, or what stands in its place in a test.
package struct NetworkSources: Sendable {
  /// Opens what has rtnetlink's messages to read; -1: there is none. The monitor closes it.
  package let openRoutes: @Sendable () -> CInt
  /// Opens what becomes readable when the wall clock jumps; -1: there is none. The monitor closes it.
  package let openClockWatch: @Sendable () -> CInt
  /// Arms that (again): 0 where it can be.
  package let armClockWatch: @Sendable (CInt) -> CInt
  package let addresses: @Sendable () -> NetworkAddresses
  /// A clock that stands still while the machine sleeps.
  package let awake: @Sendable () -> Duration
  /// One that runs on while the machine sleeps.
  package let all: @Sendable () -> Duration

  package init(
    openRoutes: @escaping @Sendable () -> CInt, openClockWatch: @escaping @Sendable () -> CInt,
    armClockWatch: @escaping @Sendable (CInt) -> CInt,
    addresses: @escaping @Sendable () -> NetworkAddresses,
    awake: @escaping @Sendable () -> Duration, all: @escaping @Sendable () -> Duration
  ) {
    self.openRoutes = openRoutes
    self.openClockWatch = openClockWatch
    self.armClockWatch = armClockWatch
    self.addresses = addresses
    self.awake = awake
    self.all = all
  }

  package static let kernel = NetworkSources(
    openRoutes: { natter_open_route_socket() }, openClockWatch: { natter_open_clock_watch() },
    armClockWatch: { natter_arm_clock_watch($0) }, addresses: { NetworkAddresses() },
    awake: { Clocks.awake() }, all: { Clocks.all() })
}

/// The kernel's two clocks that cannot be set.
private enum Clocks {
  /// Stands still while the machine sleeps.
  static func awake() -> Duration { read(CLOCK_MONOTONIC) }
  /// Runs on while the machine sleeps.
  static func all() -> Duration { read(CLOCK_BOOTTIME) }

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// Which links are up, and with which addresses; loopback left out.
package struct NetworkAddresses: Equatable, Sendable {
  package struct Entry: Hashable, Sendable {
    let link: String
    let isUp: Bool
    let address: SocketAddress?

    package init(link: String, isUp: Bool, address: SocketAddress?) {
      self.link = link
      self.isUp = isUp
      self.address = address
    }
  }

  private let entries: Set<Entry>

  package init(_ entries: Set<Entry>) { self.entries = entries }

  /// Those of this machine.
  init() {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else {
      entries = []
      return
    }
    defer { freeifaddrs(list) }
    var found: Set<Entry> = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let flags = Int(entry.ifa_flags)
      if flags & Int(IFF_LOOPBACK) != 0 { continue }
      let up = Int(IFF_UP | IFF_RUNNING)
      found.insert(
        Entry(
          link: entry.ifa_name.map { String(cString: $0) } ?? "", isUp: flags & up == up,
          address: entry.ifa_addr.flatMap(Self.address)))
    }
    entries = found
  }

  /// An IP address; `nil` for the statistics of a link, which change all the time.
  private static func address(_ pointer: UnsafeMutablePointer<sockaddr>) -> SocketAddress? {
    switch CInt(pointer.pointee.sa_family) {
    case AF_INET: SocketAddress(pointer, length: socklen_t(MemoryLayout<sockaddr_in>.size))
    case AF_INET6: SocketAddress(pointer, length: socklen_t(MemoryLayout<sockaddr_in6>.size))
    default: nil
    }
  }
}
