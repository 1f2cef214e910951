/// What is asked of a server.
package struct HTTPRequest: Sendable {
  package enum Method: String, Sendable {
    case get = "GET", head = "HEAD", post = "POST", put = "PUT", delete = "DELETE"
  }

  /// What is sent along.
  package enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// The first `byteCount` bytes of an open regular file. They are read while they are sent; the descriptor stays the
    /// caller's, who keeps it open until the reply is there.
    case file(descriptor: CInt, byteCount: Int)
  }

  /// Where the body of a reply goes.
  package enum Destination: Sendable {
    /// Into the reply.
    case memory
    /// Into an open file, if the status is 200 or 206; any other reply's body is kept in the reply.
    ///
    /// A reply 206 (`Range` has to be asked for in the headers) is written from `offset` on, a 200 from the beginning, and
    /// what the file held is cut off then. The descriptor stays the caller's.
    case file(descriptor: CInt, offset: Int)
  }

  /// Which redirections of GET and HEAD are followed, five at most. None ever leads away from `https`, or from elsewhere to
  /// this machine; what tells who asks is not sent on to another server. Other methods are never sent elsewhere.
  package enum Redirects: Sendable { case refused, sameServer, anyServer }

  /// How long it may take.
  package struct TimeLimits: Sendable {
    package var connecting: Duration
    /// From the beginning to the end; `nil` for as long as bytes move.
    package var total: Duration?
    /// Without a byte; whole seconds, at least one.
    package var standstill: Duration

    package init(
      connecting: Duration = .seconds(20), total: Duration? = .seconds(60),
      standstill: Duration = .seconds(30)
    ) {
      self.connecting = connecting
      self.total = total
      self.standstill = standstill
    }

    /// For files, which take as long as they take.
    package static var transfer: TimeLimits { TimeLimits(total: nil, standstill: .seconds(60)) }
  }

  package var method: Method
  package var address: WebAddress
  package var headers: HTTPHeaders
  package var body: Body
  package var destination: Destination
  package var redirects: Redirects
  package var timeLimits: TimeLimits
  /// Bytes that a reply may have at most, decompressed; in a file with what it held before.
  package var sizeLimit: Int
  /// Where on private networks it may go; `nil`: everywhere, because nobody else has chosen its address.
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

  /// A form sent by POST (`application/x-www-form-urlencoded`).
  package static func form(
    _ address: WebAddress, _ fields: [(name: String, value: String)], headers: HTTPHeaders = [:]
  ) -> HTTPRequest {
    var headers = headers
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return HTTPRequest(
      .post, address, headers: headers, body: .bytes(Array(formEncoded(fields).utf8)),
      redirects: .refused)
  }

  /// Fields as a form or a query has them: `a=1&b=2`.
  package static func formEncoded(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
      .joined(separator: "&")
  }
}
