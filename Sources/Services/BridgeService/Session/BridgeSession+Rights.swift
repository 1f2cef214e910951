import JSONLines
import NatterCore
import XMPP

// The rights of a client, which the user gives and takes back.
extension BridgeSession {
  /// Returns what a request may concern; the user is asked for rights that are not held. Until it
  /// ends, the request is cancelled when they are taken back.
  /// - Parameter number: of the request.
  /// - Throws: `BridgeError.Code.permission`.
  func hold(
    _ question: RightsQuestion, by number: Int
  ) async throws -> RightsQuestion.Holding {
    let holding = try await question.holding(by: rights ?? .none) {
      requests.revocations(of: question.permissions)
    }
    requests.hold(holding, by: number)
    return holding
  }

  /// Ends what needs rights that are taken back.
  func follow(_ revocations: AsyncStream<BridgeRights.Revocation>) async {
    await withDiscardingTaskGroup { group in
      for await revocation in revocations {
        let lines = revoke(revocation)
        // A client that does not read delays no further revocation.
        group.addTask { for line in lines { await self.deliver(line) } }
      }
    }
  }

  /// - Returns: the lines that notify the client.
  private func revoke(_ revocation: BridgeRights.Revocation) -> [String] {
    let rights = rights ?? .none
    let error = BridgeError.permission(revocation.permission, .revoked)
    return requests.revoke(revocation, leaving: rights).map { answers.line(error, to: $0) }
      + table.revoke(revocation, leaving: rights)
  }
}
