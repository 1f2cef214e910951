import HTTP
import Synchronization

/// A web of made-up servers: each request is answered by a function, and remembered.
final class ScriptedWeb: HTTPTransport {
  struct Asked: Sendable {
    let url: String
    let method: String
    /// The fields of a form.
    let form: [String: String]
  }

  private let asked = Mutex<[Asked]>([])
  /// Beside the type of the body.
  private let headers: HTTPHeaders
  private let answer: @Sendable (Asked, Int) -> Result<(Int, String), HTTPError>

  /// - Parameter answer: given the request and how many came before it: the status and the body.
  init(
    headers: HTTPHeaders = [:],
    _ answer: @escaping @Sendable (Asked, Int) -> Result<(Int, String), HTTPError>
  ) {
    self.headers = headers
    self.answer = answer
  }

  var requests: [Asked] { asked.withLock { $0 } }

  func send(_ request: HTTPRequest, control: TransferControl?) async throws(HTTPError)
    -> HTTPResponse
  {
    var form: [String: String] = [:]
    if case .bytes(let bytes) = request.body {
      for part in String(decoding: bytes, as: UTF8.self).split(separator: "&") {
        let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if pair.count == 2 {
          form[PercentEncoding.decode(pair[0])] = PercentEncoding.decode(pair[1])
        }
      }
    }
    let one = Asked(
      url: request.address.description, method: request.method.rawValue, form: form)
    let before = asked.withLock { list in
      list.append(one)
      return list.count - 1
    }
    let (status, body) = try answer(one, before).get()
    var headers = headers
    headers["Content-Type"] = body.hasPrefix("<") ? "text/html" : "application/json"
    return HTTPResponse(
      status: status, headers: headers,
      body: Array(body.utf8), address: request.address)
  }
}
