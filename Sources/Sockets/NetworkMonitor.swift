import CResolv
import Dispatch
import Glibc

/// Something happened to the machine's network that is a reason to look after a connection at once.
package enum NetworkChange: Hashable, Sendable {
  /// A link or an address came or went.
  case interfaces
  /// The machine was asleep for about this long.
  case resumed(after: Duration)
}

/// Tells of changes of the network and of sleep. It waits for the kernel's word: between changes it costs nothing.
///
/// `@unchecked Sendable`: all mutable state is touched on `queue` only.
package final class NetworkMonitor: @unchecked Sendable {
  /// News, one follower; several of one kind in a row come as one. Ends with `stop()`.
  package let changes: AsyncStream<NetworkChange>

  private let continuation: AsyncStream<NetworkChange>.Continuation
  private let queue = DispatchQueue(label: "natter.network")
  private var watches: [DescriptorWatch] = []
  private var descriptors: [CInt] = []
  private var addresses = NetworkAddresses()
  private var sleep: SleepDetector
  private var isTelling = false

  /// Begins at once. Where the kernel refuses one of the two sources the other one still works.
  package init() {
    // A follower that is busy needs to know that something changed, not how often.
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(2))
    sleep = SleepDetector(awake: Clocks.awake(), all: Clocks.all())
    queue.async { [self] in start() }
  }

  deinit {
    continuation.finish()
    for (watch, descriptor) in zip(watches, descriptors) {
      queue.async { watch.cancel { Glibc.close(descriptor) } }
    }
  }

  /// Ends `changes` and gives the descriptors back.
  package func stop() {
    queue.async { [self] in
      continuation.finish()
      for (watch, descriptor) in zip(watches, descriptors) {
        watch.cancel { Glibc.close(descriptor) }
      }
      watches = []
      descriptors = []
    }
  }

  private func start() {
    let routes = natter_open_route_socket()
    if routes >= 0 { watch(routes) { [weak self] in self?.hear(routes) } }
    let clock = natter_open_clock_watch()
    if clock >= 0 {
      if natter_arm_clock_watch(clock) == 0 {
        watch(clock) { [weak self] in self?.clockJumped(clock) }
      } else {
        Glibc.close(clock)
      }
    }
  }

  private func watch(_ descriptor: CInt, _ heard: @escaping () -> Void) {
    let watch = DescriptorWatch(descriptor: descriptor, queue: queue, onReadable: heard)
    watches.append(watch)
    descriptors.append(descriptor)
    watch.armRead()
  }

  private func hear(_ descriptor: CInt) {
    var block = [UInt8](repeating: 0, count: 65536)
    var isNews = false
    while true {
      let count = recv(descriptor, &block, block.count, 0)
      if count > 0 { isNews = isNews || RouteMessages.isNews(block[..<count]) }
      // Too many for the socket's buffer: what exactly is lost does not matter.
      if count < 0, errno == ENOBUFS { isNews = true }
      if count == 0 || (count < 0 && errno != EINTR && errno != ENOBUFS) { break }
    }
    noteSleep()
    if isNews { tellInterfaces() }
    rearm(descriptor)
  }

  /// One piece of news for the burst of messages that a link makes when it comes or goes.
  private func tellInterfaces() {
    guard !isTelling else { return }
    isTelling = true
    queue.asyncAfter(deadline: .now() + .milliseconds(200)) { [weak self] in
      guard let self else { return }
      isTelling = false
      // Routers announce the same addresses again and again, and a search for radio networks makes messages too.
      let now = NetworkAddresses()
      if now == addresses { return }
      addresses = now
      continuation.yield(.interfaces)
    }
  }

  private func clockJumped(_ descriptor: CInt) {
    var expirations: UInt64 = 0
    // ECANCELED is the news itself.
    _ = read(descriptor, &expirations, MemoryLayout<UInt64>.size)
    noteSleep()
    guard natter_arm_clock_watch(descriptor) == 0 else { return }
    rearm(descriptor)
  }

  private func noteSleep() {
    if let slept = sleep.slept(awake: Clocks.awake(), all: Clocks.all()) {
      continuation.yield(.resumed(after: slept))
    }
  }

  private func rearm(_ descriptor: CInt) {
    if let index = descriptors.firstIndex(of: descriptor) { watches[index].armRead() }
  }
}

/// Notices that the clock which runs during sleep is ahead of the one that does not.
struct SleepDetector {
  private var difference: Duration
  /// Less is no sleep: the two clocks are not read at the same instant.
  static let least: Duration = .seconds(1)

  init(awake: Duration, all: Duration) { difference = all - awake }

  /// How long the machine slept since it was asked last; `nil` when it did not.
  mutating func slept(awake: Duration, all: Duration) -> Duration? {
    let now = all - awake
    defer { difference = now }
    return now - difference >= Self.least ? now - difference : nil
  }
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
struct NetworkAddresses: Equatable {
  private struct Entry: Hashable {
    let link: String
    let isUp: Bool
    let address: SocketAddress?
  }

  private let entries: Set<Entry>

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

/// Messages of rtnetlink(7).
enum RouteMessages {
  /// Whether one of a datagram's messages tells of a link or an address. Rubbish does not.
  static func isNews(_ datagram: ArraySlice<UInt8>) -> Bool {
    var rest = datagram
    // struct nlmsghdr: length (4 bytes, with the header), type (2), flags (2), sequence (4), port (4).
    while rest.count >= 16 {
      let start = rest.startIndex
      let length = (0..<4).reduce(0) { $0 | Int(rest[start + $1]) << (8 * $1) }
      let type = Int(rest[start + 4]) | Int(rest[start + 5]) << 8
      guard length >= 16, length <= rest.count else { return false }
      // RTM_NEWLINK, DELLINK, NEWADDR, DELADDR
      if [16, 17, 20, 21].contains(type) { return true }
      rest = rest.dropFirst((length + 3) & ~3)
    }
    return false
  }
}
