import CResolv
import Glibc

/// The inputs of a `NetworkMonitor`: those of the kernel, or replacements in a test.
package struct NetworkSources: Sendable {
  /// Opens a descriptor that delivers rtnetlink's messages; -1 on failure. The monitor closes it.
  package let openRoutes: @Sendable () -> CInt
  /// Opens a descriptor that becomes readable when the wall clock jumps; -1 on failure. The monitor
  /// closes it.
  package let openClockWatch: @Sendable () -> CInt
  /// Arms the clock watch (again); returns 0 on success.
  package let armClockWatch: @Sendable (CInt) -> CInt
  /// Returns the current state and addresses of all links.
  package let addresses: @Sendable () -> NetworkAddresses
  /// The time of a clock that stops while the machine sleeps.
  package let awake: @Sendable () -> Duration
  /// The time of a clock that runs on while the machine sleeps.
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

  /// The sources of the running system.
  package static let kernel = NetworkSources(
    openRoutes: { natter_open_route_socket() }, openClockWatch: { natter_open_clock_watch() },
    armClockWatch: { natter_arm_clock_watch($0) }, addresses: { NetworkAddresses() },
    awake: { Clocks.awake() }, all: { Clocks.all() })
}

/// The kernel's two clocks that cannot be set.
private enum Clocks {
  /// Stops while the machine sleeps.
  static func awake() -> Duration { read(CLOCK_MONOTONIC) }
  /// Runs on while the machine sleeps.
  static func all() -> Duration { read(CLOCK_BOOTTIME) }

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// The state and addresses of all links, without loopback.
package struct NetworkAddresses: Equatable, Sendable {
  /// One address of a link, or a link without an address.
  package struct LinkAddress: Hashable, Sendable {
    let link: String
    let isUp: Bool
    let address: SocketAddress?

    package init(link: String, isUp: Bool, address: SocketAddress?) {
      self.link = link
      self.isUp = isUp
      self.address = address
    }
  }

  private let entries: Set<LinkAddress>

  package init(_ entries: Set<LinkAddress>) { self.entries = entries }

  /// Reads those of this machine.
  init() {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else {
      entries = []
      return
    }
    defer { freeifaddrs(list) }
    var found: Set<LinkAddress> = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let flags = Int(entry.ifa_flags)
      if flags & Int(IFF_LOOPBACK) != 0 { continue }
      let up = Int(IFF_UP | IFF_RUNNING)
      found.insert(
        LinkAddress(
          link: entry.ifa_name.map { String(cString: $0) } ?? "", isUp: flags & up == up,
          address: entry.ifa_addr.flatMap(Self.address)))
    }
    entries = found
  }

  /// Returns an IP address; `nil` for the statistics of a link, which change all the time.
  private static func address(_ pointer: UnsafeMutablePointer<sockaddr>) -> SocketAddress? {
    switch CInt(pointer.pointee.sa_family) {
    case AF_INET: SocketAddress(pointer, length: socklen_t(MemoryLayout<sockaddr_in>.size))
    case AF_INET6: SocketAddress(pointer, length: socklen_t(MemoryLayout<sockaddr_in6>.size))
    default: nil
    }
  }
}
