import FoundationEssentials
import NatterCore
import XMPP

/// The fetching of everything that the archive has of one conversation, page by page beside
/// everything else (flows.md, "Receiving").
///
/// Each page is stored with the range that it completes, so that it can be paused, cancelled or cut
/// off at any moment. Without a connection it waits, and goes on with the next one.
package final class WholeHistory {
  package enum State: Hashable {
    case running
    /// Nothing comes at the moment: there is no connection, or no answer.
    case waiting
    /// The user has paused it.
    case paused
  }

  package struct Progress: Hashable {
    package let conversation: JID
    package fileprivate(set) var state = State.running
    /// The number of messages that were fetched so far.
    package fileprivate(set) var count = 0
    /// The time of the oldest message of the last page; `nil` before the first one.
    package fileprivate(set) var reached: Date?
  }

  /// `nil`: nothing is being fetched.
  package private(set) var progress: Progress? {
    didSet { if progress != oldValue { onChange(progress) } }
  }
  /// Called with each change of `progress`.
  package var onChange: (Progress?) -> Void = { _ in }
  /// Called at the end, when `progress` is already `nil`.
  package var onEnd: (JID, HistoryFetchEnd) -> Void = { _, _ in }
  /// Runs the requests. The end of the program does not wait for it, as for work of the shell.
  let lifetime = Lifetime()

  private let history: any HistoryFetching
  private let scheduler: Scheduler
  private var plan = HistoryFetchPlan()
  private var isOnline = false
  /// Indicates whether a request is under way: one at a time.
  private var isAsking = false
  /// The number of the conversation's fetching: answers to earlier ones do not count.
  private var number = 0
  private var cancelWait: (() -> Void)?

  package init(_ history: any HistoryFetching, scheduler: Scheduler) {
    (self.history, self.scheduler) = (history, scheduler)
  }

  /// Begins to fetch; only when nothing is being fetched.
  package func start(_ conversation: JID, isOnline: Bool) {
    guard progress == nil else { return }
    number += 1
    (plan, self.isOnline) = (HistoryFetchPlan(), isOnline)
    progress = Progress(conversation: conversation)
    proceed()
  }

  /// Pauses, or resumes. The page under way is still stored.
  package func toggle() {
    guard let state = progress?.state else { return }
    stopWaiting()
    progress?.state = state == .paused ? .running : .paused
    proceed()
  }

  /// Ends it. Fetched messages stay, also those of the page under way.
  package func cancel() { end(.cancelled) }

  /// Takes an event of the account.
  package func handle(_ event: DomainEvent) {
    switch event {
    case .historyStored(let messages, _): count(messages)
    case .connectionChanged(.online):
      isOnline = true
      plan.reconnected()
      proceed()
    case .connectionChanged:
      isOnline = false
      if progress?.state == .running, !isAsking { proceed() }
    default: break
    }
  }

  private func count(_ messages: [Message]) {
    let mine = messages.filter { $0.conversation == progress?.conversation }
    guard var progress, let oldest = mine.map(\.sentAt).min() else { return }
    progress.count += mine.count { $0.effect == nil && !$0.isCorrection }
    progress.reached = oldest
    self.progress = progress
  }

  private func stopWaiting() {
    cancelWait?()
    cancelWait = nil
  }

  /// Makes the next request, if it is time for one.
  private func proceed() {
    guard let progress, progress.state != .paused, !isAsking else { return }
    stopWaiting()
    guard isOnline else {
      self.progress?.state = .waiting
      return
    }
    isAsking = true
    let (number, plan) = (number, plan)
    lifetime.aside { [weak self] in
      guard let self else { return }
      let (plan, verdict) = await answer(to: plan, in: progress.conversation)
      isAsking = false
      guard number == self.number, self.progress != nil else { return proceed() }
      self.plan = plan
      act(on: verdict)
    }
  }

  /// Makes one request.
  private func answer(
    to plan: HistoryFetchPlan, in conversation: JID
  ) async -> (HistoryFetchPlan, HistoryFetchPlan.Verdict) {
    var plan = plan
    do {
      let step = plan.step(among: try await history.holes(in: conversation))
      let outcome =
        switch step {
        case .missing(let hole): try await history.fetchMissing(in: hole, of: conversation)
        case .older: try await history.fetchOlder(in: conversation)
        }
      let hasArchive =
        outcome == .beginning ? await history.hasArchive(of: conversation) : true
      let verdict = plan.take(outcome, of: step, hasArchive: hasArchive)
      if case .ended(.complete) = verdict {
        // Another request may have left a gap meanwhile, such as going to the first message.
        let holes = try await history.holes(in: conversation)
        if plan.step(among: holes) != .older { return (plan, .next) }
      }
      return (plan, verdict)
    } catch is CancellationError {
      // The session has ended meanwhile.
      return (plan, .later(.seconds(1)))
    } catch {
      return (plan, .ended(.failed(NatterError(reporting: error, key: "error.unexpected"))))
    }
  }

  private func act(on verdict: HistoryFetchPlan.Verdict) {
    switch verdict {
    case .next:
      if progress?.state == .waiting { progress?.state = .running }
      proceed()
    case .ended(let result): end(result)
    case .later(let wait):
      guard progress?.state != .paused else { return }
      progress?.state = .waiting
      // Without a connection the next one ends the wait.
      guard isOnline else { return }
      cancelWait = scheduler.after(wait) { [weak self] in self?.proceed() }
    }
  }

  private func end(_ result: HistoryFetchEnd) {
    guard let conversation = progress?.conversation else { return }
    stopWaiting()
    progress = nil
    onEnd(conversation, result)
  }
}
