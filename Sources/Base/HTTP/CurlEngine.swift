import CCurl
import CLinux
import Dispatch
import Glibc
import Sockets

/// Drives libcurl's multi handle from one serial queue, only when a socket is ready or a timer is
/// due.
///
/// One epoll set watches the sockets, and Dispatch watches the set, so libcurl may close a socket
/// at any time.
/// `@unchecked Sendable`: everything is accessed on `queue` only.
final class CurlEngine: @unchecked Sendable {
  private let queue = DispatchQueue(label: "natter.http")
  private var multi: UnsafeMutableRawPointer?
  private var set: CInt = -1
  private var source: (any DispatchSourceRead)?
  private var timer: (any DispatchSourceTimer)?
  /// The time at which libcurl wants to be called, and the time of the armed timer, which is not
  /// later.
  private var (due, armed): (DispatchTime?, DispatchTime?)
  private var exchanges: [UnsafeMutableRawPointer: CurlExchange] = [:]
  private var isClosed = false

  /// Ends all running requests and releases everything.
  func close() {
    queue.async { [self] in
      isClosed = true
      for exchange in exchanges.values { end(exchange, with: .failure(.cancelled)) }
      timer?.cancel()
      timer = nil
      if let multi { curl_multi_cleanup(multi) }
      multi = nil
      let set = set
      source?.setCancelHandler { if set >= 0 { Glibc.close(set) } }
      source?.cancel()
      source = nil
    }
  }

  /// Begins an exchange; its outcome is settled when it is over.
  func start(_ exchange: CurlExchange) {
    queue.async { [self] in
      if exchange.outcome.isSettled { return }
      do throws(HTTPError) {
        let multi = try prepared()
        exchange.after = { [queue] in queue.asyncAfter(deadline: .now() + $0, execute: $1) }
        let easy = try exchange.configure()
        exchanges[easy] = exchange
        exchange.control?.attach { [weak self, weak exchange] isPaused in
          guard let self, let exchange else { return }
          queue.async { self.setPaused(isPaused, exchange) }
        }
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
          throw .library("curl_multi_add_handle")
        }
      } catch {
        end(exchange, with: .failure(error))
      }
    }
  }

  func cancel(_ exchange: CurlExchange) {
    queue.async { [self] in end(exchange, with: .failure(.cancelled)) }
  }

  // MARK: On the queue

  private func prepared() throws(HTTPError) -> UnsafeMutableRawPointer {
    if let multi { return multi }
    guard !isClosed, CurlLibrary.isReady, let multi = curl_multi_init() else {
      throw isClosed ? .cancelled : .library(CurlLibrary.problem)
    }
    let set = natter_watch_open()
    guard set >= 0 else {
      curl_multi_cleanup(multi)
      throw .library(String(cString: strerror(errno)))
    }
    self.multi = multi
    self.set = set
    // Not retained: `close` runs before the last reference is released, and frees the handle.
    let context = Unmanaged.passUnretained(self).toOpaque()
    natter_multi_setopt_socket(multi, socketChanged, context)
    natter_multi_setopt_timer(multi, timerChanged, context)
    natter_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, 8)
    // No limit of connections per host: a paused transfer keeps its connection, and all others
    // would wait for it. The caller limits the concurrent transfers.
    let source = DispatchSource.makeReadSource(fileDescriptor: set, queue: queue)
    source.setEventHandler { [weak self] in self?.socketsAreReady() }
    source.activate()
    self.source = source
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.timeIsUp() }
    timer.schedule(deadline: .distantFuture)
    timer.activate()
    self.timer = timer
    return multi
  }

  fileprivate func watch(_ descriptor: CInt, _ what: CInt) {
    var events: CInt = 0
    if what == CURL_POLL_IN || what == CURL_POLL_INOUT { events |= natter_ready_in }
    if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { events |= natter_ready_out }
    // A closed descriptor has left the set by itself; this is the only possible failure.
    _ = natter_watch_set(set, descriptor, events)
  }

  fileprivate func wake(afterMilliseconds delay: Int) {
    due = delay < 0 ? nil : .now() + .milliseconds(delay)
    arm()
  }

  /// Arms the timer unless it fires early enough already. libcurl postpones its deadline with each
  /// piece of a file, and a timer that fires too early costs less than setting it each time.
  private func arm() {
    guard let due, armed.map({ due < $0 }) ?? true else { return }
    armed = due
    timer?.schedule(deadline: due, leeway: .milliseconds(1))
  }

  private func timeIsUp() {
    armed = nil
    guard let due else { return }
    if due > .now() { return arm() }
    self.due = nil
    act(on: CURL_SOCKET_TIMEOUT, 0)
  }

  private func socketsAreReady() {
    var ready = [natter_ready](repeating: natter_ready(), count: 32)
    // While a file is transferred, more data arrives within the millisecond. A wake-up for each
    // piece of 16 kB involves two other threads and costs more than the piece itself. The limit
    // lets other work on the queue run, such as a cancellation.
    let end = DispatchTime.now() + .milliseconds(20)
    var wait: CInt = 0
    repeat {
      let count = natter_watch_take(set, &ready, CInt(ready.count), wait)
      guard count > 0 else { return }
      for one in ready.prefix(Int(count)) { act(on: one.descriptor, one.events) }
      wait = exchanges.values.contains(where: \.movesFile) ? 1 : 0
    } while multi != nil && DispatchTime.now() < end
  }

  private func act(on descriptor: CInt, _ events: CInt) {
    guard let multi else { return }
    var running: CInt = 0
    curl_multi_socket_action(multi, descriptor, events, &running)
    var left: CInt = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let exchange = exchanges[easy]
      else { continue }
      end(exchange, with: exchange.result(natter_message_result(message)))
    }
  }

  private func setPaused(_ isPaused: Bool, _ exchange: CurlExchange) {
    guard let easy = exchange.easy, exchanges[easy] === exchange else { return }
    // The callbacks refuse data, too: libcurl forgets a pause that it receives before it has begun
    // with the request.
    curl_easy_pause(easy, isPaused ? CInt(CURLPAUSE_RECV | CURLPAUSE_SEND) : CInt(CURLPAUSE_CONT))
  }

  /// Ends an exchange; nothing of the request is used after this.
  private func end(_ exchange: CurlExchange, with result: CurlExchange.Result) {
    if let easy = exchange.easy {
      if exchanges.removeValue(forKey: easy) != nil, let multi {
        curl_multi_remove_handle(multi, easy)
      }
      exchange.control?.attach(nil)
      exchange.dispose()
    }
    exchange.outcome.settle(result)
  }
}

/// libcurl's callback for changes of the watched sockets (`CURLMOPT_SOCKETFUNCTION`).
private func socketChanged(
  _: UnsafeMutableRawPointer?, descriptor: curl_socket_t, what: CInt,
  context: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?
) -> CInt {
  guard let context else { return 0 }
  Unmanaged<CurlEngine>.fromOpaque(context).takeUnretainedValue().watch(descriptor, what)
  return 0
}

/// libcurl's callback for changes of its deadline (`CURLMOPT_TIMERFUNCTION`).
private func timerChanged(
  _: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?
) -> CInt {
  guard let context else { return 0 }
  Unmanaged<CurlEngine>.fromOpaque(context).takeUnretainedValue()
    .wake(afterMilliseconds: milliseconds)
  return 0
}
