import JSONLines

/// The reason why a request of a client was not performed.
package struct BridgeError: Error, Sendable {
  /// The kinds of errors, by their numbers on the wire.
  package enum Code: Int, Sendable, CaseIterable {
    /// The line is no JSON value, or too long.
    case parse = -32700
    /// The JSON value is no request.
    case envelope = -32600
    case unknownMethod = -32601
    case parameters = -32602
    case `internal` = -32603
    case permission = -32001
    /// The client has to send `hello` first.
    case greeting = -32002
    /// The client asks for a version that is not spoken.
    case version = -32003
    case notFound = -32004
    case tooFast = -32005
    case offline = -32006
    case tooLarge = -32007
    case timedOut = -32008
    case cancelled = -32009
    /// The server, or the store, refused it.
    case refused = -32010
    /// It is not possible at the moment.
    case busy = -32011
  }

  package let code: Code
  /// A sentence in English, for logs.
  package let message: String
  /// The sentence for the user; `nil`: that of the code.
  private let notice: StatusNotice?
  /// The sentence for the user, if it is known already; untrusted.
  private let failure: String?
  /// Further members of `data`.
  private let details: [String: JSONValue]

  /// Returns a sentence in the user's language.
  package typealias Texts = @Sendable (StatusNotice) -> String

  /// - Parameters:
  ///   - message: in English, for logs; `nil`: that of the code.
  ///   - notice: the sentence for the user; `nil`: that of the code.
  package init(
    _ code: Code, _ message: String? = nil, notice: StatusNotice? = nil, failure: String? = nil,
    details: [String: JSONValue] = [:]
  ) {
    self.code = code
    self.message = message ?? code.message
    self.notice = notice
    self.failure = failure
    self.details = details
  }

  /// The error of a parameter that is missing or not valid.
  /// - Parameter path: its name, with that of a member behind a dot.
  package static func parameter(_ path: String, _ message: String) -> BridgeError {
    BridgeError(
      .parameters, "\(path): \(message)",
      notice: StatusNotice(.error, Code.parameters.key, ["path": path]),
      details: ["path": .text(path)])
  }

  /// The error of a client that asks too often.
  package static func tooFast(_ pause: Duration) -> BridgeError {
    BridgeError(.tooFast, details: ["retry_ms": .integer(pause.milliseconds)])
  }

  package static func permission(
    _ permission: BridgePermission, _ reason: BridgeRights.Reason, scope: String = "all"
  ) -> BridgeError {
    missing(permission.rawValue, reason, scope)
  }

  /// The error of a right of a script that is missing.
  package static func permission(
    _ right: ScriptRight, _ reason: BridgeRights.Reason
  ) -> BridgeError {
    missing(right.name, reason, "all")
  }

  private static func missing(
    _ right: String, _ reason: BridgeRights.Reason, _ scope: String
  ) -> BridgeError {
    BridgeError(
      .permission, "permission denied: \(right), \(reason.rawValue)",
      notice: StatusNotice(.error, Code.permission.key, ["permission": right]),
      details: [
        "permission": .text(right), "scope": .text(scope), "reason": .text(reason.rawValue),
      ])
  }

  /// The error object of the answer.
  package func object(_ texts: Texts) -> JSONValue {
    var data = details
    data["text"] = .text(failure ?? texts(notice ?? StatusNotice(.error, code.key)))
    return .object([
      "code": .integer(code.rawValue), "message": .text(message), "data": .object(data),
    ])
  }
}

extension BridgeError.Code {
  /// The key of its sentence in `Resources/locales`.
  package var key: String {
    switch self {
    case .parse: "error.bridge.parse"
    case .envelope: "error.bridge.envelope"
    case .unknownMethod: "error.bridge.method"
    case .parameters: "error.bridge.parameters"
    case .internal: "error.bridge.internal"
    case .permission: "error.bridge.permission"
    case .greeting: "error.bridge.greeting"
    case .version: "error.bridge.version"
    case .notFound: "error.bridge.notFound"
    case .tooFast: "error.bridge.tooFast"
    case .offline: "error.bridge.offline"
    case .tooLarge: "error.bridge.tooLarge"
    case .timedOut: "error.bridge.timedOut"
    case .cancelled: "error.bridge.cancelled"
    case .refused: "error.bridge.refused"
    case .busy: "error.bridge.busy"
    }
  }

  /// Its sentence in English, for logs.
  var message: String {
    switch self {
    case .parse: "no JSON value in UTF-8"
    case .envelope: "no request of JSON-RPC 2.0"
    case .unknownMethod: "unknown method"
    case .parameters: "a parameter is not valid"
    case .internal: "internal error"
    case .permission: "permission denied"
    case .greeting: "send hello first"
    case .version: "this version is not spoken"
    case .notFound: "not found"
    case .tooFast: "too many requests"
    case .offline: "no connection"
    case .tooLarge: "the answer is larger than a line may be"
    case .timedOut: "timed out"
    case .cancelled: "cancelled"
    case .refused: "refused"
    case .busy: "not possible at the moment"
    }
  }
}

extension BridgeError {
  /// The error to report for any error of a port.
  package init(_ error: any Error) {
    switch error {
    case let error as BridgeError: self = error
    case is CancellationError: self.init(.cancelled)
    default:
      self.init(NatterError(reporting: error, key: Code.internal.key))
    }
  }

  private init(_ error: NatterError) {
    let condition = error.key.split(separator: ".", maxSplits: 1)
    var details: [String: JSONValue] = [:]
    let code: Code
    switch error.kind {
    case .offline: code = .offline
    case .refused, .notAuthorized:
      code = .refused
      if condition.count == 2, condition[0] == "stanza" {
        details = ["condition": .text(String(condition[1]))]
      }
    case .invalidInput: code = .parameters
    case .storage: code = .internal
    case .unexpected: code = error.key == "error.noAnswer" ? .timedOut : .internal
    }
    self.init(code, "\(code.message) (\(error.key))", notice: error.notice, details: details)
  }
}

extension Duration {
  /// In whole milliseconds, rounded up.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
