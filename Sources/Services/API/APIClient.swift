import BoundedText
import FoundationEssentials
import HTTP

/// The single entry to HTTP for the whole program.
///
/// The requests of a module are in an extension of its own (`APIClient+Topic.swift`), which makes
/// it one of that module's ports. Requests and replies are typed; a failure is an `APIError`,
/// passed to the caller unchanged.
package struct APIClient: Sendable {
  private let transport: any HTTPTransport
  /// The time limits of a file transfer.
  let transferLimits: HTTPRequest.TimeLimits
  /// The permission of files, whose URLs others choose, on private networks; `nil`: unrestricted.
  package var fileReach: NetworkReach?

  package init(
    transport: any HTTPTransport, transferLimits: HTTPRequest.TimeLimits = .transfer
  ) {
    self.transport = transport
    self.transferLimits = transferLimits
  }

  /// Sends `request` and returns its reply if it is a success (2xx).
  /// - Throws: `.transport`, `.status`.
  package func call(
    _ request: HTTPRequest, control: TransferControl? = nil
  ) async throws(APIError) -> HTTPResponse {
    let response = try await reply(to: request, control: control)
    guard response.isSuccess else { throw .status(Self.refusal(response)) }
    return response
  }

  /// Sends `request` and decodes its reply, a JSON object (RFC 8259).
  /// - Throws: `.transport`, `.status`, and `.malformed` for any other content.
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

  /// Sends `request` and returns its reply, whatever its status.
  /// - Throws: `.transport`.
  package func reply(
    to request: HTTPRequest, control: TransferControl? = nil
  ) async throws(APIError) -> HTTPResponse {
    do throws(HTTPError) {
      return try await transport.send(request, control: control)
    } catch {
      // The only conversion of an error of the base layer to one of this layer.
      throw .transport(error)
    }
  }

  /// Returns the result of a call, for callers that handle a failure like other results.
  func outcome<Reply: Sendable>(
    _ call: (APIClient) async throws(APIError) -> Reply
  ) async -> Result<Reply, APIError> {
    do throws(APIError) { return .success(try await call(self)) } catch { return .failure(error) }
  }

  /// Decodes a value from JSON; returns `nil` if the bytes are not JSON or have other types.
  package static func json<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type) -> Value? {
    // The error is dropped: no caller depends on its cause.
    try? JSONDecoder().decode(type, from: Data(ClusterBound.json(bytes)))
  }

  /// Encodes a value as JSON; returns `nil` if JSON cannot represent it.
  static func json(_ value: some Encodable) -> [UInt8]? {
    (try? JSONEncoder().encode(value)).map { Array($0) }
  }

  /// The error texts of common formats: OAuth 2.0 (RFC 6749 §5.2), problem details (RFC 9457),
  /// plain text.
  private struct ErrorBody: Decodable {
    let error_description: String?
    let detail: String?
    let title: String?
    let message: String?
  }

  static func refusal(_ response: HTTPResponse) -> APIError.Refusal {
    var serverText: String?
    if let known = json(response.body, as: ErrorBody.self) {
      serverText = known.error_description ?? known.detail ?? known.title ?? known.message
    } else if response.mediaType == "text/plain" || response.mediaType.isEmpty {
      serverText = String(bounding: response.body.prefix(300))
    }
    let line = serverText.map { $0.split(whereSeparator: \.isNewline).first.map(String.init) ?? "" }
    return APIError.Refusal(
      status: response.status,
      serverText: line.flatMap { $0.isEmpty ? nil : String($0.unicodeScalars.prefix(200)) },
      headers: response.headers, body: response.body)
  }
}
