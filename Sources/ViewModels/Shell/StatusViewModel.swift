import FoundationEssentials
import NatterCore

/// The line above the input: what went wrong, what is going on, what is hidden below.
package final class StatusViewModel {
  package enum Level: Hashable { case info, warning, error }

  package let invalidation = Invalidation()
  /// What tells in the place of this one.
  private weak var successor: StatusViewModel?

  private let format: ItemFormat
  private let scheduler: Scheduler
  private let now: () -> Date
  private var notice: StatusNotice?
  /// The line that `notice` complains about; `nil` where it is about something else.
  private var complaint: String?
  private var question: String?
  private var standing = ConnectionSummary(.online)
  private var progress: SyncProgress?
  /// Whether sync takes long enough to be worth a line.
  private var isProgressShown = false
  private var cancelPatience: (() -> Void)?
  private var hiddenBelow = 0
  private var position = ""
  private var typing = ""
  private var announcement = Announcement()
  /// What ends a wait for the next attempt: a key where one does, else the command.
  var connectKey: String {
    let keys = keysOf("connectNow")
    return keys.isEmpty ? "/connect" : keys
  }
  /// The keys that do what an action of that name does, as they are shown; empty for none.
  package var keysOf: (_ action: String) -> String = { _ in "" } {
    didSet { invalidation.raise() }
  }
  /// Tells one thing that is said here from the next.
  package private(set) var number = 0
  /// Whether nothing changes here by itself but for news: no countdown, nobody's typing.
  package var isCalm = false
  private var cancelTick: (() -> Void)?
  /// Whether the connection was gone already when `notice` was shown: it answers a person who knows that.
  private var isToldOffline = false
  private var toldAt = Date.distantPast
  private var cancelReading: (() -> Void)?
  /// Seconds that it takes to read why something was refused, or what was done, and characters a second of a long text.
  private static let readingTime: TimeInterval = 10
  private static let readingSpeed: TimeInterval = 5

  package init(
    format: ItemFormat, scheduler: Scheduler, now: @escaping () -> Date = { Date() }
  ) {
    self.format = format
    self.scheduler = scheduler
    self.now = now
  }

  /// The text on the left, with how grave it is; empty when there is nothing to say.
  package var message: (text: String, level: Level) {
    if let question { return (question, .warning) }
    if let notice {
      return text(of: notice)
    }
    if !announcement.isEmpty { return (announcement.text(format.localizer), .info) }
    switch standing.state {
    case .online: return (isProgressShown ? progress.map(text(of:)) ?? typing : typing, .info)
    case .offline: return (format.localizer("status.isOffline"), .warning)
    case .connecting(let host): return text(of: standing.attempt(at: host, format))
    case .waiting(_, let reason) where isCalm:
      return (
        format.localizer(
          "status.isWaiting",
          ["reason": format.reason(reason), "key": connectKey]),
        .warning
      )
    case .waiting(let until, let reason):
      return (
        format.localizer(
          "status.waiting",
          [
            "time": format.countdown(to: until, now: now()),
            "reason": format.reason(reason), "key": connectKey,
          ]), .warning
      )
    case .refused(let reason):
      let key =
        reason.asksForCredentials
        ? "status.refusedLogin" : reason.mayPass ? "status.refusedForNow" : "status.refused"
      return (format.localizer(key, ["reason": format.reason(reason), "key": connectKey]), .error)
    }
  }

  private func text(of notice: StatusNotice) -> (text: String, level: Level) {
    let level: Level =
      switch notice.level {
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
    return (format.text(notice), level)
  }

  /// The text on the right: messages hidden below, the place in a long input.
  package var side: String {
    if hiddenBelow > 0 { return format.localizer("status.below", ["count": "\(hiddenBelow)"]) }
    return position
  }

  /// Tells what was told here last, and from now on, in another one.
  func tell(_ other: StatusViewModel) {
    if let notice, let complaint {
      other.show(notice, about: complaint)
    } else if let notice {
      other.show(notice)
    }
    successor = other
  }

  package var isEmpty: Bool { message.text.isEmpty && side.isEmpty }

  package func show(_ notice: StatusNotice) {
    if let successor { return successor.show(notice) }
    tell(notice, about: nil)
  }

  /// Shows what is wrong with a line that was typed, for as long as it stands there.
  func show(_ notice: StatusNotice, about line: String) {
    if let successor { return successor.show(notice, about: line) }
    tell(notice, about: line)
  }

  private func tell(_ notice: StatusNotice, about line: String?) {
    (self.notice, complaint) = (notice, line)
    (isToldOffline, toldAt) = (standing.isGone, now())
    cancelReading?()
    cancelReading = nil
    // What was done is of no interest minutes later; what went wrong stays until something is done about it.
    if notice.level == .info, !isCalm {
      let time = max(Self.readingTime, TimeInterval(format.text(notice).count) / Self.readingSpeed)
      cancelReading = scheduler.after(.seconds(time)) { [weak self] in self?.clear(notice) }
    }
    changed()
  }

  /// Whether what is shown is what is wrong with `line`.
  func complains(about line: String) -> Bool { notice != nil && complaint == line }

  /// The line is `text` now: what was wrong with another one is no longer of interest.
  func typed(_ text: String) {
    if let complaint, complaint != text { clear() }
  }

  /// Takes away what was shown last; the connection's state stays.
  package func clear() {
    guard notice != nil || !announcement.isEmpty else { return }
    (notice, complaint) = (nil, nil)
    forgetTold()
    changed()
  }

  /// Takes `notice` away where it is still there.
  package func clear(_ notice: StatusNotice) {
    if let successor { return successor.clear(notice) }
    if self.notice == notice { clear() }
  }

  /// Says `new` in the place of `old` where that is still there.
  package func change(_ old: StatusNotice, to new: StatusNotice) {
    if let successor { return successor.change(old, to: new) }
    if notice == old { show(new) }
  }

  /// Something else is looked at: what was only good to know where one was is not any more.
  package func clearInfo() {
    if let notice, notice.level == .info { clear(notice) }
  }

  /// What could not be written is written: in the place of the complaint about it, where that is still there, it says so.
  /// - Parameter ofDraft: whether it is what somebody was typing.
  func storageWorks(ofDraft: Bool = false) {
    if let successor { return successor.storageWorks(ofDraft: ofDraft) }
    guard let key = notice?.key, Self.storageComplaints.contains(key) else { return }
    show(StatusNotice(.info, ofDraft ? "status.draftSaved" : "status.storageWorks"))
  }

  private static let storageComplaints: Set<String> = [
    "error.storage.full", "error.storage.notWritable", "error.storage.write",
  ]

  /// Whether a question is shown.
  package var asks: Bool { question != nil }

  /// Shows a question that keys will answer, or takes it away.
  package func ask(_ text: String?) {
    guard text != question else { return }
    question = text
    changed()
  }

  /// Tells of messages in one line, in place of what was told before; what was not on the screen yet is told with them. A
  /// notice that was merely good to know gives way.
  package func announce(_ news: [(name: String, text: String)]) {
    guard !news.isEmpty else { return }
    if notice?.level == .info { notice = nil }
    announcement.add(news)
    changed()
  }

  /// What is said here is on the screen.
  package func appeared() {
    if question == nil, notice == nil { announcement.isTold = true }
  }

  /// Whoever heard it has gone elsewhere since: it is not said again.
  package func forgetTold() {
    guard announcement.isTold, !announcement.isEmpty else { return }
    announcement = Announcement()
    changed()
  }

  private func changed() {
    number += 1
    invalidation.raise()
  }

  /// - Parameter text: `Bob is typing...`, or empty when nobody is.
  package func show(typing text: String) {
    let text = isCalm ? "" : text
    guard text != typing else { return }
    typing = text
    invalidation.raise()
  }

  package func show(hiddenBelow count: Int) {
    guard count != hiddenBelow else { return }
    hiddenBelow = count
    invalidation.raise()
  }

  /// - Parameter text: `12/40 lines`, or empty when all of the input is to be seen.
  package func show(inputPosition text: String) {
    guard text != position else { return }
    position = text
    invalidation.raise()
  }

  package func handle(_ event: DomainEvent) {
    switch event {
    case .notice(let notice): show(notice)
    case .storageWorks: storageWorks()
    case .syncProgressed(let progress):
      show(progress)
    case .connectionChanged(let state):
      standing.follow(state)
      // Nothing said before must hide that the connection is gone, why, and when it is tried again.
      switch state {
      case .waiting where keepsRefusal(): break
      case .waiting, .refused, .offline:
        (notice, complaint) = (nil, nil)
        forgetTold()
      case .online, .connecting: break
      }
      changed()
      tick()
    default: break
    }
  }

  /// Why something was refused just now, while the connection was gone already, can be read before the next attempt is told.
  private func keepsRefusal() -> Bool {
    guard let notice, notice.level != .info, isToldOffline else { return false }
    let left = Self.readingTime - now().timeIntervalSince(toldAt)
    guard left > 0 else { return false }
    if cancelReading == nil {
      cancelReading = scheduler.after(.seconds(left)) { [weak self] in self?.clear(notice) }
    }
    return true
  }

  // A line that comes and goes at each login would only make the screen jump.
  private func show(_ progress: SyncProgress?) {
    self.progress = progress
    if isProgressShown { invalidation.raise() }
    guard progress != nil else {
      cancelPatience?()
      (cancelPatience, isProgressShown) = (nil, false)
      return
    }
    guard cancelPatience == nil else { return }
    cancelPatience = scheduler.after(.milliseconds(700)) { [weak self] in
      self?.isProgressShown = true
      self?.invalidation.raise()
    }
  }

  private func text(of progress: SyncProgress) -> String {
    let key =
      switch progress.step {
      case .list: "status.sync.list"
      case .details: "status.sync.details"
      case .commands: "status.sync.commands"
      }
    return format.localizer(
      key, ["done": "\(progress.done)", "total": "\(progress.total)"])
  }

  // Only a wait has a number that changes: nothing wakes up otherwise.
  private func tick() {
    cancelTick?()
    cancelTick = nil
    guard !isCalm, case .waiting(let until, _) = standing.state, until > now() else { return }
    cancelTick = scheduler.after(.seconds(1)) { [weak self] in
      self?.invalidation.raise()
      self?.tick()
    }
  }
}
