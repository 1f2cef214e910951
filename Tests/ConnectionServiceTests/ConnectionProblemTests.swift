import NatterCore
import Sockets
import Testing
import XMPP

@testable import ConnectionService

@Suite struct ConnectionProblemTests {
  @Test(
    arguments: [
      (StreamFailure.ended, ConnectionProblem.Kind.closed),
      (.timedOut, .timedOut),
      (.tlsUnavailable, .tlsUnavailable),
      (.registrationNotOffered, .registrationRefused),
      (.notXMPP("HTTP/1.1"), .notXMPP),
      (.noUsableMechanism(offered: ["PLAIN"]), .mechanismTooWeak),
      (.protocolViolation("out of order"), .serverError),
      (.internalFailure("out of memory"), .serverError),
      (.socket(.closed), .closed),
      (.socket(.system(errno: 32)), .closed),
      (.socket(.unknownHost("a.test")), .unknownHost),
      (.socket(.serviceNotOffered("a.test")), .serviceNotOffered),
      (.socket(.refused(host: "a.test", port: 5222)), .refused),
      (.socket(.timedOut(host: "a.test", port: 5222)), .timedOut),
      (.socket(.unreachable(host: "a.test", port: 5222, errno: 113)), .unreachable),
      (.socket(.tls("bad record")), .tlsFailed),
      (.socket(.clearTextRefused("a.test")), .tlsUnavailable),
    ])
  func `every failure has its kind of problem`(
    failure: StreamFailure, kind: ConnectionProblem.Kind
  ) {
    let problem = ConnectionProblem(failure, host: "a.test", port: 5222)
    #expect(problem.kind == kind)
    #expect(problem.host == "a.test")
  }

  @Test func `a certificate says more than the kind of TLS that cannot work on the same port`() {
    let certificate = ConnectionProblem(.certificateExpired, host: "a.test", port: 5222)
    let other = ConnectionProblem(.tlsFailed, host: "a.test", port: 5222)
    let refused = ConnectionProblem(.refused, host: "a.test", port: 5223)
    let unknown = ConnectionProblem(.unknownHost, host: "b.test")
    #expect(certificate.progress > other.progress)
    #expect(other.progress > refused.progress)
    #expect(refused.progress > unknown.progress)
  }
}
