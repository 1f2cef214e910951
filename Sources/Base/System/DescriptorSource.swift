import CLinux
import Dispatch
import Glibc

/// Reports when a descriptor can be read or written, once each time it is armed.
///
/// While it is not armed it costs nothing: no wake-up, and no read-ahead of the peer's bytes. An
/// epoll set of its own watches the descriptor, and Dispatch watches the set (CLinux has the
/// reason).
/// `@unchecked Sendable`: it is used on `queue` only, and its source runs there.
package final class DescriptorSource: @unchecked Sendable {
  private let descriptor: CInt
  private let queue: DispatchQueue
  private var onReadable: (() -> Void)?
  private var onWritable: (() -> Void)?
  /// The armed events, and the events that the set watches: `natter_ready_in`, `natter_ready_out`.
  private var armed: CInt = 0
  private var watched: CInt = 0
  private var set: CInt = -1
  private var source: (any DispatchSourceRead)?
  private var isCancelled = false

  /// The pause before another attempt, when the process has no descriptor left for a set or the
  /// system no memory.
  private static let pause = DispatchTimeInterval.milliseconds(100)

  package init(
    descriptor: CInt, queue: DispatchQueue, onReadable: @escaping () -> Void,
    onWritable: @escaping () -> Void = {}
  ) {
    self.descriptor = descriptor
    self.queue = queue
    self.onReadable = onReadable
    self.onWritable = onWritable
  }

  package func armRead() { arm(natter_ready_in) }

  package func armWrite() { arm(natter_ready_out) }

  /// Stops watching, then calls `completion` (on the queue). The descriptor may be closed only
  /// then.
  package func cancel(then completion: @escaping () -> Void) {
    guard !isCancelled else { return }
    isCancelled = true
    onReadable = nil
    onWritable = nil
    guard let source else { return completion() }
    self.completion = completion
    source.setCancelHandler { [self] in
      self.source = nil
      Glibc.close(set)
      let completion = self.completion
      self.completion = nil
      completion?()
    }
    source.cancel()
  }

  private var completion: (() -> Void)?

  private func arm(_ event: CInt) {
    guard !isCancelled, armed & event == 0 else { return }
    armed |= event
    // An event that a callback armed again is still watched.
    if watched & event == 0 { watch() }
  }

  private func watch() {
    guard isWatchable, natter_watch_set(set, descriptor, armed) == 0 else {
      queue.asyncAfter(deadline: .now() + Self.pause) { [self] in
        if !isCancelled, watched != armed { watch() }
      }
      return
    }
    watched = armed
  }

  /// Indicates whether the set exists; creates it on first use.
  private var isWatchable: Bool {
    if source != nil { return true }
    set = natter_watch_open()
    guard set >= 0 else { return false }
    let source = DispatchSource.makeReadSource(fileDescriptor: set, queue: queue)
    source.setEventHandler { [self] in report() }
    source.activate()
    self.source = source
    return true
  }

  private func report() {
    var ready = natter_ready()
    guard !isCancelled, natter_watch_take(set, &ready, 1, 0) == 1 else { return }
    // An error, or the end of the stream, is reported to every waiting callback.
    let isOver = ready.events & natter_ready_err != 0 || ready.events & armed == 0
    let events = isOver ? armed : ready.events & armed
    armed &= ~events
    if events & natter_ready_in != 0 { onReadable?() }
    if events & natter_ready_out != 0 { onWritable?() }
    if !isCancelled, watched != armed { watch() }
  }
}
