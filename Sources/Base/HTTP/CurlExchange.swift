import BoundedText
import CCurl
import Dispatch
import Glibc
import Sockets

/// A running request and its reply: an easy handle of libcurl and the data that its callbacks
/// collect.
///
/// `@unchecked Sendable`: except for `outcome` it is accessed on the engine's queue only.
final class CurlExchange: @unchecked Sendable {
  /// The reply, and the target of a redirection.
  typealias Result = Swift.Result<(HTTPResponse, location: String?), HTTPError>

  let request: HTTPRequest
  let control: TransferControl?
  let authorities: TrustedAuthorities
  let outcome = OneShot<Result>()
  var easy: UnsafeMutableRawPointer?

  var lists: [UnsafeMutablePointer<curl_slist>] = []
  var errorText: UnsafeMutablePointer<CChar>?
  private var status = 0
  private var headers = HTTPHeaders()
  private var headerBytes = 0
  private var memory: [UInt8] = []
  /// The offset in the file at which the reply begins, once it is known.
  private var fileStart: Int?
  /// The final length of the file, if the server states it: computed once, not for each piece.
  private var fileLength: Int?
  private var received = 0
  /// The received bytes that are not in the file yet.
  private var unwritten: [UInt8] = []
  private var sent = 0
  /// The reason why a callback aborted.
  private var failure: HTTPError?
  /// An address of the host that the request may not reach.
  private(set) var refusedAddress: [UInt8]?
  /// Indicates whether the callbacks accept and supply nothing for now.
  var isPaused: Bool { control?.isPaused ?? false }
  private var lastReport: UInt64 = 0
  /// The progress since the last report, which is reported when the interval is over.
  private var owed: TransferProgress?
  /// Runs work on the engine's queue after a delay.
  var after: (DispatchTimeInterval, @escaping @Sendable () -> Void) -> Void = { _, _ in }

  private static let headerLimit = 256 << 10
  /// The size of writes to a file, at multiples of it. TLS records begin and end anywhere in a
  /// page, and writing them directly costs the system twice as much.
  private static let partSize = 256 << 10
  /// The maximum number of bytes that are kept of an error reply when a file was requested: the
  /// server's message.
  private static let textLimit = 64 << 10

  init(_ request: HTTPRequest, control: TransferControl?, authorities: TrustedAuthorities) {
    self.request = request
    self.authorities = authorities
    self.control = control
  }

  var host: String { request.address.host }

  /// Indicates whether the exchange sends or receives a file and is not paused.
  var movesFile: Bool {
    if isPaused { return false }
    if case .file = request.body { return true }
    if case .file = request.destination { return true }
    return false
  }

  /// Returns whether a connection to an address of the host is allowed; `nil` is an address of an
  /// unknown family.
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
    // Nothing reports an error of a cancelled transfer.
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
      // Another reply begins; the one before was interim (RFC 9110 §15.2).
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
      memory += bytes.prefix(max(0, Self.textLimit - memory.count))
      return
    }
    guard memory.count + bytes.count <= request.sizeLimit else {
      throw .tooLarge(limit: request.sizeLimit)
    }
    memory += bytes
  }

  /// Determines the offset in the file of the reply's first byte.
  private func fileBegins() throws(HTTPError) -> Int {
    if let fileStart { return fileStart }
    guard case .file(let descriptor, let offset) = request.destination else { return 0 }
    var start = 0
    if status == 206 {
      // "bytes 4000-4999/5000" (RFC 9110 §14.4). Some servers are off by one in the numbers after
      // the first.
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

  /// Writes the first `count` unwritten bytes.
  private func write(_ count: Int, to descriptor: CInt) throws(HTTPError) {
    let position = (fileStart ?? 0) + received - unwritten.count
    var done = 0
    var problem: CInt?
    unwritten.withUnsafeBytes { bytes in
      while done < count {
        let written = pwrite(
          descriptor, bytes.baseAddress.map { $0 + done }, count - done, off_t(position + done))
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

  /// Writes the remaining bytes, regardless of the result: another request continues from there.
  private func writeRest() throws(HTTPError) {
    guard case .file(let descriptor, _) = request.destination, !unwritten.isEmpty else { return }
    try write(unwritten.count, to: descriptor)
  }

  /// - Returns: the number of bytes of the file that were put into `buffer`; `nil` when they cannot
  ///   be read.
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
      // libcurl rewinds bytes in memory by itself.
      return false
    }
    sent = offset
    return true
  }

  private func report(_ count: Int, of total: Int?, atOnce: Bool = false) {
    guard let onProgress = control?.onProgress else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    let progress = TransferProgress(byteCount: count, total: total)
    guard atOnce || now - lastReport >= Self.pause else {
      let isAwaited = owed != nil
      owed = progress
      // The last progress before a stall is reported, too.
      if !isAwaited {
        after(.nanoseconds(Int(lastReport + Self.pause - now))) { [weak self] in self?.reportOwed()
        }
      }
      return
    }
    (lastReport, owed) = (now, nil)
    onProgress(progress)
  }

  /// The interval of reports, in nanoseconds.
  private static let pause: UInt64 = 100_000_000

  private func reportOwed() {
    guard let owed, easy != nil else { return }
    (lastReport, self.owed) = (DispatchTime.now().uptimeNanoseconds, nil)
    control?.onProgress?(owed)
  }

  // MARK: After

  /// Returns the result after libcurl has finished.
  func result(_ code: CURLcode) -> Result {
    do throws(HTTPError) {
      if failure == nil { try writeRest() }
      // A server that refuses an upload may answer and close the connection: the answer counts, the
      // broken connection does not.
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
