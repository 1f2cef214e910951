import FoundationEssentials
import NatterCore
import XMPP

/// The questions of all scripts for rights. Of each script one question is open at a time; the
/// others wait for its answer, and most of them are answered by it.
package actor ScriptQuestions: ScriptAsking {
  /// What a script asks for.
  struct Request: Sendable {
    let script: String
    let title: String
    let permission: ScriptManifest.Permission
    let account: JID?
    let canPassOn: Bool
    /// `nil`: it is about the right.
    var change: AskedContactChange?
    /// Returns the decision if the user need not be asked any more.
    let settled: @Sendable () -> BridgeRights.Decision?
    /// Takes the user's answer.
    /// - Throws: `NatterError` when it could not be stored.
    let answered: @Sendable (ScriptAnswer) async throws -> BridgeRights.Decision
  }

  private struct Waiting {
    let id: ScriptQuestion.ID
    let request: Request
    let continuation: CheckedContinuation<BridgeRights.Decision, Never>
    /// Indicates whether the user is asked.
    var isOpen = false
    /// Indicates whether the user has answered.
    var isAnswered = false
    var timer: Task<Void, Never>?
  }

  /// The time that the user has for an answer.
  static let limit = Duration.seconds(300)

  private let sleep: @Sendable (Duration) async throws -> Void
  private let onChange: @Sendable () -> Void
  /// By script, in the order of asking; only the first one may be open.
  private var lines: [String: [Waiting]] = [:]
  private var lastID = 0

  /// - Parameter onChange: called when a question is put, or needs no answer any more.
  package init(
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    onChange: @escaping @Sendable () -> Void
  ) {
    (self.sleep, self.onChange) = (sleep, onChange)
  }

  // MARK: - Scripts

  /// Asks the user, once earlier questions of the script are answered.
  func ask(_ request: Request) async -> BridgeRights.Decision {
    lastID += 1
    let id = lastID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        lines[request.script, default: []].append(
          Waiting(id: id, request: request, continuation: continuation))
        if Task.isCancelled { remove(id, of: request.script) }
        putNext(of: request.script)
      }
    } onCancel: {
      Task { await self.remove(id, of: request.script) }
    }
  }

  /// Drops the questions of a script that has ended.
  package func cancel(_ script: String) {
    for waiting in lines[script] ?? [] where !waiting.isAnswered { end(waiting.id, script) }
    putNext(of: script)
  }

  /// Indicates whether a script waits for an answer.
  func isAsking(_ script: String) -> Bool {
    lines[script]?.contains { $0.isOpen && !$0.isAnswered } == true
  }

  // MARK: - The user

  package func open() -> [ScriptQuestion] {
    lines.values.joined().filter { $0.isOpen && !$0.isAnswered }.sorted { $0.id < $1.id }.map {
      let request = $0.request
      var question = ScriptQuestion(
        id: $0.id, script: request.script, title: request.title, permission: request.permission,
        account: request.account, conversation: nil, canPassOn: request.canPassOn)
      question.change = request.change
      return question
    }
  }

  package func answer(_ question: ScriptQuestion.ID, _ answer: ScriptAnswer) async throws {
    guard
      let (script, index) = lines.lazy.compactMap({ script, line in
        line.firstIndex { $0.id == question && $0.isOpen && !$0.isAnswered }.map { (script, $0) }
      }).first, let request = lines[script]?[index].request
    else { throw NatterError(.invalidInput, "error.script.question.gone", retry: .never) }
    lines[script]?[index].isAnswered = true
    lines[script]?[index].timer?.cancel()
    onChange()
    let outcome: Result<BridgeRights.Decision, any Error>
    do { outcome = .success(try await request.answered(answer)) } catch {
      outcome = .failure(error)
    }
    switch outcome {
    case .success(let decision): end(question, script, decision)
    case .failure(let error):
      // What cannot be stored does not widen what the user meant.
      let lesser: ScriptAnswer =
        if case .always(let grant) = answer { .onceWithin(grant) } else { .no }
      let decision = try? await request.answered(lesser)
      end(question, script, decision ?? .refused(.declined))
      putNext(of: script)
      throw error
    }
    putNext(of: script)
  }

  // MARK: - Lines

  /// Opens the next question of a script that still needs an answer, unless one is open.
  private func putNext(of script: String) {
    while let first = lines[script]?.first, !first.isOpen {
      if let decision = first.request.settled() {
        end(first.id, script, decision)
        continue
      }
      lines[script]?[0].isOpen = true
      lines[script]?[0].timer = Task { [sleep, weak self] in
        // Cancelled: it was answered.
        do { try await sleep(Self.limit) } catch { return }
        await self?.timeIsUp(first.id, script)
      }
      onChange()
    }
  }

  /// Ends a question without an answer, and those that ask for the same.
  private func timeIsUp(_ id: ScriptQuestion.ID, _ script: String) {
    guard let line = lines[script], let late = line.first(where: { $0.id == id }), !late.isAnswered
    else { return }
    let (right, account) = (late.request.permission.right, late.request.account)
    for waiting in line
    where waiting.request.permission.right == right && waiting.request.account == account {
      end(waiting.id, script)
    }
    putNext(of: script)
  }

  private func remove(_ id: ScriptQuestion.ID, of script: String) {
    // One that is being answered ends with its answer.
    guard lines[script]?.first(where: { $0.id == id })?.isAnswered == false else { return }
    end(id, script)
    putNext(of: script)
  }

  private func end(
    _ id: ScriptQuestion.ID, _ script: String,
    _ decision: BridgeRights.Decision = .refused(.notAnswered)
  ) {
    guard let index = lines[script]?.firstIndex(where: { $0.id == id }),
      let waiting = lines[script]?.remove(at: index)
    else { return }
    if lines[script]?.isEmpty == true { lines[script] = nil }
    waiting.timer?.cancel()
    waiting.continuation.resume(returning: decision)
    if waiting.isOpen, !waiting.isAnswered { onChange() }
  }
}
