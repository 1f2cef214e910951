import JSONLines

/// A request of a client (JSON-RPC 2.0 §4).
package struct BridgeRequest: Sendable {
  /// The id of a request, which its answer repeats.
  package enum ID: Hashable, Sendable {
    case number(Int)
    case text(String)

    /// As JSON.
    package var text: String {
      switch self {
      case .number(let value): String(value)
      case .text(let value): JSONValue.text(value).text
      }
    }

    /// `nil` for a value that is no id.
    package init?(_ value: JSONValue) {
      switch value {
      case .integer(let value): self = .number(value)
      case .text(let value) where value.utf8.count <= BridgeLimits.id: self = .text(value)
      default: return nil
      }
    }
  }

  /// `nil`: a notification, which is not answered.
  package let id: ID?
  package let method: String
  package let parameters: [String: JSONValue]

  /// A line of a client.
  package enum Reading: Sendable {
    case request(BridgeRequest)
    /// The answer to a request of this program; an object.
    case answer(JSONValue)
    /// - Parameter id: of the request, as far as it could be read.
    case problem(BridgeError, id: ID?)
  }

  package static func read(_ line: [UInt8]) -> Reading {
    guard let value = try? JSONValue(parsing: line) else {
      return .problem(BridgeError(.parse), id: nil)
    }
    let id = value["id"].flatMap { ID($0) }
    func problem(_ message: String) -> Reading {
      .problem(BridgeError(.envelope, message), id: id)
    }
    guard case .object(let members) = value else {
      return problem("not an object; batches are not supported")
    }
    guard members["jsonrpc"]?.string == "2.0" else { return problem("jsonrpc is not \"2.0\"") }
    if members["id"] != nil, id == nil {
      return problem("id is neither an integer nor a text of at most \(BridgeLimits.id) bytes")
    }
    guard let method = members["method"]?.string else {
      let isAnswer = members["result"] != nil || members["error"] != nil
      return isAnswer ? .answer(value) : problem("method is missing")
    }
    switch members["params"] {
    case nil: return .request(BridgeRequest(id: id, method: method, parameters: [:]))
    case .object(let parameters):
      return .request(BridgeRequest(id: id, method: method, parameters: parameters))
    default: return problem("params is not an object")
    }
  }
}
