import Foundation
import Glibc
import Synchronization

/// A relay on loopback between a client and a server, which does to the bytes what bad networks do.
///
/// It knows nothing of what passes: with TLS a cut is anywhere, in a record as in a handshake.
package final class FaultRelay: Sendable {
  package enum Direction: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case toServer, toClient
    package var description: String { rawValue }
  }

  package let port: UInt16
  private let upstream: Mutex<UInt16>
  private let listener = Mutex<Int32>(-1)
  private let connections = Mutex<[ObjectIdentifier: RelayedConnection]>([:])
  private let accepted = Observed(0)
  private let greeting = Mutex<Fault?>(nil)

  package var address: String { "127.0.0.1:\(port)" }
  /// The number of accepted connections so far.
  package var connectionCount: Int { accepted.value }

  /// Listens at once.
  package init(to upstream: UInt16) throws {
    self.upstream = Mutex(upstream)
    let (port, made) = try LoopbackPort.listening()
    self.port = port
    listener.withLock { $0 = made }
    accept(on: made)
  }

  deinit {
    refuse()
    for connection in connections.withLock({ Array($0.values) }) { connection.take(.drop) }
  }

  /// Where connections lead from now on.
  package func lead(to port: UInt16) { upstream.withLock { $0 = port } }

  /// Does this to the connections that there are. Kills are not the relay's.
  package func inflict(_ fault: Fault) {
    if case .refuse = fault { refuse() }
    for connection in connections.withLock({ Array($0.values) }) { connection.take(fault) }
  }

  /// Does this to each connection that comes from now on, before a byte has passed; `nil`: nothing.
  package func greet(with fault: Fault?) { greeting.withLock { $0 = fault } }

  /// Waits until so many connections were taken.
  package func waits(forConnections count: Int) async -> Bool {
    await accepted.waits(upTo: .seconds(60)) { $0 >= count }
  }

  /// Stops listening: new connections are refused.
  package func refuse() {
    listener.withLock { listener in
      guard listener >= 0 else { return }
      // Ends the thread's `accept`, which closes the descriptor.
      shutdown(listener, Int32(SHUT_RDWR))
      listener = -1
    }
  }

  package var isRefusing: Bool { listener.withLock { $0 < 0 } }

  /// Listens again.
  package func open() throws {
    try listener.withLock { current in
      guard current < 0 else { return }
      let made = try LoopbackSocket.listener(port: port)
      current = made
      accept(on: made)
    }
  }

  private func accept(on made: Int32) {
    Thread.detachNewThread { [weak self] in
      while true {
        let client = Glibc.accept(made, nil, nil)
        guard client >= 0 else { break }
        guard let self else {
          close(client)
          break
        }
        relay(client)
      }
      close(made)
    }
  }

  private func relay(_ client: Int32) {
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    guard let server = try? LoopbackSocket.connect(to: upstream.withLock { $0 }) else {
      LoopbackSocket.reset(client)
      return
    }
    let connection = RelayedConnection(client: client, server: server)
    connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    if let fault = greeting.withLock({ $0 }) { connection.take(fault) }
    accepted.update { $0 += 1 }
    Thread.detachNewThread { [weak self] in
      connection.run()
      _ = self?.connections.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }
  }
}

/// One connection through the relay, served by one thread.
private final class RelayedConnection: Sendable {
  private let client: Int32
  private let server: Int32
  private let wake: (read: Int32, write: Int32)
  private let faults = Mutex<[Fault]>([])

  init(client: Int32, server: Int32) {
    self.client = client
    self.server = server
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wake = (ends[0], ends[1])
    for end in [client, server] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(wake.read)
    close(wake.write)
  }

  func take(_ fault: Fault) {
    faults.withLock { $0.append(fault) }
    var byte: UInt8 = 1
    _ = write(wake.write, &byte, 1)
  }

  /// Relays until the connection is over; closes both ends.
  func run() {
    var up = RelayLane(source: client, target: server)
    var down = RelayLane(source: server, target: client)
    var dropsAt: ContinuousClock.Instant?
    while true {
      for fault in faults.withLock({ faults in
        defer { faults = [] }
        return faults
      }) {
        switch fault {
        case .drop, .refuse: return end(resetting: true)
        case .cut(.toServer, let count): up.remaining = count
        case .cut(.toClient, let count): down.remaining = count
        case .stall(let time):
          up.hold(time)
          down.hold(time)
        case .stallOne(.toServer, let time): up.hold(time)
        case .stallOne(.toClient, let time): down.hold(time)
        case .stallAndDrop(let time):
          up.hold(time + 1000)
          down.hold(time + 1000)
          dropsAt = .now + .milliseconds(time)
        case .delay(let time):
          up.latency = .milliseconds(time)
          down.latency = .milliseconds(time)
        case .halfClose(.toServer): up.endsNow()
        case .halfClose(.toClient): down.endsNow()
        case .killServer, .killClient: break
        }
      }
      let now = ContinuousClock.now
      if let dropsAt, dropsAt <= now { return end(resetting: true) }
      guard up.write(now), down.write(now) else { return end(resetting: false) }
      if up.isOver && down.isOver { return end(resetting: false) }
      wait(up, down, until: [up.due(now), down.due(now), dropsAt].compactMap { $0 }.min())
      guard up.read(), down.read() else { return end(resetting: true) }
    }
  }

  private func wait(
    _ up: RelayLane, _ down: RelayLane, until time: ContinuousClock.Instant?
  ) {
    let now = ContinuousClock.now
    var polled = [
      pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: client,
        events: Int16(up.wantsToRead ? POLLIN : 0)
          | Int16(down.wantsToWrite(now) ? POLLOUT : 0), revents: 0),
      pollfd(
        fd: server,
        events: Int16(down.wantsToRead ? POLLIN : 0)
          | Int16(up.wantsToWrite(now) ? POLLOUT : 0), revents: 0),
    ]
    // A descriptor that is not asked for anything would still report that its peer is gone, again
    // and again.
    for index in 1...2 where polled[index].events == 0 { polled[index].fd = -1 }
    let timeout = time.map { max(1, Int32((($0 - now).seconds * 1000).rounded(.up))) } ?? -1
    _ = poll(&polled, 3, timeout)
    var bytes = [UInt8](repeating: 0, count: 64)
    while Foundation.read(wake.read, &bytes, bytes.count) > 0 {}
  }

  private func end(resetting: Bool) {
    for end in [client, server] {
      if resetting { LoopbackSocket.reset(end) } else { close(end) }
    }
  }
}

/// One direction of a connection.
private struct RelayLane {
  let source: Int32
  let target: Int32
  var latency: Duration = .zero
  /// Bytes that still pass before the connection is cut.
  var remaining: Int?
  private var queue: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>)] = []
  private var queued = 0
  private var heldUntil: ContinuousClock.Instant?
  private var hasEnded = false
  private var isShut = false

  init(source: Int32, target: Int32) {
    self.source = source
    self.target = target
  }

  /// Nothing comes this way any more, and nothing will.
  var isOver: Bool { hasEnded && isShut }
  var wantsToRead: Bool { !hasEnded && queued < 1 << 18 }
  func wantsToWrite(_ now: ContinuousClock.Instant) -> Bool {
    guard let first = queue.first else { return false }
    return max(first.due, heldUntil ?? first.due) <= now
  }

  /// The time of the next work that no descriptor announces.
  func due(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard let first = queue.first else { return nil }
    let time = max(first.due, heldUntil ?? first.due)
    return time > now ? time : nil
  }

  mutating func hold(_ milliseconds: Int) {
    heldUntil = .now + .milliseconds(milliseconds)
  }

  /// The target hears the end of the stream at once; what comes after is thrown away.
  mutating func endsNow() {
    queue = []
    queued = 0
    shutdown(target, Int32(SHUT_WR))
    isShut = true
  }

  /// - Returns: false when the source was reset.
  mutating func read() -> Bool {
    guard wantsToRead else { return true }
    var buffer = [UInt8](repeating: 0, count: 16384)
    while wantsToRead {
      let count = recv(source, &buffer, buffer.count, 0)
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      if count == 0 {
        hasEnded = true
        return true
      }
      if isShut { continue }
      queue.append((.now + latency, buffer[..<count]))
      queued += count
    }
    return true
  }

  /// - Returns: false when the connection is to be closed.
  mutating func write(_ now: ContinuousClock.Instant) -> Bool {
    while wantsToWrite(now), let first = queue.first {
      let allowed = first.bytes.prefix(remaining ?? .max)
      let count = allowed.withUnsafeBytes {
        send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      queued -= count
      queue[0].bytes = first.bytes.dropFirst(count)
      if queue[0].bytes.isEmpty { queue.removeFirst() }
      if let left = remaining {
        remaining = left - count
        if left - count <= 0 { return false }
      }
    }
    if hasEnded, queue.isEmpty, !isShut {
      shutdown(target, Int32(SHUT_WR))
      isShut = true
    }
    return true
  }
}
