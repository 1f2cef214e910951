import BoundedText
import FoundationEssentials
import HTTP

/// The single entry to HTTP for the whole program.
///
/// What a module asks of the web stands in an extension of its own (`APIClient+Topic.swift`), which makes it one of that module's
/// ports. Requests and replies are typed; a failure is an `APIError` and travels to the caller as it is.
package struct APIClient: Sendable {
  private let transport: any HTTPTransport
  /// How long a file may take.
  let transferLimits: HTTPRequest.TimeLimits
  /// Where files, whose addresses others choose, may be on private networks; `nil`: everywhere.
  package var fileReach: NetworkReach?

  package init(
    transport: any HTTPTransport, transferLimits: HTTPRequest.TimeLimits = .transfer
  ) {
    self.transport = transport
    self.transferLimits = transferLimits
  }

  /// Sends `request` and returns its reply if it says yes (2xx).
  /// - Throws: `.transport`, `.status`.
  package func call(
    _ request: HTTPRequest, control: TransferControl? = nil
  ) async throws(APIError) -> HTTPResponse {
    let response = try await reply(to: request, control: control)
    guard response.isSuccess else { throw .status(Self.refusal(response)) }
    return response
  }

  /// Sends `request` and reads its reply, a JSON object (RFC 8259), into a value.
  /// - Throws: `.transport`, `.status`, and `.malformed` for a reply that is something else.
  package func call<Reply: Decodable & Sendable>(
    _ request: HTTPRequest, as type: Reply.Type
  ) async throws(APIError) -> Reply {
    var request = request
    if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
    let response = try await call(request)
    guard let value = Self.json(response.body, as: type) else {
      throw .malformed(
        "\(response.status) \(response.mediaType), \(response.body.count) bytes: no \(type)")
    }
    return value
  }

  /// Sends `request` and returns its reply, whatever it says.
  /// - Throws: `.transport`.
  package func reply(
    to request: HTTPRequest, control: TransferControl? = nil
  ) async throws(APIError) -> HTTPResponse {
    do throws(HTTPError) {
      return try await transport.send(request, control: control)
    } catch {
      // The one place where an error of the base layer becomes one of this layer.
      throw .transport(error)
    }
  }

  /// What a call comes to, for whom a failure is one answer among others.
  func outcome<Reply: Sendable>(
    _ call: (APIClient) async throws(APIError) -> Reply
  ) async -> Result<Reply, APIError> {
    do throws(APIError) { return .success(try await call(self)) } catch { return .failure(error) }
  }

  /// A value out of JSON; `nil` when the bytes are no JSON or hold other types than it has.
  package static func json<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type) -> Value? {
    // What is wrong in it is nothing a caller decides on.
    try? JSONDecoder().decode(type, from: Data(ClusterBound.json(bytes)))
  }

  /// JSON of a value; `nil` for one that JSON has no form for.
  static func json(_ value: some Encodable) -> [UInt8]? {
    (try? JSONEncoder().encode(value)).map { Array($0) }
  }

  /// What a service says in the forms that are usual: OAuth 2.0 (RFC 6749 §5.2), problem details (RFC 9457), plain text.
  private struct Words: Decodable {
    let error_description: String?
    let detail: String?
    let title: String?
    let message: String?
  }

  static func refusal(_ response: HTTPResponse) -> APIError.Refusal {
    var words: String?
    if let known = json(response.body, as: Words.self) {
      words = known.error_description ?? known.detail ?? known.title ?? known.message
    } else if response.mediaType == "text/plain" || response.mediaType.isEmpty {
      words = String(bounding: response.body.prefix(300))
    }
    let line = words.map { $0.split(whereSeparator: \.isNewline).first.map(String.init) ?? "" }
    return APIError.Refusal(
      status: response.status, words: line.flatMap { $0.isEmpty ? nil : String($0.prefix(200)) },
      headers: response.headers, body: response.body)
  }
}
