/// Finds the endpoints of a domain's server (RFC 6120 §3.2, XEP-0368).
package struct Resolver: Sendable {
  /// Queries the SRV records of an absolute name, within a time limit.
  package typealias Query = @Sendable (_ name: String, _ limit: Duration) async -> ServiceAnswer

  private let query: Query
  private let random: @Sendable (_ highest: Int) -> Int

  /// - Parameter random: returns a uniformly distributed number from 0 to `highest`.
  package init(
    query: @escaping Query = { await NameServers().services($0, limit: $1) },
    random: @escaping @Sendable (_ highest: Int) -> Int = { Int.random(in: 0...$0) }
  ) {
    self.query = query
    self.random = random
  }

  /// Returns the endpoints to try, in this order.
  ///
  /// If `server` or `port` is given nothing is looked up. Without SRV records, or without an
  /// answer, the domain itself is tried: port 5222 with STARTTLS, then 5223 with direct TLS.
  /// Numeric addresses and names of this machine need no look-up.
  /// - Parameter domain: the JID's domain.
  /// - Parameter server: a host or the path of a Unix socket that replaces the domain's records.
  /// - Parameter limit: for all queries together, which run concurrently.
  /// - Returns: at least one.
  /// - Throws: `.serviceNotOffered` when the domain says so (RFC 2782, target `.`), `.unknownHost`
  ///   for an invalid domain, `.closed` when the task is cancelled.
  package func endpoints(
    for domain: String, server: String? = nil, port: Int? = nil,
    security: ConnectionSecurity = .automatic, limit: Duration = .seconds(5)
  ) async throws(SocketError) -> [Endpoint] {
    guard let name = DomainName.ascii(domain) else { throw .unknownHost(domain) }
    if server != nil || port != nil || security == .off || Self.needsNoLookUp(name) {
      return Self.given(host: server ?? domain, port: port, security: security)
    }
    async let directAnswer =
      security.allowsDirect ? query("_xmpps-client._tcp.\(name).", limit) : .none
    async let startAnswer =
      security.allowsStartTLS ? query("_xmpp-client._tcp.\(name).", limit) : .none
    let (direct, start) = (await directAnswer, await startAnswer)
    if Task.isCancelled { throw .closed }

    var offers: [(record: ServiceRecord, mode: Endpoint.Mode)] = []
    var isDenied = false
    for (answer, mode) in [(direct, Endpoint.Mode.directTLS), (start, .startTLS)] {
      guard case .records(let records) = answer else { continue }
      for record in records {
        if record.target.isEmpty {
          isDenied = isDenied || mode == .startTLS || security == .direct
        } else {
          offers.append((record, mode))
        }
      }
    }
    if offers.isEmpty {
      if isDenied { throw .serviceNotOffered(domain) }
      return Self.given(host: domain, port: nil, security: security)
    }
    return ordered(offers)
  }

  private static func needsNoLookUp(_ name: String) -> Bool {
    DomainName.isLiteral(name) || name == "localhost" || name.hasSuffix(".localhost")
  }

  /// Returns the endpoints of a host whose records are not looked up.
  private static func given(
    host: String, port: Int?, security: ConnectionSecurity
  ) -> [Endpoint] {
    let start = Endpoint(host: host, port: port ?? 5222, mode: .startTLS)
    let direct = Endpoint(host: host, port: port ?? 5223, mode: .directTLS)
    switch security {
    case .off: return [Endpoint(host: host, port: port ?? 5222, mode: .plain)]
    case .startTLS: return [start]
    case .direct: return [direct]
    case .automatic:
      if host.hasPrefix("/") { return [start] }
      // A port does not determine the protocol; this one and 443 are direct TLS by custom.
      return port == 5223 || port == 443 ? [direct, start] : [start, direct]
    }
  }

  /// Returns all offers as one set of records (XEP-0368 §5): by priority, and by weighted random
  /// choice among equals (RFC 2782).
  private func ordered(_ offers: [(record: ServiceRecord, mode: Endpoint.Mode)]) -> [Endpoint] {
    var result: [Endpoint] = []
    for priority in Set(offers.map(\.record.priority)).sorted() {
      // Records without weight come first, which gives them a small chance.
      let equals = offers.filter { $0.record.priority == priority }
      var left = equals.filter { $0.record.weight == 0 } + equals.filter { $0.record.weight > 0 }
      while !left.isEmpty {
        let chosen = random(left.reduce(0) { $0 + $1.record.weight })
        var sum = 0
        let index =
          left.firstIndex { offer in
            sum += offer.record.weight
            return sum >= chosen
          } ?? 0
        let (record, mode) = left.remove(at: index)
        let endpoint = Endpoint(
          host: record.target, port: record.port, mode: mode, fromSRV: true)
        if !result.contains(endpoint) { result.append(endpoint) }
      }
    }
    return result
  }
}
