import FoundationEssentials
import NatterCore
import Text

/// The line above the input: errors, progress, the number of messages hidden below.
package final class StatusViewModel {
  /// The severity of the text.
  package enum Level: Hashable { case info, warning, error }

  /// The texts that are shown while there is nothing else to say.
  private struct Aside {
    var typing = ""
    var work = ""
    var fileWork = ""
    /// The script that asks.
    var asking = ""
    /// Typing soon ends, the work goes on; files are written faster than archives are read.
    var text: String { [typing, fileWork].first { !$0.isEmpty } ?? work }
  }

  package let invalidation = Invalidation()
  /// The view model that shows notices instead of this one.
  private weak var successor: StatusViewModel?

  private let format: ItemFormat
  private let scheduler: Scheduler
  private let now: () -> Date
  private var notice: StatusNotice?
  /// The input line that `notice` is about; `nil` if it is about something else.
  private var complaint: String?
  private var question: String?
  private var summary = ConnectionSummary(.online)
  private var progress: SyncProgress?
  /// True if synchronization takes long enough to be worth a line.
  private var isProgressShown = false
  private var cancelPatience: (() -> Void)?
  private var hiddenBelow = 0
  private var position = ""
  private var aside = Aside()
  private var announcement = Announcement()
  /// The way to begin an attempt to connect: a key if one is bound, which works in all tabs, else
  /// the command.
  var connectKey: String {
    let keys = keysOf("connectNow")
    return keys.isEmpty ? "/connect" : keys
  }
  /// The keys bound to the action of that name, as displayed; empty if there are none.
  package var keysOf: (_ action: String) -> String = { _ in "" } {
    didSet { invalidation.raise() }
  }
  /// A number that grows with each new text, to distinguish them.
  package private(set) var number = 0
  /// True if only news changes the line: no countdown and no typing notifications.
  package var isCalm = false
  private var cancelTick: (() -> Void)?
  /// True if the connection was already gone when `notice` appeared: the user already knew.
  private var isReportedOffline = false
  private var reportedAt = Date.distantPast
  private var cancelReading: (() -> Void)?
  /// Seconds to read why a request was refused, or what was done, and characters per second of a
  /// long text.
  private static let readingTime: TimeInterval = 10
  private static let readingSpeed: TimeInterval = 5

  package init(
    format: ItemFormat, scheduler: Scheduler, now: @escaping () -> Date = { Date() }
  ) {
    self.format = format
    self.scheduler = scheduler
    self.now = now
  }

  /// The text on the left, with its severity; empty if there is nothing to say.
  package var message: (text: String, level: Level) {
    if let question { return (question, .warning) }
    if let notice { return withQuestion(text(of: notice)) }
    if !announcement.isEmpty {
      return withQuestion((announcement.text(format.localizer), .info))
    }
    // It waits for minutes only; the tab bar has the connection.
    if !aside.asking.isEmpty { return (scriptQuestion, .info) }
    switch summary.state {
    case .online:
      return (isProgressShown ? progress.map(text(of:)) ?? aside.text : aside.text, .info)
    case .offline: return (format.localizer("status.isOffline", ["key": connectKey]), .warning)
    case .connecting(let host): return text(of: summary.attempt(at: host, format))
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

  private var scriptQuestion: String {
    let keys = keysOf("answerScript")
    return format.localizer(
      "scripts.asks", ["name": aside.asking, "key": keys.isEmpty ? "/script" : keys])
  }

  /// Adds that a script asks: what is shown may stay until a key is pressed, the question may not.
  private func withQuestion(_ message: (text: String, level: Level)) -> (
    text: String, level: Level
  ) {
    guard !aside.asking.isEmpty else { return message }
    return (
      format.localizer("scripts.asksToo", ["text": message.text, "asks": scriptQuestion]),
      message.level
    )
  }

  private func text(of notice: StatusNotice) -> (text: String, level: Level) {
    let level: Level =
      switch notice.level {
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
    // The text of the error names the default key.
    guard notice.key != "error.offline" else {
      return (format.localizer("status.needsConnection", ["key": connectKey]), level)
    }
    return (format.text(notice), level)
  }

  /// The text on the right: messages hidden below, the position in a long input.
  package var side: String {
    if hiddenBelow > 0 { return format.localizer("status.below", ["count": "\(hiddenBelow)"]) }
    return position
  }

  /// Transfers the last notice to another view model, which shows all later ones.
  func present(_ other: StatusViewModel) {
    if let notice, let complaint {
      other.show(notice, about: complaint)
    } else if let notice {
      other.show(notice)
    }
    successor = other
  }

  package var isEmpty: Bool { message.text.isEmpty && side.isEmpty }

  /// Shows a notice instead of the previous one.
  package func show(_ notice: StatusNotice) {
    if let successor { return successor.show(notice) }
    present(notice, about: nil)
  }

  /// Shows what is wrong with an input line, for as long as the line stays unchanged.
  func show(_ notice: StatusNotice, about line: String) {
    if let successor { return successor.show(notice, about: line) }
    present(notice, about: line)
  }

  private func present(_ notice: StatusNotice, about line: String?) {
    (self.notice, complaint) = (notice, line)
    (isReportedOffline, reportedAt) = (summary.isGone, now())
    cancelReading?()
    cancelReading = nil
    // A confirmation loses its interest after a while; an error stays until the user reacts.
    if notice.level == .info, !isCalm {
      let time = max(Self.readingTime, TimeInterval(format.text(notice).count) / Self.readingSpeed)
      cancelReading = scheduler.after(.seconds(time)) { [weak self] in self?.clear(notice) }
    }
    changed()
  }

  /// True if the notice shown is about `line`.
  func complains(about line: String) -> Bool { notice != nil && complaint == line }

  /// Handles a change of the input to `text`: a notice about another text disappears.
  func typed(_ text: String) {
    if let complaint, complaint != text { clear() }
  }

  /// Removes the last notice; the connection state stays.
  package func clear() {
    guard notice != nil || !announcement.isEmpty else { return }
    (notice, complaint) = (nil, nil)
    forgetReported()
    changed()
  }

  /// Removes `notice` if it is still shown. An announcement under it comes back: the user has not
  /// moved on.
  package func clear(_ notice: StatusNotice) {
    if let successor { return successor.clear(notice) }
    guard self.notice == notice else { return }
    (self.notice, complaint) = (nil, nil)
    changed()
  }

  /// Replaces `old` with `new` if `old` is still shown.
  package func change(_ old: StatusNotice, to new: StatusNotice) {
    if let successor { return successor.change(old, to: new) }
    if notice == old { show(new) }
  }

  /// Removes an informational notice, which loses its interest when the view changes, and an
  /// announcement under it that was on the screen: the user has moved on.
  package func clearInfo() {
    if let successor { return successor.clearInfo() }
    if let notice, notice.level == .info { clear() }
  }

  /// Replaces a notice about a failed write by the report that writing works again.
  /// - Parameter ofDraft: whether the stored text is a draft.
  func storageWorks(ofDraft: Bool = false) {
    if let successor { return successor.storageWorks(ofDraft: ofDraft) }
    guard let key = notice?.key, Self.storageComplaints.contains(key) else { return }
    show(StatusNotice(.info, ofDraft ? "status.draftSaved" : "status.storageWorks"))
  }

  private static let storageComplaints: Set<String> = [
    "error.storage.full", "error.storage.notWritable", "error.storage.write",
  ]

  /// True if a question is shown.
  package var asks: Bool { question != nil }

  /// Shows a question that the next keys answer, or removes it.
  package func ask(_ text: String?) {
    guard text != question else { return }
    question = text
    changed()
  }

  /// Announces messages in one line, which replaces the announcement before. Messages that have not
  /// been on the screen yet are announced along with them. An informational notice gives way.
  package func announce(_ news: [(name: String, text: String)]) {
    guard !news.isEmpty else { return }
    if notice?.level == .info { notice = nil }
    announcement.add(news)
    changed()
  }

  /// Records that the current text is on the screen.
  package func appeared() {
    if question == nil, notice == nil { announcement.isReported = true }
  }

  /// Drops an announcement that was on the screen: the user has moved on since.
  package func forgetReported() {
    guard announcement.isReported, !announcement.isEmpty else { return }
    announcement = Announcement()
    changed()
  }

  private func changed() {
    number += 1
    invalidation.raise()
  }

  /// - Parameter text: `Bob is typing ...`, or empty if no contact is typing.
  package func show(typing text: String) {
    let text = isCalm ? "" : text
    guard text != aside.typing else { return }
    aside.typing = text
    invalidation.raise()
  }

  /// - Parameter text: the progress of long work in the background, or empty if there is none.
  func show(work text: String) {
    guard text != aside.work else { return }
    aside.work = text
    invalidation.raise()
  }

  /// - Parameter text: the progress of an export or import, or empty if there is none.
  func show(fileWork text: String) {
    guard text != aside.fileWork else { return }
    aside.fileWork = text
    invalidation.raise()
  }

  /// - Parameter script: the name of the script that asks, or empty if none does.
  func show(asking script: String) {
    guard script != aside.asking else { return }
    aside.asking = script
    changed()
  }

  /// Shows the number of messages hidden below; 0 for none.
  package func show(hiddenBelow count: Int) {
    guard count != hiddenBelow else { return }
    hiddenBelow = count
    invalidation.raise()
  }

  /// - Parameter text: `12/40 lines`, or empty if all of the input is visible.
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
      summary.follow(state)
      // An old notice must not hide that the connection is gone, why, and when the next attempt is.
      switch state {
      case .waiting where keepsRefusal(): break
      case .waiting, .refused, .offline:
        (notice, complaint) = (nil, nil)
        forgetReported()
      case .online, .connecting: break
      }
      changed()
      tick()
    default: break
    }
  }

  /// Returns true if a refusal that appeared while offline still needs time to be read, before the
  /// next attempt is shown.
  private func keepsRefusal() -> Bool {
    guard let notice, notice.level != .info, isReportedOffline else { return false }
    guard reportedAt.isRecent(Self.readingTime, at: now()) else { return false }
    let left = min(Self.readingTime, Self.readingTime - now().timeIntervalSince(reportedAt))
    if cancelReading == nil {
      cancelReading = scheduler.after(.seconds(left)) { [weak self] in self?.clear(notice) }
    }
    return true
  }

  // A line that appears and disappears at each login would only make the screen jump.
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

  // Only a wait has a number that changes: otherwise no timer runs.
  private func tick() {
    cancelTick?()
    cancelTick = nil
    guard !isCalm, case .waiting(let until, _) = summary.state, until > now() else { return }
    cancelTick = scheduler.after(.seconds(1)) { [weak self] in
      self?.invalidation.raise()
      self?.tick()
    }
  }
}
