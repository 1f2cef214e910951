import BoundedText
import CCurl
import Dispatch
import Glibc
import Sockets

/// One request on its way and the reply that comes: an easy handle of libcurl and what its callbacks gather.
///
/// `@unchecked Sendable`: but for `outcome` it is touched on the engine's queue only.
final class CurlExchange: @unchecked Sendable {
  /// The reply, and where it points to when it redirects.
  typealias Result = Swift.Result<(HTTPResponse, location: String?), HTTPError>

  let request: HTTPRequest
  let control: TransferControl?
  let authorities: TrustedAuthorities
  let outcome = Outcome<Result>()
  var easy: UnsafeMutableRawPointer?

  var lists: [UnsafeMutablePointer<curl_slist>] = []
  var errorText: UnsafeMutablePointer<CChar>?
  private var status = 0
  private var headers = HTTPHeaders()
  private var headerBytes = 0
  private var memory: [UInt8] = []
  /// Where in the file the reply began, once that is decided.
  private var fileStart: Int?
  /// How many bytes the file will have, where the server tells: looked up once, not for each piece.
  private var fileLength: Int?
  private var received = 0
  /// Of that, what is not in the file yet.
  private var unwritten: [UInt8] = []
  private var sent = 0
  /// Why a callback gave up.
  private var failure: HTTPError?
  /// An address of the host that the request may not go to.
  private(set) var refusedAddress: [UInt8]?
  /// Whether the callbacks take and give nothing for the time being.
  var isPaused: Bool { control?.isPaused ?? false }
  private var lastReport: UInt64 = 0
  /// What moved since, and is told when its time comes.
  private var owed: TransferProgress?
  /// Has something done on the engine's queue in a while.
  var after: (DispatchTimeInterval, @escaping @Sendable () -> Void) -> Void = { _, _ in }

  private static let headerLimit = 256 << 10
  /// Files are written in parts of this size, at multiples of it: what a TLS record brings begins and ends anywhere in a page,
  /// and costs the system twice as much.
  private static let partSize = 256 << 10
  /// As much of a reply that goes into no file is kept when a file was wanted: words of the server.
  private static let wordsLimit = 64 << 10

  init(_ request: HTTPRequest, control: TransferControl?, authorities: TrustedAuthorities) {
    self.request = request
    self.authorities = authorities
    self.control = control
  }

  var host: String { request.address.host }

  /// Whether it sends or fetches a file, and does so now.
  var movesFile: Bool {
    if isPaused { return false }
    if case .file = request.body { return true }
    if case .file = request.destination { return true }
    return false
  }

  /// Whether a connection to an address of the host may be made; `nil`: of no family that is known.
  func mayReach(_ address: [UInt8]?) -> Bool {
    guard let reach = request.reach else { return true }
    guard let address else { return false }
    guard reach.permits(host, at: address) else {
      refusedAddress = address
      return false
    }
    return true
  }

  // MARK: Before

  func dispose() {
    // Of one that was cancelled; whoever did that hears of nothing else.
    try? writeRest()
    unwritten = []
    if let easy { curl_easy_cleanup(easy) }
    easy = nil
    for list in lists { curl_slist_free_all(list) }
    lists = []
    errorText?.deallocate()
    errorText = nil
  }

  // MARK: During

  func take(header bytes: UnsafeRawBufferPointer) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= Self.headerLimit else {
      failure = .malformed("more than \(Self.headerLimit) bytes of headers")
      return false
    }
    let line = String(bounding: bytes)
    if line.hasPrefix("HTTP/") {
      // Another reply begins; what was before said "wait" (RFC 9110 §15.2).
      headers = HTTPHeaders()
      let parts = line.split(separator: " ", maxSplits: 2)
      status = parts.count > 1 ? Int(parts[1].prefix(3)) ?? 0 : 0
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers.append(
        String(line[..<colon]), String(value.prefix { !$0.isNewline }))
    }
    return true
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    do throws(HTTPError) {
      guard case .file(let descriptor, _) = request.destination, status == 200 || status == 206
      else {
        try keep(bytes)
        return true
      }
      let start = try fileBegins()
      guard start + received + bytes.count <= request.sizeLimit else {
        throw .tooLarge(limit: request.sizeLimit)
      }
      unwritten += bytes
      received += bytes.count
      let due = unwritten.count - (start + received) % Self.partSize
      if due > 0 { try write(due, to: descriptor) }
      report(start + received, of: fileLength)
      return true
    } catch {
      failure = error
      return false
    }
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
    if case .file = request.destination {
      memory += bytes.prefix(max(0, Self.wordsLimit - memory.count))
      return
    }
    guard memory.count + bytes.count <= request.sizeLimit else {
      throw .tooLarge(limit: request.sizeLimit)
    }
    memory += bytes
  }

  /// Decides where in the file the reply's first byte goes.
  private func fileBegins() throws(HTTPError) -> Int {
    if let fileStart { return fileStart }
    guard case .file(let descriptor, let offset) = request.destination else { return 0 }
    var start = 0
    if status == 206 {
      // "bytes 4000-4999/5000" (RFC 9110 §14.4). Some servers are out by one in what follows the first number.
      let range = headers["Content-Range"]?.lowercased() ?? ""
      let digits = range.drop { !$0.isNumber }.prefix { $0.isNumber }
      guard range.hasPrefix("bytes"), Int(digits) == offset else {
        throw .wrongRange("Content-Range: \(range) for an offset of \(offset)")
      }
      start = offset
    }
    if let length = headers["Content-Length"].flatMap({ Int($0) }) {
      guard length <= request.sizeLimit - start else { throw .tooLarge(limit: request.sizeLimit) }
      fileLength = start + length
    }
    guard ftruncate(descriptor, start) == 0 else { throw .unwritable(errno: errno) }
    fileStart = start
    return start
  }

  /// Writes the first of what is not written yet.
  private func write(_ count: Int, to descriptor: CInt) throws(HTTPError) {
    let place = (fileStart ?? 0) + received - unwritten.count
    var done = 0
    var problem: CInt?
    unwritten.withUnsafeBytes { bytes in
      while done < count {
        let written = pwrite(
          descriptor, bytes.baseAddress.map { $0 + done }, count - done, off_t(place + done))
        if written < 0, errno == EINTR { continue }
        guard written > 0 else {
          problem = errno
          return
        }
        done += written
      }
    }
    unwritten.removeFirst(done)
    if let problem { throw .unwritable(errno: problem) }
  }

  /// Writes what is left, however the request ends: another one goes on from there.
  private func writeRest() throws(HTTPError) {
    guard case .file(let descriptor, _) = request.destination, !unwritten.isEmpty else { return }
    try write(unwritten.count, to: descriptor)
  }

  /// - Returns: how many bytes of the file were put into `buffer`; `nil` when they cannot be read.
  func give(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard case .file(let descriptor, let byteCount) = request.body else { return 0 }
    let wanted = min(buffer.count, byteCount - sent)
    if wanted == 0 { return 0 }
    while true {
      let count = pread(descriptor, buffer.baseAddress, wanted, off_t(sent))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        failure = .unreadable(errno: count < 0 ? errno : 0)
        return nil
      }
      sent += count
      report(sent, of: byteCount)
      return count
    }
  }

  func go(to offset: Int) -> Bool {
    guard case .file(_, let byteCount) = request.body, (0...byteCount).contains(offset) else {
      // Bytes in memory are libcurl's own business.
      return false
    }
    sent = offset
    return true
  }

  private func report(_ count: Int, of total: Int?, atOnce: Bool = false) {
    guard let tell = control?.onProgress else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    let progress = TransferProgress(byteCount: count, total: total)
    guard atOnce || now - lastReport >= Self.pause else {
      let isAwaited = owed != nil
      owed = progress
      // What came last before nothing comes is told, too.
      if !isAwaited {
        after(.nanoseconds(Int(lastReport + Self.pause - now))) { [weak self] in self?.reportOwed()
        }
      }
      return
    }
    (lastReport, owed) = (now, nil)
    tell(progress)
  }

  /// Between two reports, in nanoseconds.
  private static let pause: UInt64 = 100_000_000

  private func reportOwed() {
    guard let owed, easy != nil else { return }
    (lastReport, self.owed) = (DispatchTime.now().uptimeNanoseconds, nil)
    control?.onProgress?(owed)
  }

  // MARK: After

  /// What came of it, now that libcurl is done.
  func result(_ code: CURLcode) -> Result {
    do throws(HTTPError) {
      if failure == nil { try writeRest() }
      // A server that refuses what it is sent may say so and close; the words count, the broken pipe does not.
      let breaks = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM]
      let isAnswered = status >= 400 && failure == nil && breaks.contains(code)
      if code != CURLE_OK, !isAnswered { throw failure ?? error(code) }
      if case .file(_, let byteCount) = request.body {
        if sent == byteCount { report(sent, of: byteCount, atOnce: true) }
        if sent < byteCount, (200..<300).contains(status) { throw .incomplete(host: host) }
      }
      var written: (offset: Int, byteCount: Int)?
      if case .file = request.destination, status == 200 || status == 206 {
        let start = try fileBegins()
        written = (start, received)
        report(start + received, of: start + received, atOnce: true)
      }
      let response = HTTPResponse(
        status: status, headers: headers, body: memory, address: request.address, written: written)
      return .success((response, location()))
    } catch {
      return .failure(error)
    }
  }

  private func location() -> String? {
    guard [301, 302, 303, 307, 308].contains(status), headers["Location"] != nil else {
      return nil
    }
    var text: UnsafePointer<CChar>?
    natter_getinfo_string(easy, CURLINFO_REDIRECT_URL, &text)
    return text.map { String(cString: $0) } ?? headers["Location"]
  }
}
