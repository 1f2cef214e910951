import Dispatch
import Glibc
import System

/// Connects to the first of a host's addresses that answers (RFC 8305 §5).
///
/// A new attempt begins when the last one failed, or 250 ms after it began.
/// `@unchecked Sendable`: all mutable state is accessed on `queue` only.
final class ConnectionRace: @unchecked Sendable {
  private let queue = DispatchQueue(label: "natter.connect")
  private let outcome = OneShot<Result<CInt, SocketError>>()
  private let host: String
  private let port: Int
  private let stagger: Duration
  private var waiting: ArraySlice<SocketAddress>
  private var running: [CInt: DescriptorSource] = [:]
  private var errors: [CInt] = []
  private var staggerTimer: (any DispatchSourceTimer)?
  private var limitTimer: (any DispatchSourceTimer)?
  private var isOver = false

  init(
    _ addresses: [SocketAddress], host: String, port: Int, stagger: Duration = .milliseconds(250)
  ) {
    waiting = addresses[...]
    self.host = host
    self.port = port
    self.stagger = stagger
  }

  /// Runs the race, once.
  /// - Returns: a connected, non-blocking descriptor, which the caller closes.
  /// - Throws: `.refused`, `.timedOut`, `.unreachable`, or `.closed` when the task is cancelled.
  func winner(limit: Duration) async throws(SocketError) -> CInt {
    let result = await withTaskCancellationHandler {
      queue.async { [self] in start(limit: limit) }
      return await outcome.value()
    } onCancel: {
      queue.async { [self] in finish(.failure(.closed)) }
    }
    return try result.get()
  }

  private func start(limit: Duration) {
    if isOver { return }
    limitTimer = timer(after: limit) { [self] in
      finish(.failure(.timedOut(host: host, port: port)))
    }
    startNext()
  }

  private func timer(after delay: Duration, _ work: @escaping @Sendable () -> Void)
    -> any DispatchSourceTimer
  {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + delay.dispatchInterval)
    timer.setEventHandler(handler: work)
    timer.resume()
    return timer
  }

  private func startNext() {
    staggerTimer?.cancel()
    staggerTimer = nil
    while !isOver, let address = waiting.popFirst() {
      if attempt(address) {
        if !waiting.isEmpty, !isOver {
          staggerTimer = timer(after: stagger) { [self] in startNext() }
        }
        return
      }
    }
    if running.isEmpty, !isOver { finish(.failure(verdict)) }
  }

  /// - Returns: whether the attempt is under way (or has succeeded already).
  private func attempt(_ address: SocketAddress) -> Bool {
    let descriptor = Descriptor.socket(family: address.family)
    guard descriptor >= 0 else {
      errors.append(errno)
      return false
    }
    let code = address.withPointer { connect(descriptor, $0, $1) == 0 ? 0 : errno }
    if code == 0 {
      finish(.success(descriptor))
      return true
    }
    guard code == EINPROGRESS || code == EINTR else {
      errors.append(code)
      Glibc.close(descriptor)
      return false
    }
    let watch = DescriptorSource(
      descriptor: descriptor, queue: queue, onReadable: {},
      onWritable: { [self] in settle(descriptor) })
    running[descriptor] = watch
    watch.armWrite()
    return true
  }

  private func settle(_ descriptor: CInt) {
    guard let watch = running.removeValue(forKey: descriptor) else { return }
    let code = Descriptor.pendingError(descriptor)
    if code == 0 {
      isOver = true
      watch.cancel { [self] in finish(.success(descriptor)) }
    } else {
      errors.append(code)
      watch.cancel { Glibc.close(descriptor) }
      startNext()
    }
  }

  private func finish(_ result: Result<CInt, SocketError>) {
    isOver = true
    staggerTimer?.cancel()
    limitTimer?.cancel()
    staggerTimer = nil
    limitTimer = nil
    for (descriptor, watch) in running {
      watch.cancel { Glibc.close(descriptor) }
    }
    running = [:]
    if !outcome.settle(result), case .success(let descriptor) = result { Glibc.close(descriptor) }
  }

  /// The most specific of the errors: a refused connection says more than an address without a
  /// route.
  private var verdict: SocketError {
    if errors.contains(ECONNREFUSED) { return .refused(host: host, port: port) }
    if errors.contains(ETIMEDOUT) { return .timedOut(host: host, port: port) }
    return .unreachable(host: host, port: port, errno: errors.first ?? ENETUNREACH)
  }
}
