import NatterCore
import Synchronization
import TestSupport
import XMPP

@testable import ScriptService

/// The rights of a script, and the user who answers its questions, as a test says.
final class TestRights: Sendable {
  /// The user's answer to the next questions.
  enum Answer: Sendable {
    case no(BridgeRights.Reason)
    case once, always
    /// None, until the question is cancelled.
    case later
  }

  private struct State {
    var held: [BridgePermission: BridgeScope] = [:]
    var others: Set<ScriptRight> = []
    var answer = Answer.no(.notAsked)
    /// The reason for what is not held, without asking.
    var reason = BridgeRights.Reason.notAsked
    var asked: [String] = []
    var revocations: [AsyncStream<BridgeRights.Revocation>.Continuation] = []
  }

  private let state = Mutex(State())
  private let never = Observed(false)

  /// The rights that the user was asked for, in order.
  var asked: [String] { state.withLock { $0.asked } }

  func hold(_ permission: BridgePermission, _ scope: BridgeScope = .all) {
    state.withLock { $0.held[permission] = scope }
  }
  func hold(_ right: ScriptRight) { state.withLock { _ = $0.others.insert(right) } }
  func answer(_ answer: Answer) { state.withLock { $0.answer = answer } }

  /// Takes a right back.
  func revoke(_ permission: BridgePermission) {
    let revocations = state.withLock { state in
      state.held[permission] = nil
      state.reason = .revoked
      state.answer = .no(.revoked)
      return state.revocations
    }
    for continuation in revocations { continuation.yield(.init(permission, in: nil)) }
  }

  private func current(_ permission: BridgePermission) -> BridgeRights.Decision {
    state.withLock { state in
      state.held[permission].map { .held($0) } ?? .refused(state.reason)
    }
  }

  private func ask(_ permission: BridgePermission) -> BridgeRights.Decision {
    state.withLock { state in
      state.asked.append(permission.rawValue)
      switch state.answer {
      case .no(let reason): return .refused(reason)
      case .once, .later: return .held(.all)
      case .always:
        state.held[permission] = .all
        return .held(.all)
      }
    }
  }

  private func follow() -> AsyncStream<BridgeRights.Revocation> {
    let (stream, continuation) = AsyncStream<BridgeRights.Revocation>.makeStream()
    state.withLock { $0.revocations.append(continuation) }
    return stream
  }

  var rights: ScriptHostRights {
    ScriptHostRights(
      bridge: BridgeRights(
        held: { permission, _ in self.current(permission) },
        ask: { permission, _ in self.ask(permission) }, revocations: { self.follow() }),
      holds: { right in self.state.withLock { $0.others.contains(right) } },
      request: { right in
        if case .later = self.state.withLock(\.answer) {
          _ = await self.never.waits(upTo: .seconds(60)) { $0 }
          return .refused(.notAnswered)
        }
        if case .bridge(let permission) = right {
          if case .held(let scope) = self.current(permission) { return .held(scope) }
          return self.ask(permission)
        }
        return self.state.withLock { state in
          state.asked.append(right.name)
          guard case .no(let reason) = state.answer else { return .held(.all) }
          return .refused(reason)
        }
      },
      listed: {
        self.state.withLock { state in
          state.held.map { ScriptGrant(.bridge($0.key), scope: $0.value) }
            + state.others.map { ScriptGrant($0) }
        }
      })
  }
}
