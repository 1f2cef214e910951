import FoundationEssentials
import NatterCore
import Synchronization
import XMPP

/// The messages that clients with a name have sent since the bridge began: how many, for their
/// limits, and which, because they may change only their own.
final class SentMessages: Sendable {
  /// A client and an account, and what it has sent there.
  struct Sender: Hashable, Sendable {
    let client: String
    let account: JID
  }

  private struct Target: Hashable {
    let sender: Sender
    let conversation: JID
  }

  private struct Sent {
    let id: Message.ID
    let sentAt: Date
    let time: Duration
  }

  private struct State {
    /// Of the last hour.
    var targets: [Target: [Sent]] = [:]
    /// The message up to which another one has answered.
    var answered: [Target: Message.ID] = [:]
    var own: [Sender: [Message.ID]] = [:]
    /// The number of conversations at which old ones are removed.
    var mostTargets = 64
  }

  /// The messages that a client can change: its last ones.
  static let mostOwn = 1000
  private static let hour = Duration.seconds(3600)

  private let state = Mutex(State())

  /// The number of conversations that are counted.
  var targets: Int { state.withLock { $0.targets.count } }

  /// Returns the time after which a client may send to a conversation again; `nil`: now.
  /// - Parameters:
  ///   - now: of a clock that never goes back.
  ///   - latest: returns the newest messages of the conversation.
  func pause(
    of sender: Sender, to conversation: JID, _ limits: ClientLimits, at now: Duration,
    latest: () async throws -> [Message]
  ) async throws -> Duration? {
    let target = Target(sender: sender, conversation: conversation)
    let sent = recent(target, at: now)
    if let most = limits.perHour, let pause = Self.pause(sent, atMost: most, now) { return pause }
    guard let most = limits.inARow, row(sent, target).count >= most else { return nil }
    let received = try await latest().filter { $0.direction == .incoming }
    // Messages of an archive are no answers, although they are stored later.
    let answered = sent.last { own in
      received.contains { $0.id > own.id && $0.sentAt >= own.sentAt }
    }
    if let answered { state.withLock { $0.answered[target] = answered.id } }
    return Self.pause(row(sent, target), atMost: most, now)
  }

  private static func pause(_ sent: [Sent], atMost most: Int, _ now: Duration) -> Duration? {
    guard sent.count >= most else { return nil }
    return most < 1 ? hour : sent[sent.count - most].time + hour - now
  }

  private func recent(_ target: Target, at now: Duration) -> [Sent] {
    state.withLock { state in
      let sent = (state.targets[target] ?? []).filter { now - $0.time < Self.hour }
      if state.targets[target] != nil { state.targets[target] = sent }
      return sent
    }
  }

  private func row(_ sent: [Sent], _ target: Target) -> [Sent] {
    let answered = state.withLock { $0.answered[target] }
    return sent.filter { $0.id > answered ?? Message.ID(.min) }
  }

  /// Notes a message that a client has sent.
  func note(_ message: Message, of sender: Sender, at now: Duration) {
    let target = Target(sender: sender, conversation: message.conversation)
    noteOwn(message.id, of: sender)
    state.withLock { state in
      state.targets[target, default: []]
        .append(Sent(id: message.id, sentAt: message.sentAt, time: now))
      guard state.targets.count > state.mostTargets else { return }
      state.targets = state.targets.filter { now - ($1.last?.time ?? .zero) < Self.hour }
      state.answered = state.answered.filter { state.targets[$0.key] != nil }
      state.mostTargets = max(64, 2 * state.targets.count)
    }
  }

  /// Notes that a message is one of a client.
  func noteOwn(_ id: Message.ID, of sender: Sender) {
    state.withLock { state in
      guard state.own[sender]?.contains(id) != true else { return }
      state.own[sender, default: []].append(id)
      // Not one by one: an array moves all.
      if let count = state.own[sender]?.count, count >= 2 * Self.mostOwn {
        state.own[sender]?.removeFirst(count - Self.mostOwn)
      }
    }
  }

  /// Returns whether a client has sent a message.
  func isOwn(_ id: Message.ID, of sender: Sender) -> Bool {
    state.withLock { $0.own[sender]?.contains(id) == true }
  }
}
