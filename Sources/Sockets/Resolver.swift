/// Finds out where a domain's server is (RFC 6120 §3.2, XEP-0368).
package struct Resolver: Sendable {
  /// Asks for the SRV records of an absolute name, within a time limit.
  package typealias Query = @Sendable (_ name: String, _ limit: Duration) async -> ServiceAnswer

  private let query: Query
  private let random: @Sendable (_ highest: Int) -> Int

  /// - Parameter random: gives a number from 0 to `highest`, each as likely as the others.
  package init(
    query: @escaping Query = { await NameServers().services($0, limit: $1) },
    random: @escaping @Sendable (_ highest: Int) -> Int = { Int.random(in: 0...$0) }
  ) {
    self.query = query
    self.random = random
  }

  /// The places to try, in this order.
  ///
  /// With `server` or `port` given nothing is looked up. Without SRV records, or without an answer, the domain itself is
  /// tried: port 5222 with STARTTLS, then 5223 with direct TLS. There is nothing to look up for an address in numbers and
  /// for this machine.
  /// - Parameter domain: the JID's domain.
  /// - Parameter server: a host or a Unix socket's path to connect to in place of what the domain says.
  /// - Parameter limit: for all questions together, which are asked at the same time.
  /// - Returns: at least one.
  /// - Throws: `.serviceNotOffered` when the domain says so (RFC 2782, target `.`), `.unknownHost` for what is no domain,
  ///   `.closed` when the task is cancelled.
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

  /// What to try at a host whose records nobody asks for.
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
      // A port says nothing about what is spoken there; this one and that of the web do by custom.
      return port == 5223 || port == 443 ? [direct, start] : [start, direct]
    }
  }

  /// All offers as if they were one set of records (XEP-0368 §5): by priority, and among equals by chance as weighted (RFC 2782).
  private func ordered(_ offers: [(record: ServiceRecord, mode: Endpoint.Mode)]) -> [Endpoint] {
    var result: [Endpoint] = []
    for priority in Set(offers.map(\.record.priority)).sorted() {
      // Those without weight stand first, which gives them a small chance.
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
