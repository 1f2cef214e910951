import CCurl
import CEpoll
import Dispatch
import Glibc
import Sockets

/// Drives libcurl's multi handle from one serial queue: it runs when a socket is ready or a timer is due, and not otherwise.
///
/// The sockets are watched by one set (epoll), and Dispatch watches the set. So libcurl may close a socket whenever it likes.
/// `@unchecked Sendable`: everything is touched on `queue` only.
final class CurlEngine: @unchecked Sendable {
  private let queue = DispatchQueue(label: "natter.http")
  private var multi: UnsafeMutableRawPointer?
  private var set: CInt = -1
  private var source: (any DispatchSourceRead)?
  private var timer: (any DispatchSourceTimer)?
  /// When libcurl wants to be called, and when the timer will go off: not later.
  private var (due, armed): (DispatchTime?, DispatchTime?)
  private var exchanges: [UnsafeMutableRawPointer: CurlExchange] = [:]
  private var isClosed = false

  /// Ends what is under way and gives everything back.
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
    // Not retained: `close` runs before the last reference goes, and takes the handle away.
    let context = Unmanaged.passUnretained(self).toOpaque()
    natter_multi_setopt_socket(multi, socketChanged, context)
    natter_multi_setopt_timer(multi, timerChanged, context)
    natter_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, 8)
    // No limit to those of one host: what a person holds keeps its connection, and everything else would wait for it. Who moves
    // files says how many move at once.
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
    // A descriptor that is closed has left the set by itself; that is the only way in which this fails.
    _ = natter_watch_set(set, descriptor, events)
  }

  fileprivate func wake(afterMilliseconds delay: Int) {
    due = delay < 0 ? nil : .now() + .milliseconds(delay)
    arm()
  }

  /// libcurl puts its time off with each piece of a file: setting a timer as often costs more than one that goes off too early.
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
    // While a file moves there is more within the millisecond: to be woken for each piece of 16 kB takes two other threads,
    // and that costs more than the piece does. But what waits on the queue, like a cancellation, has its turn.
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
    // The callbacks refuse too, at once: what libcurl is told before it has begun with a request it forgets.
    curl_easy_pause(easy, isPaused ? CInt(CURLPAUSE_RECV | CURLPAUSE_SEND) : CInt(CURLPAUSE_CONT))
  }

  /// After this nothing of the request is used any more.
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

/// libcurl wants a socket watched in another way (`CURLMOPT_SOCKETFUNCTION`).
private func socketChanged(
  _: UnsafeMutableRawPointer?, descriptor: curl_socket_t, what: CInt,
  context: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?
) -> CInt {
  guard let context else { return 0 }
  Unmanaged<CurlEngine>.fromOpaque(context).takeUnretainedValue().watch(descriptor, what)
  return 0
}

/// libcurl wants to be called at another time (`CURLMOPT_TIMERFUNCTION`).
private func timerChanged(
  _: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?
) -> CInt {
  guard let context else { return 0 }
  Unmanaged<CurlEngine>.fromOpaque(context).takeUnretainedValue()
    .wake(afterMilliseconds: milliseconds)
  return 0
}
