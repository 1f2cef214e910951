import Foundation
import NatterCore
import TestSupport
import Text
import ViewModels
import XMPP

/// Timers that a test fires by hand.
package final class ManualTimers {
  private var waits: [(id: Int, delay: Duration, action: () -> Void)] = []
  private var next = 0

  package var count: Int { waits.count }
  /// The delays of the waits, in their order.
  package var delays: [Duration] { waits.map(\.delay) }

  package init() {}

  package var scheduler: Scheduler {
    Scheduler { delay, action in
      self.next += 1
      let id = self.next
      self.waits.append((id, delay, action))
      return { self.waits.removeAll { $0.id == id } }
    }
  }

  /// Fires everything that waits now.
  package func fire() {
    let due = waits
    waits = []
    for wait in due { wait.action() }
  }
}

/// A clock that moves only when a test moves it.
package final class ManualNow {
  package var date: Date
  package init(_ date: Date) { self.date = date }
}

extension JID {
  nonisolated package static let alice = JID(local: "alice", domain: "example.org")
  nonisolated package static let bob = JID(local: "bob", domain: "example.net")
  nonisolated package static let chloe = JID(local: "chloe", domain: "example.net")
  nonisolated package static let zhang = JID(local: "zhang", domain: "example.net")
}

extension Date {
  /// 20 November 2026, 14:00 UTC: a Friday.
  nonisolated package static let afternoon = Date(timeIntervalSince1970: 1_795_183_200)
  nonisolated package static func minutes(_ minutes: Double) -> Date {
    afternoon.addingTimeInterval(minutes * 60)
  }
}

/// A message of a conversation with bob.
nonisolated package func message(
  _ id: Int64, _ body: String, from sender: JID = .bob, in conversation: JID = .bob,
  at minutes: Double = 0, delivery: Delivery? = nil, edit: Message.Edit? = nil,
  isFirstQueued: Bool = false
) -> Message {
  let isOwn = sender.bare == .alice
  return Message(
    id: .init(id), conversation: conversation, sender: sender,
    direction: isOwn ? .outgoing : .incoming, body: body, sentAt: .minutes(minutes),
    originID: "o\(id)", delivery: isOwn ? delivery ?? .queued : nil, edit: edit,
    isFirstQueued: isFirstQueued)
}

/// The English texts.
package func english() -> Localizer { Localizer(tag: "en", texts: (try? englishTexts()) ?? [:]) }

/// For alice, in UTC.
package func testFormat(glyphs: Glyphs = .ascii) -> ItemFormat {
  ItemFormat(localizer: english(), glyphs: glyphs, account: .alice, local: { LocalTime.utc($0) })
}

extension ShellViewModel.FilePorts {
  /// On files in memory; what is opened is noted in `opened`.
  package static func on(
    _ files: FakeFiles, looking: (any FileLooking)? = nil,
    opened: @escaping (String) -> Void = { _ in },
    isFile: @escaping (String) -> Bool = { _ in true },
    mayRun: @escaping (String) async -> Bool = { _ in false }
  ) -> ShellViewModel.FilePorts {
    .init(
      sharing: files, history: files, folder: "/home/alice/Downloads",
      absolute: { $0.hasPrefix("~/") ? "/home/alice/" + $0.dropFirst(2) : $0 },
      isFile: isFile, open: { path, _ in opened(path) }, mayRun: mayRun, looking: looking)
  }
}

/// A file that bob offers, or alice offers to bob.
nonisolated package func file(
  _ id: Int64, _ name: String, from sender: JID = .bob, in conversation: JID = .bob,
  type: String? = nil, size: Int? = nil, at minutes: Double = 0, path: String? = nil
) -> OfferedFile? {
  let isOwn = sender.bare == .alice
  return OfferedFile(
    Message(
      id: .init(id), conversation: conversation, sender: sender,
      direction: isOwn ? .outgoing : .incoming, body: "https://files.example.net/\(id)",
      sentAt: .minutes(minutes), originID: "o\(id)", delivery: isOwn ? .sent : nil,
      file: SharedFile(
        address: "https://files.example.net/\(id)", name: name, mediaType: type, byteCount: size)),
    localPath: path)
}

extension ShellViewModel {
  /// The chats of alice on `ports`.
  package convenience init(
    _ ports: FakePorts, timers: ManualTimers = ManualTimers(),
    now: ManualNow = ManualNow(.afternoon), actions: ShellActions = .forTests(),
    bell: BellRule = .mention, files: FilePorts? = nil,
    historyFiles: (any HistoryFiling)? = nil, scripts: ScriptCenter? = nil
  ) {
    var all = Ports(
      timeline: ports, conversations: ports, histories: ports, roster: ports,
      rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
      sender: ports, people: .init(describing: ports, blocking: ports), files: files,
      preferences: ports)
    all.historyFiles = historyFiles
    all.scripts = scripts
    self.init(
      ports: all,
      format: testFormat(), scheduler: timers.scheduler, actions: actions, bell: bell,
      now: { now.date })
  }

  /// Types `text`, as the pane reports it.
  package func type(_ text: String) { input.textDidChange(text, cursor: text.utf8.count) }
}

extension ShellActions {
  /// Actions that do nothing; addresses are two parts around an `@`.
  package static func forTests() -> ShellActions {
    ShellActions(parseAddress: { text in
      JID(userInput: text).flatMap { $0.local == nil ? nil : $0 }
    })
  }
}

/// The user's profile in memory, at a server that accepts everything until it is configured not to.
package actor FakeProfile: OwnProfileEditing {
  package private(set) var calls: [String] = []
  private var card: PersonCard
  private var waiting: Set<PersonCard.Field> = []
  private var visibility: OwnProfile.Visibility? = .contacts
  private var refusal: NatterError?
  private let isOnline: Bool
  private var pendingVisibility: OwnProfile.Visibility?
  private var pendingPicture: PictureChange?
  /// Changes wait for its end, as for a server that does not answer; `nil`: they do not.
  private var silence: AsyncStream<Never>?

  package init(_ card: PersonCard = PersonCard(), isOnline: Bool = true) {
    self.card = card
    self.isOnline = isOnline
  }

  /// The next change is refused with this.
  package func refuse(_ error: NatterError) { refusal = error }

  /// From now on the server answers no change before `silence` ends.
  package func answer(after silence: AsyncStream<Never>) { self.silence = silence }

  private func waitForAnswer() async {
    if let silence { for await _ in silence {} }
  }

  package func profile() -> OwnProfile {
    var profile = OwnProfile(
      card: card, waiting: waiting, visibility: isOnline ? visibility : nil,
      readAt: Date.minutes(-30))
    if let wanted = pendingVisibility {
      (profile.visibility, profile.visibilityWaits) = (wanted, true)
    }
    profile.waitingPicture = pendingPicture
    return profile
  }

  package func refreshed() -> OwnProfile { profile() }

  package func change(_ field: PersonCard.Field, to text: String) async throws -> Bool {
    calls.append("\(field.rawValue)=\(text)")
    await waitForAnswer()
    if let refusal {
      self.refusal = nil
      throw refusal
    }
    card[field] = text
    if !isOnline { waiting.insert(field) }
    return isOnline
  }

  package func setPicture(_ picture: OwnPicture?) async throws -> Bool {
    calls.append("picture=\(picture?.id ?? "-")")
    await waitForAnswer()
    if let refusal {
      self.refusal = nil
      throw refusal
    }
    if !isOnline { pendingPicture = PictureChange(picture) }
    return isOnline
  }

  package func setVisibility(_ visibility: OwnProfile.Visibility) async throws -> Bool {
    calls.append("visibility=\(visibility.rawValue)")
    await waitForAnswer()
    if let refusal {
      self.refusal = nil
      throw refusal
    }
    if isOnline { self.visibility = visibility } else { pendingVisibility = visibility }
    return isOnline
  }
}
