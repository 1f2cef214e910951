import CResolv
import Dispatch
import Glibc

/// Finds a host's addresses with the system's resolver, on a thread of its own because it blocks,
/// with a time limit.
package enum AddressLookup {
  /// - Parameter host: a name (U-labels are converted), or a numeric address, IPv6 with or without
  ///   brackets.
  /// - Returns: at least one address, in the order in which to try them: the families alternate
  ///   (RFC 8305 §4).
  /// - Throws: `.unknownHost` when there is none, `.timedOut` after `limit`, `.closed` when the
  ///   task is cancelled.
  package static func addresses(
    of host: String, port: Int, limit: Duration
  ) async throws(SocketError) -> [SocketAddress] {
    guard !host.isEmpty, host.utf8.count < 1024, !host.utf8.contains(0), (1...65535).contains(port)
    else { throw .unknownHost(host) }
    var bare = host
    if bare.hasPrefix("["), bare.hasSuffix("]") { bare = String(bare.dropFirst().dropLast()) }
    guard let name = DomainName.ascii(bare) else { throw .unknownHost(host) }
    let outcome = OneShot<Result<[SocketAddress], SocketError>>()
    let queue = DispatchQueue(label: "natter.addresses")
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { outcome.settle(.failure(.timedOut(host: host, port: port))) }
    timer.schedule(deadline: .now() + limit.dispatchInterval)
    timer.resume()
    // An abandoned look-up continues until the resolver gives up; its answer is ignored.
    queue.async {
      let found = interleaved(lookUp(name, port: port))
      outcome.settle(found.isEmpty ? .failure(.unknownHost(host)) : .success(found))
    }
    let result = await withTaskCancellationHandler {
      await outcome.value()
    } onCancel: {
      outcome.settle(.failure(.closed))
    }
    timer.cancel()
    return try result.get()
  }

  private static func lookUp(_ name: String, port: Int) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = natter_stream_socket
    hints.ai_flags = AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, String(port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = list
    while let entry = next {
      if let address = entry.pointee.ai_addr {
        let address = SocketAddress(address, length: entry.pointee.ai_addrlen)
        if !found.contains(address) { found.append(address) }
      }
      next = entry.pointee.ai_next
    }
    return found
  }

  /// Returns the addresses with alternating families, beginning with the family of the first.
  static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let first = addresses.first else { return [] }
    let leading = addresses.filter { $0.family == first.family }
    let other = addresses.filter { $0.family != first.family }
    var result: [SocketAddress] = []
    for index in 0..<max(leading.count, other.count) {
      if index < leading.count { result.append(leading[index]) }
      if index < other.count { result.append(other[index]) }
    }
    return result
  }
}

extension Duration {
  /// The duration for Dispatch, at most some 292 years.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return .never }
    return .nanoseconds(Int(nanoseconds) + Int(attoseconds / 1_000_000_000))
  }

  /// The duration in whole milliseconds, rounded up, from 0 to `Int32.max`.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    if seconds < 0 { return 0 }
    if seconds > 2_000_000 { return Int(Int32.max) }
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
