import CResolv
import Dispatch
import Glibc

/// Queries the name servers of the system's configuration.
package struct NameServers: Sendable {
  /// The server that replaces the system's.
  private let server: (address: [UInt8], port: Int)?

  package init() { server = nil }

  init(ipv4 address: [UInt8], port: Int) {
    precondition(address.count == 4)
    server = (address, port)
  }

  /// Queries only the server `text`, written `ADDRESS:PORT` with a numeric IPv4 address; the
  /// system's servers if `text` has another form.
  package init(at text: String?) {
    let parts = (text ?? "").split(separator: ":", omittingEmptySubsequences: false)
    let address = (parts.first ?? "").split(separator: ".").compactMap { UInt8($0) }
    guard parts.count == 2, address.count == 4, let port = UInt16(parts[1]) else {
      server = nil
      return
    }
    server = (address, Int(port))
  }

  /// Looks up the SRV records of `name`, on a thread of its own.
  /// - Parameter name: an absolute name in ASCII; search domains are not tried.
  /// - Returns: `.failed` after `limit` and when the task is cancelled.
  package func services(_ name: String, limit: Duration) async -> ServiceAnswer {
    let outcome = OneShot<ServiceAnswer>()
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { outcome.settle(.failed) }
    timer.schedule(deadline: .now() + limit.dispatchInterval)
    timer.resume()
    let server = server
    // An abandoned query ends by the resolver's own limits; its answer is ignored.
    DispatchQueue(label: "natter.services").async {
      outcome.settle(Self.ask(name, server))
    }
    let answer = await withTaskCancellationHandler {
      await outcome.value()
    } onCancel: {
      outcome.settle(.failed)
    }
    timer.cancel()
    return answer
  }

  private static func ask(
    _ name: String, _ server: (address: [UInt8], port: Int)?
  ) -> ServiceAnswer {
    var problem: CInt = 0
    var length: CInt = -1
    let answer = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      length = natter_query_srv(
        name, buffer.baseAddress, CInt(buffer.count), server?.address,
        UInt16(truncatingIfNeeded: server?.port ?? 0), &problem)
      count = min(max(Int(length), 0), buffer.count)
    }
    if length < 0 { return problem == HOST_NOT_FOUND || problem == NO_DATA ? .none : .failed }
    guard let records = DNSMessage.serviceRecords(in: answer) else { return .failed }
    return records.isEmpty ? .none : .records(records)
  }
}
