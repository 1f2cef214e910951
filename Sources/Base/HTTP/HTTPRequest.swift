/// A request to a server.
package struct HTTPRequest: Sendable {
  /// The methods of RFC 9110 §9.3 that Natter uses.
  package enum Method: String, Sendable {
    case get = "GET", head = "HEAD", post = "POST", put = "PUT", delete = "DELETE"
  }

  /// The content of a request.
  package enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// The first `byteCount` bytes of an open regular file. They are read while they are sent; the
    /// caller owns the descriptor and keeps it open until the reply is complete.
    case file(descriptor: CInt, byteCount: Int)
  }

  /// The destination of the body of a reply.
  package enum Destination: Sendable {
    /// The body of the response.
    case memory
    /// An open file, if the status is 200 or 206; any other reply's body is kept in the reply.
    ///
    /// A reply 206 (the headers must request it by `Range`) is written from `offset` on, a 200 from
    /// the beginning, and the previous content after that point is cut off. The caller owns the
    /// descriptor.
    case file(descriptor: CInt, offset: Int)
  }

  /// The redirections of GET and HEAD that are followed, five at most. None leads away from
  /// `https`, or from another machine to this one; credentials are not sent on to another server.
  /// Other methods are never redirected.
  package enum Redirects: Sendable { case refused, sameServer, anyServer }

  /// The timeouts of a request.
  package struct TimeLimits: Sendable {
    /// The time for look-up, connection and TLS handshake.
    package var connecting: Duration
    /// The time for the whole exchange; `nil`: as long as bytes are transferred.
    package var total: Duration?
    /// The time without a byte; whole seconds, at least one.
    package var standstill: Duration

    package init(
      connecting: Duration = .seconds(20), total: Duration? = .seconds(60),
      standstill: Duration = .seconds(30)
    ) {
      self.connecting = connecting
      self.total = total
      self.standstill = standstill
    }

    /// The timeouts for files, without a total.
    package static var transfer: TimeLimits { TimeLimits(total: nil, standstill: .seconds(60)) }
  }

  package var method: Method
  package var address: WebAddress
  package var headers: HTTPHeaders
  package var body: Body
  package var destination: Destination
  package var redirects: Redirects
  package var timeLimits: TimeLimits
  /// The maximum size of a reply in bytes, decompressed; for a file including its previous content.
  package var sizeLimit: Int
  /// The permitted hosts on private networks; `nil` permits all, for addresses that no other party
  /// has chosen.
  package var reach: NetworkReach?

  package init(
    _ method: Method = .get, _ address: WebAddress, headers: HTTPHeaders = [:], body: Body = .none,
    destination: Destination = .memory, redirects: Redirects = .sameServer,
    timeLimits: TimeLimits = TimeLimits(), sizeLimit: Int = 1 << 20
  ) {
    self.method = method
    self.address = address
    self.headers = headers
    self.body = body
    self.destination = destination
    self.redirects = redirects
    self.timeLimits = timeLimits
    self.sizeLimit = sizeLimit
  }

  /// Returns a form sent by POST (`application/x-www-form-urlencoded`).
  package static func form(
    _ address: WebAddress, _ fields: [(name: String, value: String)], headers: HTTPHeaders = [:]
  ) -> HTTPRequest {
    var headers = headers
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return HTTPRequest(
      .post, address, headers: headers, body: .bytes(Array(formEncoded(fields).utf8)),
      redirects: .refused)
  }

  /// Returns fields in the encoding of a form or query: `a=1&b=2`.
  package static func formEncoded(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
      .joined(separator: "&")
  }
}
