import NatterCore
import TestSupport
import XMPP

@testable import BridgeService

/// Rights that a test gives and takes back, and a user that answers as it says.
final class TestGrants: Sendable {
  /// What is held, by right and account.
  private let held = Observed<[String: BridgeScope]>([:])
  /// What the user answers, by right and account.
  private let answers = Observed<[String: BridgeRights.Decision]>([:])
  /// The questions so far.
  let questions = Observed<[String]>([])
  /// Why changes of contacts are refused; `nil`: they are not.
  let refusal = Observed<BridgeRights.Reason?>(nil)
  /// The changes of contacts that the user was asked about.
  let changes = Observed<[String]>([])
  /// The uses so far.
  let uses = Observed<[String]>([])
  /// Whether a session follows what is taken back.
  let isFollowed = Observed(false)
  private let stream: AsyncStream<BridgeRights.Revocation>
  private let revocations: AsyncStream<BridgeRights.Revocation>.Continuation

  init() { (stream, revocations) = AsyncStream.makeStream() }

  private static func key(_ right: BridgePermission, _ account: JID) -> String {
    "\(right.rawValue) in \(account)"
  }

  /// Gives a right for good.
  func give(
    _ right: BridgePermission, in account: JID = BridgeFixture.account, _ scope: BridgeScope = .all
  ) {
    held.update { $0[Self.key(right, account)] = scope }
  }

  /// Takes a right back, or leaves only a part of it.
  func take(
    _ right: BridgePermission, in account: JID = BridgeFixture.account,
    leaving scope: BridgeScope? = nil
  ) {
    held.update { $0[Self.key(right, account)] = scope }
    revocations.yield(.init(right, in: account))
  }

  /// Answers the questions about a right.
  func answer(
    _ right: BridgePermission, in account: JID = BridgeFixture.account,
    _ decision: BridgeRights.Decision
  ) {
    answers.update { $0[Self.key(right, account)] = decision }
  }

  var client: BridgeClient {
    BridgeClient(
      name: "greeter",
      rights: BridgeRights(
        held: { [held] right, account in
          held.value[Self.key(right, account)].map { .held($0) } ?? .refused(.notAsked)
        },
        ask: { [answers, questions] right, account in
          let key = Self.key(right, account)
          questions.update { $0.append(key) }
          _ = await answers.waits { $0[key] != nil }
          return answers.value[key] ?? .refused(.notAnswered)
        },
        revocations: { [stream, isFollowed] in
          isFollowed.update { $0 = true }
          return stream
        },
        note: { [uses] right, account in uses.update { $0.append(Self.key(right, account)) } },
        confirm: { [refusal, changes] change in
          changes.update {
            $0.append("\(change.kind.rawValue) \(change.address) in \(change.account)")
          }
          return refusal.value
        }))
  }
}
