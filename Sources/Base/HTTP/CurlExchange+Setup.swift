import CCurl
import Glibc
import Sockets

extension CurlExchange {
  /// Creates and configures the easy handle.
  func configure() throws(HTTPError) -> UnsafeMutableRawPointer {
    guard let easy = curl_easy_init() else { throw .library(CurlLibrary.problem) }
    self.easy = easy
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    self.errorText = errorText
    natter_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    try set(CURLOPT_URL, request.address.description)
    try set(CURLOPT_PROTOCOLS_STR, request.address.isEncrypted ? "https" : "http")
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    // With HTTP/2, one connection carries several requests, so a new request waits until the
    // protocol is known. Without TLS it is known only after the first answer, which may take as
    // long as a file does; and a file gets its own connection as soon as possible.
    try set(CURLOPT_PIPEWAIT, request.address.isEncrypted && !movesFile ? 1 : 0)
    let isDirect = request.address.isLoopback || !ProxyEnvironment.holds(for: request.address)
    if isDirect { try set(CURLOPT_NOPROXY, "*") }
    natter_setopt_private_sockets(easy)
    let this = Unmanaged.passUnretained(self).toOpaque()
    if request.reach != nil, isDirect {
      natter_setopt_open(easy, socketWanted, this)
    }
    let limits = request.timeLimits
    try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(limits.connecting))
    if let total = limits.total { try set(CURLOPT_TIMEOUT_MS, milliseconds(total)) }
    try set(CURLOPT_LOW_SPEED_LIMIT, 1)
    try set(CURLOPT_LOW_SPEED_TIME, max(1, Int(limits.standstill.components.seconds)))
    var bundle: UnsafePointer<CChar>?
    natter_getinfo_string(easy, CURLINFO_CAINFO, &bundle)
    if request.address.isEncrypted,
      let bytes = try authorities.bundle(besides: bundle.map { String(cString: $0) })
    {
      natter_setopt_blob(easy, CURLOPT_CAINFO_BLOB, bytes, bytes.count)
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    natter_setopt_bytes(easy, CURLOPT_HEADERFUNCTION, headerCame, CURLOPT_HEADERDATA, context)
    natter_setopt_bytes(easy, CURLOPT_WRITEFUNCTION, bytesCame, CURLOPT_WRITEDATA, context)
    try configureBody(easy, context)
    return easy
  }

  private func configureBody(
    _ easy: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
  ) throws(HTTPError) {
    // Without this libcurl waits a second for a "100 Continue" that many servers never send.
    var lines = ["Expect:"]
    if case .memory = request.destination, request.method != .head {
      try set(CURLOPT_ACCEPT_ENCODING, "")
    } else if request.headers["Accept-Encoding"] == nil {
      // Lengths and offsets must be those of the file itself, not of a compressed form (RFC 9110
      // §8.4).
      lines.append("Accept-Encoding: identity")
    }
    if case .file = request.destination { try set(CURLOPT_BUFFERSIZE, 256 << 10) }
    switch request.body {
    case .none:
      switch request.method {
      case .get: break
      case .head: try set(CURLOPT_NOBODY, 1)
      case .post, .put, .delete:
        if request.method != .delete { lines.append("Content-Length: 0") }
        try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
      }
    case .bytes(let bytes):
      natter_setopt_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
      guard
        bytes.withUnsafeBytes({ raw in
          natter_setopt_pointer(
            easy, CURLOPT_COPYPOSTFIELDS,
            raw.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) } ?? context)
        }) == CURLE_OK
      else { throw .library("CURLOPT_COPYPOSTFIELDS") }
      if request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
      try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    case .file(_, let byteCount):
      try set(CURLOPT_UPLOAD, 1)
      try set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
      natter_setopt_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(byteCount))
      natter_setopt_bytes(easy, CURLOPT_READFUNCTION, bytesWanted, CURLOPT_READDATA, context)
      natter_setopt_seek(easy, seekWanted, context)
      if request.method != .put { try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
    }
    // libcurl leaves out a field without a value, unless a semicolon replaces the colon.
    lines += request.headers.fields.map {
      $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
    }
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(list, line) else { throw .library("out of memory") }
      list = longer
    }
    if let list {
      lists.append(list)
      natter_setopt_pointer(easy, CURLOPT_HTTPHEADER, list)
    }
  }

  private func milliseconds(_ duration: Duration) -> Int {
    let parts = duration.components
    return max(1, Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000))
  }

  private func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
    let code = natter_setopt_string(easy, option, value)
    if code != CURLE_OK { throw .library(String(cString: curl_easy_strerror(code))) }
  }

  private func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
    let code = natter_setopt_long(easy, option, value)
    if code != CURLE_OK { throw .library(String(cString: curl_easy_strerror(code))) }
  }
}

// MARK: libcurl's callbacks

private func exchange(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
  context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
}

/// Creates the socket for an address of the host, if the request may reach that address.
private func socketWanted(
  context: UnsafeMutableRawPointer?, purpose: curlsocktype,
  address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let exchange = exchange(context), let address,
    let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr)
  else { return -1 }
  // The member is declared shorter than an IPv6 address.
  let raw = UnsafeRawBufferPointer(
    start: UnsafeRawPointer(address) + start, count: Int(address.pointee.addrlen))
  guard exchange.mayReach(PrivateNetwork.bytes(of: raw, family: address.pointee.family)) else {
    return -1
  }
  return socket(
    address.pointee.family, address.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue),
    address.pointee.protocol)
}

private func headerCame(
  bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let exchange = exchange(context) else { return 0 }
  let all = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return exchange.take(header: all) ? all.count : 0
}

private func bytesCame(
  bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let exchange = exchange(context) else { return 0 }
  let all = UnsafeRawBufferPointer(start: bytes, count: size * count)
  if exchange.isPaused { return Int(CURL_WRITEFUNC_PAUSE) }
  return exchange.take(all) ? all.count : 0
}

private func bytesWanted(
  buffer: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  let room = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
  guard let exchange = exchange(context) else { return Int(CURL_READFUNC_ABORT) }
  if exchange.isPaused { return Int(CURL_READFUNC_PAUSE) }
  return exchange.give(into: room) ?? Int(CURL_READFUNC_ABORT)
}

private func seekWanted(
  context: UnsafeMutableRawPointer?, offset: curl_off_t, origin: CInt
) -> CInt {
  guard origin == SEEK_SET, let exchange = exchange(context), exchange.go(to: Int(offset)) else {
    return CInt(CURL_SEEKFUNC_CANTSEEK)
  }
  return CInt(CURL_SEEKFUNC_OK)
}
