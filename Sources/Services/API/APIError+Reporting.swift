import FoundationEssentials
import Glibc
import HTTP
import NatterCore
import Sockets

/// The texts of HTTP errors for the user.
extension APIError: NatterErrorConvertible {
  package var natterError: NatterError {
    switch self {
    case .transport(let error): error.natterError
    case .status(let refusal): Self.reported(refusal)
    case .malformed: NatterError(.unexpected, "error.http.malformed")
    }
  }

  private static func reported(_ refusal: Refusal) -> NatterError {
    // The status number helps the operators of the server, its text every user.
    let answer = ["\(refusal.status)", refusal.serverText].compactMap { $0 }.joined(separator: " ")
    let serverText = ["answer": answer, "words": refusal.serverText ?? ""]
    switch refusal.status {
    case 401, 403: return NatterError(.notAuthorized, "error.http.forbidden", serverText)
    case 404, 410: return NatterError(.refused, "error.http.gone", serverText, retry: .never)
    case 413, 507: return NatterError(.refused, "error.http.noRoom", serverText)
    case 408, 425, 429, 500, 502, 503, 504:
      return NatterError(
        .refused, "error.http.status", serverText, retry: .automatic,
        pause: refusal.headers.retryAfter(now: Date()).map { .seconds($0) })
    default: return NatterError(.refused, "error.http.status", serverText)
    }
  }
}

extension HTTPError: NatterErrorConvertible {
  package var natterError: NatterError {
    switch self {
    case .clearTextRefused(let host):
      NatterError(.refused, "error.http.clearText", ["host": host], retry: .never)
    case .invalidHeader(let name):
      NatterError(.refused, "error.http.header", ["name": name], retry: .never)
    case .unknownHost(let host):
      NatterError(.offline, "error.http.unknownHost", ["host": host], retry: .automatic)
    case .refused(let host, let port), .unreachable(let host, let port, _):
      NatterError(
        .offline, "error.http.unreachable", ["host": host, "port": "\(port)"], retry: .automatic)
    case .privateNetwork(let host, _):
      NatterError(.refused, NatterError.privateNetwork, ["host": host])
    case .timedOut(let host):
      NatterError(.offline, "error.http.timedOut", ["host": host], retry: .automatic)
    case .stalled(let host):
      NatterError(.offline, "error.http.stalled", ["host": host], retry: .automatic)
    case .broken(let host):
      NatterError(.offline, "error.http.broken", ["host": host], retry: .automatic)
    case .handshakeBroken(let host):
      NatterError(.offline, "error.http.handshakeBroken", ["host": host], retry: .automatic)
    case .incomplete(let host):
      NatterError(.offline, "error.http.incomplete", ["host": host], retry: .automatic)
    case .redirectRefused(let address):
      NatterError(.refused, "error.http.redirect", ["address": address], retry: .never)
    case .tooManyRedirects:
      NatterError(.refused, "error.http.circle", retry: .never)
    case .tooLarge(let limit):
      NatterError(
        .refused, "error.http.tooLarge", ["limit": String(limit)], retry: .never)
    case .malformed, .wrongRange: NatterError(.unexpected, "error.http.malformed")
    case .unreadable(let code):
      code == 0
        ? NatterError(.storage, "error.files.changed")
        : NatterError(.storage, "error.files.unreadable", ["reason": String(code)])
    case .unwritable(let code):
      code == ENOSPC || code == EDQUOT
        ? NatterError(.storage, "error.files.diskFull")
        : NatterError(.storage, "error.files.unwritable", ["reason": String(code)])
    case .certificate(let problem, let host, let detail):
      NatterError(.refused, Self.key(of: problem), ["host": host, "reason": detail])
    case .tls(let text): NatterError(.refused, "error.http.tls", ["reason": text])
    case .proxy(let text):
      NatterError(.offline, "error.http.proxy", ["reason": text], retry: .automatic)
    case .proxyRefused(let text): NatterError(.offline, "error.http.proxy", ["reason": text])
    case .library(let text): NatterError(.unexpected, "error.http.library", ["reason": text])
    case .cancelled: NatterError(.refused, "error.http.cancelled")
    }
  }

  private static func key(of problem: CertificateProblem) -> String {
    switch problem {
    case .expired: "error.http.certificateExpired"
    case .notYetValid: "error.http.certificateNotYetValid"
    case .wrongName: "error.http.certificateWrongName"
    case .untrustedIssuer: "error.http.certificateUntrusted"
    case .selfSigned: "error.http.certificateSelfSigned"
    case .revoked, .other: "error.http.certificate"
    }
  }
}
