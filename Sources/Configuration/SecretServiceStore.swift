import FoundationEssentials
import NatterCore
import XMPP

/// Passwords and tokens in the desktop's secret service (GNOME Keyring, KWallet), by the program `secret-tool`.
///
/// A secret is written to its standard input, so that no list of processes shows it.
package struct SecretServiceStore: CredentialStoring {
  private let program: String
  private let timeLimit: Duration

  /// - Parameters:
  ///   - program: `secret-tool`, or another name or path of it.
  ///   - timeLimit: how long it may take; a person may have to open the keyring meanwhile.
  /// - Returns: `nil` where it is not installed.
  package init?(program: String = "secret-tool", timeLimit: Duration = .seconds(60)) {
    guard let path = PasswordCommand.find(program) else { return nil }
    self.program = path
    self.timeLimit = timeLimit
  }

  package func credential(for account: JID) async throws -> Credential? {
    let run = try await run(["lookup"] + Self.attributes(of: account))
    // 1 and nothing said: there is none.
    if run.status == 1, run.output.isEmpty, run.error.isEmpty { return nil }
    try check(run)
    var text = run.output
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    if text.isEmpty { return nil }
    // What another program put there is a password as it stands.
    guard let record = try? JSONDecoder().decode(CredentialRecord.self, from: Data(text)) else {
      return Credential(password: String(decoding: text, as: UTF8.self))
    }
    return record.credential
  }

  /// Looks without unlocking anything, and not for long: the screen waits for the answer.
  /// - Throws: `SecretServiceError` when the service does not answer: then nobody can tell.
  package func hasCredential(for account: JID) async throws -> Bool {
    let run = try await run(
      ["search"] + Self.attributes(of: account), within: Self.glanceLimit)
    if run.status == 1, run.output.isEmpty, run.error.isEmpty { return false }
    try check(run)
    // Names go to standard error, and what is not locked to standard output.
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

  package func replace(_ credential: Credential, for account: JID) async throws {
    guard try await self.credential(for: account) != nil else { return }
    try await save(credential, for: account)
  }

  package func removeCredential(for account: JID) async throws {
    let run = try await run(["clear"] + Self.attributes(of: account))
    // 1 and nothing said: there was none.
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

/// Why the desktop's secret service did not do what it was asked to.
package enum SecretServiceError: Error, Hashable, Sendable {
  /// In the program's words. From outside: to be shown made safe.
  case failed(detail: String)
  case timedOut
  /// `secret-tool` is not there.
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
