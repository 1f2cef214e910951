import HTTP
import NatterCore

extension ConnectionProblem {
  /// The problem to show for a web service that was not reached, or replied unexpectedly.
  package init(_ error: APIError, host: String, port: Int) {
    switch error {
    case .status(let refusal):
      self.init(
        .serverError, host: host, port: port,
        detail: refusal.serverText ?? "HTTP \(refusal.status)")
    case .malformed(let detail):
      self.init(.serverError, host: host, port: port, detail: detail)
    case .transport(let error): self.init(error, host: host, port: port)
    }
  }

  private init(_ error: HTTPError, host: String, port: Int) {
    let kind: ProblemKind
    var detail = ""
    switch error {
    case .unknownHost: kind = .unknownHost
    case .refused: kind = .refused
    case .unreachable: kind = .unreachable
    case .timedOut, .stalled: kind = .timedOut
    case .broken, .incomplete, .handshakeBroken: kind = .closed
    case .clearTextRefused: kind = .tlsUnavailable
    case .tls(let text): (kind, detail) = (.tlsFailed, text)
    case .certificate(let problem, _, let text):
      (kind, detail) = (ProblemKind(problem), text)
    default: kind = .serverError
    }
    self.init(kind, host: host, port: port, detail: detail)
    switch error {
    case .unreachable(_, _, let errno):
      cause = NatterError(.offline, "error.ofSystem", ["reason": String(errno)])
    case _ where kind == .serverError:
      // The error's own text describes the cause.
      cause = error.natterError
    default: break
    }
  }
}
