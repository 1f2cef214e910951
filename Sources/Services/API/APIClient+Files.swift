import HTTP
import NatterCore
import XMPP

extension TransferControl: TransferHolding {}

/// Uploads and downloads of files (XEP-0363).
extension APIClient: FileTransporting {
  package func put(
    _ descriptor: CInt, byteCount: Int, mediaType: String?, to slot: XEP0363Slot,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int) -> Void
  ) async throws {
    let target = try Self.address(slot.put)
    // Others download it from there: an insecure URL would be useless to them.
    _ = try Self.address(slot.get)
    var headers = HTTPHeaders()
    headers["Content-Type"] = mediaType ?? "application/octet-stream"
    for header in slot.headers { headers.append(header.name, header.value) }
    let control = TransferControl { onProgress($0.byteCount) }
    onBegin(control)
    var request = HTTPRequest(
      .put, target, headers: headers,
      body: .file(descriptor: descriptor, byteCount: byteCount), redirects: .refused,
      timeLimits: transferLimits, sizeLimit: 64 << 10)
    request.reach = fileReach
    let filled = request
    _ = try await uncancelled { client throws(APIError) in
      try await client.call(filled, control: control)
    }
  }

  package func get(
    _ address: String, into descriptor: CInt, held: Int, validator: String?, sizeLimit: Int,
    onBegin: @Sendable (any TransferHolding) -> Void,
    onProgress: @escaping @Sendable (Int, Int?) -> Void
  ) async throws -> Int {
    let target = try Self.address(address)
    let control = TransferControl { onProgress($0.byteCount, $0.total) }
    onBegin(control)
    return try await uncancelled { client throws(APIError) in
      var held = held
      while true {
        var headers = HTTPHeaders()
        if held > 0 {
          headers["Range"] = "bytes=\(held)-"
          if let validator { headers["If-Range"] = validator }
        }
        var request = HTTPRequest(
          .get, target, headers: headers,
          destination: .file(descriptor: descriptor, offset: held), redirects: .anyServer,
          timeLimits: transferLimits, sizeLimit: sizeLimit)
        request.reach = fileReach
        guard let response = try await client.part(request, isPart: held > 0, control: control)
        else {
          held = 0
          continue
        }
        if held > 0, response.status == 416 {
          // The range begins at or after the end: either the file is complete, or it is a different
          // one (RFC 9110 §15.5.17).
          if response.wholeLength == held { return held }
          held = 0
          continue
        }
        guard response.isSuccess else { throw APIError.status(Self.refusal(response)) }
        guard let written = response.written else {
          throw APIError.malformed("status \(response.status) for a file")
        }
        if response.status == 206, let validator, let reported = Self.validator(response.headers),
          reported != validator
        {
          // The server ignores `If-Range`: the rest belongs to another version
          // (RFC 9110 §15.3.7.3).
          held = 0
          continue
        }
        return written.offset + written.byteCount
      }
    }
  }

  /// - Returns: `nil` if a part was requested and a different one arrived. A server may answer a
  ///   range request as it likes (RFC 9110 §14.2): a request of the whole file is unambiguous.
  private func part(
    _ request: HTTPRequest, isPart: Bool, control: TransferControl
  ) async throws(APIError) -> HTTPResponse? {
    let outcome = await outcome { client throws(APIError) in
      try await client.reply(to: request, control: control)
    }
    if isPart, case .failure(.transport(.wrongRange)) = outcome { return nil }
    return try outcome.get()
  }

  package func leadsToThisMachine(_ address: String) -> Bool {
    WebAddress(address)?.mayBePrivate == true
  }

  package func agree(to host: String) { fileReach?.agree(to: host) }

  package func describe(_ address: String) async throws -> RemoteFile {
    let target = try Self.address(address)
    return try await uncancelled { client throws(APIError) in
      var request = HTTPRequest(.head, target, redirects: .anyServer)
      request.reach = fileReach
      let response = try await client.call(request)
      return RemoteFile(
        byteCount: response.isEncoded ? nil : response.contentLength,
        mediaType: response.mediaType.isEmpty ? nil : response.mediaType,
        validator: Self.validator(response.headers))
    }
  }

  /// Returns a strong validator of the file's version; a weak entity tag is none
  /// (RFC 9110 §13.1.5).
  private static func validator(_ headers: HTTPHeaders) -> String? {
    if let tag = headers["ETag"], !tag.hasPrefix("W/"), !tag.isEmpty { return tag }
    return headers["Last-Modified"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the result of calls: an error unchanged, but the cancellation of a task as
  /// `CancellationError`.
  private func uncancelled<Value: Sendable>(
    _ calls: (APIClient) async throws(APIError) -> Value
  ) async throws -> Value {
    try await outcome(calls).mapError {
      $0.isCancellation ? CancellationError() as any Error : $0
    }.get()
  }

  private static func address(_ text: String) throws -> WebAddress {
    guard let address = WebAddress(text) else {
      throw NatterError(.refused, "error.http.address", ["address": text], retry: .never)
    }
    guard address.isPermitted else {
      throw NatterError(.refused, "error.http.clearText", ["host": address.host], retry: .never)
    }
    return address
  }
}
