import Sockets
import Testing

@testable import NatterCore

@Suite struct CertificateProblemTests {
  @Test(arguments: [
    (CertificateProblem.untrustedIssuer, ConnectionProblem.ProblemKind.certificateUntrusted),
    (.selfSigned, .certificateSelfSigned), (.expired, .certificateExpired),
    (.notYetValid, .certificateNotYetValid), (.wrongName, .certificateWrongName),
    (.revoked, .certificateOther), (.other, .certificateOther),
  ])
  func `what is wrong with a certificate is one kind of problem, whichever server showed it`(
    problem: CertificateProblem, kind: ConnectionProblem.ProblemKind
  ) {
    #expect(ConnectionProblem.ProblemKind(problem) == kind)
    let reported = ConnectionProblem(kind)
    // For a while, another network's certificate may be in front of the server; trying at once is
    // pointless.
    #expect(reported.concernsCertificate && reported.isPermanent && reported.mayPass)
  }

  @Test func `nothing else concerns the certificate`() {
    let kinds = ConnectionProblem.ProblemKind.allCases.filter {
      ConnectionProblem($0).concernsCertificate
    }
    #expect(kinds.count == 6)
    #expect(kinds.allSatisfy { $0.rawValue.hasPrefix("certificate") })
  }
}
