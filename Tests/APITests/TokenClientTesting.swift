import Crypto
import NatterCore

@testable import API

/// A suite about tokens: a client on a scripted web, and when it waited.
protocol TokenClientTesting {
  var slept: TokenClientTests.Observations { get }
}

extension TokenClientTesting {
  func client(_ web: ScriptedWeb) -> TokenClient {
    let slept = slept
    return TokenClient(
      client: { _ in APIClient(transport: web) }, crypto: CryptoLibrary(),
      now: { TokenClientTests.start }, instant: { slept.instant }, sleep: { slept.note($0) })
  }

  /// Returns the problem that `work` fails with.
  func problem(_ work: () async throws -> some Any) async -> ConnectionProblem? {
    do {
      _ = try await work()
      return nil
    } catch {
      return error as? ConnectionProblem
    }
  }
}
