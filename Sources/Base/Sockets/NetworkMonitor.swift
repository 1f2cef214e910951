import Dispatch
import Glibc
import System

/// A change of the machine's network after which connections are checked at once.
package enum NetworkChange: Hashable, Sendable {
  /// A link or an address appeared or disappeared.
  case interfaces
  /// The machine was asleep for about this long.
  case resumed(after: Duration)
}

/// Reports changes of the network and sleep of the machine. It waits for messages of the kernel and
/// costs nothing between changes.
///
/// `@unchecked Sendable`: all mutable state is accessed on `queue` only.
package final class NetworkMonitor: @unchecked Sendable {
  /// The changes, for a single consumer; several in a row are merged. Ends with `stop()`.
  package let changes: AsyncStream<NetworkChange>

  private let continuation: AsyncStream<NetworkChange>.Continuation
  private let queue = DispatchQueue(label: "natter.network")
  private var watches: [DescriptorSource] = []
  private var descriptors: [CInt] = []
  private let sources: NetworkSources
  private var addresses: NetworkAddresses
  private var sleep: SleepDetector
  private var isReporting = false

  /// Begins at once. Where the kernel refuses one of the two sources, the other one still works.
  package init(_ sources: NetworkSources = .kernel) {
    // A busy consumer needs to know that something changed, not how often.
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(2))
    self.sources = sources
    addresses = sources.addresses()
    sleep = SleepDetector(awake: sources.awake(), all: sources.all())
    queue.async { [self] in start() }
  }

  deinit {
    continuation.finish()
    for (watch, descriptor) in zip(watches, descriptors) {
      queue.async { watch.cancel { Glibc.close(descriptor) } }
    }
  }

  /// Ends `changes` and closes the descriptors.
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
    let routes = sources.openRoutes()
    if routes >= 0 { watch(routes) { [weak self] in self?.hear(routes) } }
    let clock = sources.openClockWatch()
    if clock >= 0 {
      if sources.armClockWatch(clock) == 0 {
        watch(clock) { [weak self] in self?.clockJumped(clock) }
      } else {
        Glibc.close(clock)
      }
    }
  }

  private func watch(_ descriptor: CInt, _ heard: @escaping () -> Void) {
    let watch = DescriptorSource(descriptor: descriptor, queue: queue, onReadable: heard)
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
      // The socket's buffer overflowed; the lost messages do not matter.
      if count < 0, errno == ENOBUFS { isNews = true }
      if count == 0 || (count < 0 && errno != EINTR && errno != ENOBUFS) { break }
    }
    noteSleep()
    if isNews { reportInterfaces() }
    rearm(descriptor)
  }

  /// Reports one change for the burst of messages that a link causes when it appears or disappears.
  private func reportInterfaces() {
    guard !isReporting else { return }
    isReporting = true
    queue.asyncAfter(deadline: .now() + .milliseconds(200)) { [weak self] in
      guard let self else { return }
      isReporting = false
      // Routers announce the same addresses again and again, and scans of wireless networks cause
      // messages, too.
      let now = sources.addresses()
      if now == addresses { return }
      addresses = now
      continuation.yield(.interfaces)
    }
  }

  private func clockJumped(_ descriptor: CInt) {
    var expirations: UInt64 = 0
    // ECANCELED is the expected result: the clock was set.
    _ = read(descriptor, &expirations, MemoryLayout<UInt64>.size)
    noteSleep()
    guard sources.armClockWatch(descriptor) == 0 else { return }
    rearm(descriptor)
  }

  private func noteSleep() {
    if let slept = sleep.slept(awake: sources.awake(), all: sources.all()) {
      continuation.yield(.resumed(after: slept))
    }
  }

  private func rearm(_ descriptor: CInt) {
    if let index = descriptors.firstIndex(of: descriptor) { watches[index].armRead() }
  }
}

/// Detects sleep by comparing the clock that runs during sleep with the one that does not.
struct SleepDetector {
  private var difference: Duration
  /// The shortest detected sleep: the two clocks are not read at the same instant.
  static let least: Duration = .seconds(1)

  init(awake: Duration, all: Duration) { difference = all - awake }

  /// Returns the duration of sleep since the last call; `nil` when there was none.
  mutating func slept(awake: Duration, all: Duration) -> Duration? {
    let now = all - awake
    defer { difference = now }
    return now - difference >= Self.least ? now - difference : nil
  }
}

/// Messages of rtnetlink(7).
enum RouteMessages {
  /// Returns whether a message of the datagram concerns a link or an address. Malformed data does
  /// not count.
  static func isNews(_ datagram: ArraySlice<UInt8>) -> Bool {
    var rest = datagram
    // struct nlmsghdr: length (4 bytes, with the header), type (2), flags (2), sequence (4), port
    // (4).
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
