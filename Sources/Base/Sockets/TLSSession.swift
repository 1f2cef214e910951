import CCurl
// For `timespec`: the C module that it belongs to depends on the order in which the files are
// compiled.
import CResolv
import Glibc
import Synchronization

/// A libcurl connection that does nothing but TLS (`CURLOPT_CONNECT_ONLY`).
///
/// Its own multi handle makes the handshake interruptible from another thread
/// (`curl_multi_wakeup`).
/// `@unchecked Sendable`: everything is called on the connection's serial queue only, because
/// libcurl's handles do not support concurrent use.
final class TLSSession: Transport, @unchecked Sendable {
  /// The way libcurl reaches the server.
  enum Route: Sendable {
    /// By TCP, to the first of the addresses that answers.
    case addresses([SocketAddress])
    /// By a socket in Linux' abstract namespace.
    case abstractSocket(name: String)
  }

  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private let interruption: Interruption
  private var isDisposed = false
  private var ending: TransportRead?
  private var capacity = 4096

  private let domain: String
  private let host: String
  private let port: Int
  private let isTCP: Bool

  private(set) var descriptor: CInt = -1
  /// The channel bindings of this connection, after the handshake.
  private(set) var channelBindings: [ChannelBinding] = []
  /// The version, as "TLSv1.3", after the handshake; `nil` where the library does not expose it.
  private(set) var version: String?
  /// The cipher suite by its OpenSSL name; `nil` if unknown.
  private(set) var cipher: String?
  /// The bytes that arrived together with the end of the handshake.
  private var early: [UInt8] = []

  /// - Parameter domain: the domain whose certificate is requested and checked.
  /// - Parameter host: with `port`, the destination: for messages.
  /// - Throws: `.tls` when libcurl rejects an option; `.authorities` when the authorities cannot be
  ///   read; `.library` when libcurl cannot be used; `.unknownHost` for an invalid domain.
  init(
    domain: String, host: String, port: Int, route: Route, trust: TrustOptions,
    interruption: Interruption
  ) throws(SocketError) {
    guard let name = DomainName.ascii(domain), Self.isSafe(name) else {
      throw .unknownHost(domain)
    }
    guard CurlLibrary.isReady, let easy = curl_easy_init() else {
      throw Self.unusableLibrary
    }
    guard let multi = curl_multi_init() else {
      curl_easy_cleanup(easy)
      throw Self.unusableLibrary
    }
    self.easy = easy
    self.multi = multi
    self.domain = domain
    self.host = host
    self.port = port
    self.interruption = interruption
    if case .addresses = route { isTCP = true } else { isTCP = false }
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    interruption.attach(multi)
    // After an error, `deinit` releases everything.
    try configure(name, route, trust)
  }

  deinit { dispose() }

  /// Returns whether `domain` is valid in a URL and has the same meaning there.
  private static func isSafe(_ domain: String) -> Bool {
    !domain.isEmpty && domain.utf8.count <= 1023
      && domain.utf8.allSatisfy { byte in
        switch Unicode.Scalar(byte) {
        case "a"..."z", "0"..."9", "-", ".", "_", ":", "[", "]": true
        default: false
        }
      }
  }

  // MARK: Handshake

  private func configure(
    _ name: String, _ route: Route, _ trust: TrustOptions
  ) throws(SocketError) {
    let isIPv6 = name.contains(":") && !name.hasPrefix("[")
    try set(CURLOPT_URL, "https://\(isIPv6 ? "[\(name)]" : name):\(port == 0 ? 443 : port)/")
    try set(CURLOPT_CONNECT_ONLY, 1)
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_PROTOCOLS_STR, "https")
    // No proxy, not even one of the environment: those are for HTTP.
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_NOPROXY, "*")
    // libcurl offers only names of HTTP by ALPN, which are wrong here.
    try set(CURLOPT_SSL_ENABLE_ALPN, 0)
    // The lowest version allowed (RFC 7590 §3.1); the constants belong to an unnamed enumeration.
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    guard natter_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText) == CURLE_OK else {
      throw .tls("libcurl: CURLOPT_ERRORBUFFER")
    }
    switch route {
    case .abstractSocket(let name):
      try set(CURLOPT_ABSTRACT_UNIX_SOCKET, name)
    case .addresses(let addresses):
      // Connect to this name regardless of the URL, and resolve the name to these addresses: the
      // certificate is still checked against the URL.
      let list = addresses.compactMap { address -> String? in
        guard let text = address.numericHost, !text.contains("%") else { return nil }
        return address.family == AF_INET6 ? "[\(text)]" : text
      }
      if list.isEmpty { throw .unknownHost(host) }
      let name = "target.natter.invalid"
      try set(CURLOPT_CONNECT_TO, list: "::\(name):\(port)")
      try set(CURLOPT_RESOLVE, list: "\(name):\(port):\(list.joined(separator: ","))")
    }
    if let bundle = try trust.bundle(systemBundle: text(CURLINFO_CAINFO)) {
      guard natter_setopt_blob(easy, CURLOPT_CAINFO_BLOB, bundle, bundle.count) == CURLE_OK else {
        throw .tls("libcurl: CURLOPT_CAINFO_BLOB")
      }
    }
  }

  private func set(_ option: CURLoption, _ value: String) throws(SocketError) {
    let code = natter_setopt_string(easy, option, value)
    guard code == CURLE_OK else { throw Self.unusable(code) }
  }

  private func set(_ option: CURLoption, _ value: Int) throws(SocketError) {
    let code = natter_setopt_long(easy, option, value)
    guard code == CURLE_OK else { throw Self.unusable(code) }
  }

  /// libcurl is missing or too old.
  private static var unusableLibrary: SocketError {
    .library(CurlLibrary.problem)
  }

  private static func unusable(_ code: CURLcode) -> SocketError {
    .tls("libcurl: \(String(cString: curl_easy_strerror(code)))")
  }

  private func set(_ option: CURLoption, list value: String) throws(SocketError) {
    guard let list = curl_slist_append(nil, value) else { throw .tls("libcurl: out of memory") }
    lists.append(list)
    guard natter_setopt_pointer(easy, option, list) == CURLE_OK else {
      throw .tls("libcurl: \(value)")
    }
  }

  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard natter_getinfo_string(easy, info, &value) == CURLE_OK else { return nil }
    return value.map { String(cString: $0) }
  }

  /// Connects and performs the handshake; blocks for `limit` at most.
  /// - Throws: the reason why there is no verified connection; `.closed` after an interruption.
  func handshake(limit: Duration) throws(SocketError) {
    let deadline = ContinuousClock.now + limit
    try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, limit.milliseconds))
    guard curl_multi_add_handle(multi, easy) == CURLM_OK else { throw .tls("libcurl: multi") }
    let code = withoutBrokenPipeSignal { perform(until: deadline) }
    switch code {
    case CURLE_OK: break
    case CURLE_ABORTED_BY_CALLBACK: throw .closed
    default: throw failure(code)
    }
    var socket = curl_socket_t(-1)
    guard natter_getinfo_socket(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK, socket >= 0
    else { throw .closed }
    descriptor = socket
    if isTCP { Descriptor.prepare(socket) }
    // libcurl exposes the TLS session only of a connection that is in use, hence this read, which
    // does not wait.
    if case .bytes(let bytes) = read() { early = bytes }
    channelBindings = ChannelBinding.all(of: easy)
    version = natter_tls_version(easy).map { String(cString: $0) }
    cipher = natter_tls_cipher(easy).map { String(cString: $0) }
  }

  private func perform(until deadline: ContinuousClock.Instant) -> CURLcode {
    var running: CInt = 1
    while true {
      guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
      if running == 0 { break }
      if interruption.hasCome { return CURLE_ABORTED_BY_CALLBACK }
      let rest = ContinuousClock.now.duration(to: deadline)
      if rest <= .zero { return CURLE_OPERATION_TIMEDOUT }
      guard curl_multi_poll(multi, nil, 0, CInt(rest.milliseconds), nil) == CURLM_OK else {
        return CURLE_FAILED_INIT
      }
    }
    var left: CInt = 0
    guard let message = curl_multi_info_read(multi, &left), message.pointee.msg == CURLMSG_DONE
    else { return CURLE_FAILED_INIT }
    return natter_message_result(message)
  }

  private func failure(_ code: CURLcode) -> SocketError {
    var detail = String(cString: errorText)
    if detail.isEmpty { detail = String(cString: curl_easy_strerror(code)) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(host)
    case CURLE_OPERATION_TIMEDOUT: return .timedOut(host: host, port: port)
    case CURLE_COULDNT_CONNECT:
      var system = 0
      natter_getinfo_long(easy, CURLINFO_OS_ERRNO, &system)
      switch CInt(truncatingIfNeeded: system) {
      case ECONNREFUSED: return .refused(host: host, port: port)
      case ETIMEDOUT: return .timedOut(host: host, port: port)
      case let other: return .unreachable(host: host, port: port, errno: other)
      }
    case CURLE_PEER_FAILED_VERIFICATION:
      var result = 0
      natter_getinfo_long(easy, CURLINFO_SSL_VERIFYRESULT, &result)
      let problem = CertificateProblem(verifyResult: result, detail: detail)
      return .certificate(problem, host: domain, detail: detail)
    default: return .tls(detail)
    }
  }

  // MARK: Bytes

  func read() -> TransportRead {
    if !early.isEmpty {
      defer { early = [] }
      return .bytes(early)
    }
    if let ending { return ending }
    var code = CURLE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      // A call returns one TLS record at most. Bytes left in the TLS layer do not make the
      // descriptor readable, so everything is read.
      while count < buffer.count {
        var received = 0
        code = withoutBrokenPipeSignal {
          curl_easy_recv(
            easy, buffer.baseAddress.map { $0 + count }, buffer.count - count, &received)
        }
        if code != CURLE_OK { break }
        if received == 0 {
          ending = .end
          break
        }
        count += received
      }
    }
    if code != CURLE_OK, code != CURLE_AGAIN { ending = .failed(broken(code)) }
    if !bytes.isEmpty {
      if bytes.count == capacity, capacity < 128 * 1024 {
        capacity *= 2
      } else if bytes.count < capacity / 4, capacity > 4096 {
        capacity /= 2
      }
      return .bytes(bytes)
    }
    return ending ?? .again
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> TransportWrite {
    var sent = 0
    let code = withoutBrokenPipeSignal {
      curl_easy_send(easy, bytes.baseAddress, bytes.count, &sent)
    }
    switch code {
    case CURLE_OK: return sent > 0 || bytes.isEmpty ? .wrote(sent) : .again
    case CURLE_AGAIN: return .again
    default: return .failed(broken(code))
    }
  }

  private func broken(_ code: CURLcode) -> SocketError {
    let detail = String(cString: errorText)
    let isOnlyGone =
      detail.isEmpty || detail.contains("reset by peer") || detail.contains("unexpected eof")
      || detail.contains("Broken pipe") || detail.contains("SSL_ERROR_SYSCALL")
    return isOnlyGone ? .closed : .tls(detail)
  }

  func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    interruption.detach()
    withoutBrokenPipeSignal {
      curl_multi_remove_handle(multi, easy)
      curl_easy_cleanup(easy)
      curl_multi_cleanup(multi)
    }
    for list in lists { curl_slist_free_all(list) }
    errorText.deallocate()
  }
}

/// A switch that ends a running handshake from another thread.
///
/// `@unchecked Sendable`: the pointer is used under the lock only, and detached before it is freed.
final class Interruption: @unchecked Sendable {
  private struct State {
    var multi: UnsafeMutableRawPointer?
    var hasCome = false
  }

  private let lock = Mutex(())
  private var state = State()

  var hasCome: Bool { lock.withLock { _ in state.hasCome } }

  func interrupt() {
    lock.withLock { _ in
      state.hasCome = true
      if let multi = state.multi { curl_multi_wakeup(multi) }
    }
  }

  fileprivate func attach(_ multi: UnsafeMutableRawPointer) {
    lock.withLock { _ in state.multi = multi }
  }

  fileprivate func detach() { lock.withLock { _ in state.multi = nil } }
}

/// Runs `body` so that writing to a closed connection is an error and no signal, because OpenSSL
/// writes without `MSG_NOSIGNAL`. Does not change the process's handling of SIGPIPE, which child
/// processes would inherit.
private func withoutBrokenPipeSignal<R>(_ body: () -> R) -> R {
  var pipe = sigset_t()
  var before = sigset_t()
  var pending = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  sigpending(&pending)
  let wasPending = sigismember(&pending, SIGPIPE) == 1
  pthread_sigmask(SIG_BLOCK, &pipe, &before)
  let result = body()
  if !wasPending {
    sigpending(&pending)
    if sigismember(&pending, SIGPIPE) == 1 {
      var now = timespec(tv_sec: 0, tv_nsec: 0)
      sigtimedwait(&pipe, nil, &now)
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nil)
  return result
}
