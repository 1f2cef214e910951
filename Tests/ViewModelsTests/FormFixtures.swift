import NatterCore
import Synchronization
import TestSupport
import Text
import XMPP

@testable import ViewModels

/// The English texts as the program has them.
func formTexts() -> Localizer { Localizer(tag: "en", texts: (try? englishTexts()) ?? [:]) }

/// A server for forms: each call does what the test says.
nonisolated struct FakeSigning: SigningIn {
  var onSignIn: @Sendable (SignInRequest, @Sendable (SignInProgress) -> Void) async throws -> Void =
    { _, _ in }
  var onForm: @Sendable (Account) async throws -> RegistrationForm = { _ in
    RegistrationForm(instructions: nil, url: nil)
  }
  var onRegister: @Sendable (SignInRequest, [String: [String]]) async throws -> Void = { _, _ in }
  /// Indicates whether the account is reported as created before `onRegister` ends.
  var reportsMade = false
  var support: [String] = []

  func signIn(_ request: SignInRequest, progress: @escaping @Sendable (SignInProgress) -> Void)
    async throws
  { try await onSignIn(request, progress) }

  func registrationForm(for account: Account) async throws -> RegistrationForm {
    try await onForm(account)
  }

  func register(
    _ request: SignInRequest, answers: [String: [String]],
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    if reportsMade { progress(.authenticating) }
    try await onRegister(request, answers)
  }

  func supportAddresses(for account: Account) async -> [String] { support }
}

/// Keeps what fakes were called with.
nonisolated final class Record<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])
  var values: [Value] { state.withLock { $0 } }
  func add(_ value: Value) { state.withLock { $0.append(value) } }
}

/// Holds all waiters until it is opened; a waiter that is cancelled continues at once.
nonisolated final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  init() { (stream, continuation) = AsyncStream<Void>.makeStream() }
  func open() { continuation.finish() }
  func wait() async { for await _ in stream {} }
}

/// Indicates whether `condition` becomes true while other tasks run.
func becomes(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<20_000 {
    if condition() { return true }
    await Task.yield()
  }
  return condition()
}

extension FormViewModel {
  /// Types into a field, as the pane does.
  func fill(_ id: FormField.ID, _ text: String) {
    focus(on: id)
    edit(text, cursor: text.count)
  }
}
