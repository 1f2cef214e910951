import FoundationEssentials
import NatterCore
import System
import XML
import XMPP

/// Stores passwords and tokens in the desktop's secret service (GNOME Keyring, KWallet), with the
/// program `secret-tool`.
///
/// A secret is written to its standard input, so that no process list shows it.
package struct SecretServiceStore: CredentialStoring {
  private let program: String
  private let timeLimit: Duration

  /// - Parameters:
  ///   - program: `secret-tool`, or another name or path of it.
  ///   - timeLimit: the maximum time, during which the user may have to unlock the keyring.
  /// - Returns: `nil` if it is not installed.
  package init?(program: String = "secret-tool", timeLimit: Duration = .seconds(60)) {
    guard let path = PasswordCommand.find(program) else { return nil }
    self.program = path
    self.timeLimit = timeLimit
  }

  /// - Throws: `SecretServiceError`.
  package func credential(for account: JID) async throws -> Credential? {
    let run = try await run(["lookup"] + Self.attributes(of: account))
    // Status 1 without output: no secret is stored.
    if run.status == 1, run.output.isEmpty, run.error.isEmpty { return nil }
    try check(run)
    var text = run.output
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    if text.isEmpty { return nil }
    // A secret of another program is a plain password.
    guard let record = try? JSONDecoder().decode(CredentialRecord.self, from: Data(text)) else {
      return Credential(password: String(decoding: text, as: UTF8.self))
    }
    return record.credential
  }

  /// Searches without unlocking, and only for a short time: the screen waits for the result.
  /// - Throws: `SecretServiceError` if the service does not respond: then the result is unknown.
  package func hasCredential(for account: JID) async throws -> Bool {
    let run = try await run(
      ["search"] + Self.attributes(of: account), within: Self.glanceLimit)
    if run.status == 1, run.output.isEmpty, run.error.isEmpty { return false }
    try check(run)
    // Attributes go to standard error, and unlocked secrets to standard output.
    return !run.output.isEmpty || !run.error.isEmpty
  }

  private static let glanceLimit = Duration.milliseconds(500)

  package func save(_ credential: Credential, for account: JID) async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let bytes = Array(try encoder.encode(CredentialRecord(credential)))
    let label = "Natter: \(account.bare)"
    try check(
      try await run(["store", "--label=\(label)"] + Self.attributes(of: account), input: bytes))
  }

  /// Ignores an account without a stored secret.
  package func replace(_ credential: Credential, for account: JID) async throws {
    guard try await self.credential(for: account) != nil else { return }
    try await save(credential, for: account)
  }

  package func replace(_ known: Credential, by credential: Credential, for account: JID)
    async throws
  {
    guard try await self.credential(for: account)?.hasSecret(of: known) == true else { return }
    try await save(credential, for: account)
  }

  package func removeCredential(for account: JID) async throws {
    let run = try await run(["clear"] + Self.attributes(of: account))
    // Status 1 without output: no secret was stored.
    if run.status == 1, run.error.isEmpty { return }
    try check(run)
  }

  private static func attributes(of account: JID) -> [String] {
    ["application", "natter", "account", account.bare.description]
  }

  private func run(
    _ arguments: [String], input: [UInt8] = [], within limit: Duration? = nil
  ) async throws -> ProgramRun.Result {
    do {
      return try await ProgramRun(path: program, arguments: arguments, input: input)
        .result(within: limit ?? timeLimit)
    } catch let failure as ProgramRun.Failure {
      switch failure {
      case .notStarted: throw SecretServiceError.failed(detail: program)
      case .timedOut: throw SecretServiceError.timedOut
      }
    }
  }

  private func check(_ run: ProgramRun.Result) throws {
    guard run.status != 0 else { return }
    let line = run.error.split { $0 == UInt8(ascii: "\n") }.first ?? []
    throw SecretServiceError.failed(
      detail: String(String(decoding: line, as: UTF8.self).prefix(200)))
  }
}

/// The reason why the desktop's secret service failed.
package enum SecretServiceError: Error, Hashable, Sendable {
  /// The program's error text. Untrusted: it has to be made safe for display.
  case failed(detail: String)
  case timedOut
  /// `secret-tool` is not installed.
  case notInstalled
}

extension SecretServiceError: NatterErrorConvertible {
  package var natterError: NatterError {
    switch self {
    case .failed(let detail):
      NatterError(.notAuthorized, "error.secretService.failed", ["detail": detail])
    case .timedOut: NatterError(.notAuthorized, "error.secretService.timedOut", [:])
    case .notInstalled: NatterError(.notAuthorized, "error.secretService.notInstalled", [:])
    }
  }
}
