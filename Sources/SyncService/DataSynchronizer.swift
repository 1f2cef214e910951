import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Data sync after every login that did not resume the old session (flows.md, "Data sync"): the
/// list of conversations, what is to be known of each, and the commands that wait.
///
/// Modules register lists, descriptions and command handlers. What fails leaves the rest alone, and is tried again at the
/// next login: doing everything twice changes nothing.
package actor DataSynchronizer: SessionConsuming {
  private let lists: [any ConversationListing]
  private let descriptions: [any ConversationDescribing]
  private let commands: AccountEventInbox
  private let store: any ConversationListStoring
  private let hub: EventHub
  private let log: Log
  /// The sync that is under way, or the last one.
  private var work: Task<Void, Never>?
  /// How many are not over: one that is stopped may still end while the next one waits for it.
  private var underWay = 0
  /// What it is done over; `nil` while there is no session.
  private var channel: (any StanzaChannel)?
  /// Whether something was refused because there was no connection.
  private var isCutShort = false

  /// How many requests are under way at the same time.
  static let width = 8
  /// How many contacts of one domain may leave a request without an answer; the others there are not asked in this sync.
  static let patience = 2

  package init(
    lists: [any ConversationListing], descriptions: [any ConversationDescribing],
    commands: AccountEventInbox, store: any ConversationListStoring, hub: EventHub, log: Log
  ) {
    self.lists = lists
    self.descriptions = descriptions
    self.commands = commands
    self.store = store
    self.hub = hub
    self.log = log
  }

  /// Begins, and does not wait: servers of contacts that do not answer would hold up everybody else's session.
  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    begin(over: channel)
  }

  package func sessionResumed() async {
    if isCutShort, let channel { begin(over: channel) }
  }

  package func sessionEnded() async {
    cancel()
    channel = nil
    await finished()
  }

  /// Stops what is under way; what is stored by then stays.
  /// - Returns: whether something was.
  @discardableResult
  package func cancel() -> Bool {
    isCutShort = false
    work?.cancel()
    return underWay > 0
  }

  /// Begins anew at the person's wish.
  /// - Returns: whether there is a session for it; without one the next session begins it.
  package func restart() -> Bool {
    guard let channel else { return false }
    begin(over: channel)
    return true
  }

  /// Runs the whole sync, once more where it is under way.
  package func synchronize(over channel: any StanzaChannel) async {
    begin(over: channel)
    await finished()
  }

  /// Returns when nothing is under way.
  package func finished() async { await work?.value }

  private func begin(over channel: any StanzaChannel) {
    self.channel = channel
    isCutShort = false
    let earlier = work
    earlier?.cancel()
    underWay += 1
    work = Task {
      await earlier?.value
      await steps(over: channel)
      underWay -= 1
      hub.publish(.syncProgressed(nil))
    }
  }

  private func steps(over channel: any StanzaChannel) async {
    tell(.list, 0, of: lists.count)
    let listed = await conversations(over: channel)
    guard !Task.isCancelled else { return }
    // Nobody is known: nothing to refresh. What waits for its handler does so all the same.
    if !listed.isEmpty {
      do {
        let new = try await store.addConversations(listed)
        if !new.isEmpty { hub.publish(.conversationsChanged(new)) }
      } catch {
        log.error("the list of conversations could not be stored: \(error)")
      }
      await describe(listed, over: channel)
    }
    guard !Task.isCancelled else { return }
    await runCommands()
  }

  /// What the lists hold together, each conversation once.
  private func conversations(over channel: any StanzaChannel) async -> [ListedConversation] {
    var found: [JID: ListedConversation] = [:]
    await withTaskGroup(of: [ListedConversation].self) { group in
      for list in lists {
        group.addTask {
          do { return try await list.list(over: channel) } catch {
            await self.note(error, "a list of conversations could not be fetched")
            return []
          }
        }
      }
      var done = 0
      for await listed in group {
        done += 1
        tell(.list, done, of: lists.count)
        for entry in listed {
          // What is a room on one list is one, and what is shown is.
          let known = found[entry.jid]
          guard known?.kind != .room, known?.opens != true || entry.kind == .room else { continue }
          found[entry.jid] = entry
        }
      }
    }
    return found.values.sorted { $0.jid.description < $1.jid.description }
  }

  private func describe(_ listed: [ListedConversation], over channel: any StanzaChannel) async {
    guard !descriptions.isEmpty else { return }
    tell(.details, 0, of: listed.count)
    await withTaskGroup(of: String?.self) { group in
      var waiting = listed[...]
      var silent: [String: Int] = [:]
      var done = 0
      func next() {
        while let entry = waiting.popFirst() {
          guard silent[entry.jid.domain, default: 0] < Self.patience else {
            done += 1
            continue
          }
          group.addTask { await self.describe(entry, over: channel) ? nil : entry.jid.domain }
          return
        }
      }
      for _ in 0..<Self.width { next() }
      while let domain = await group.next() {
        done += 1
        if let domain { silent[domain, default: 0] += 1 }
        if !Task.isCancelled { next() }
        // Once in a while: each is a repaint.
        if done.isMultiple(of: Self.width) || done == listed.count {
          tell(.details, done, of: listed.count)
        }
      }
    }
  }

  /// - Returns: whether its domain answers.
  private func describe(_ entry: ListedConversation, over channel: any StanzaChannel) async -> Bool
  {
    var answers = true
    for description in descriptions where !Task.isCancelled {
      do { try await description.describe(entry, over: channel) } catch {
        note(error, "what is to be known of a conversation could not be fetched")
        if error as? ChannelError == .timedOut { answers = false }
      }
    }
    return answers
  }

  private func note(_ error: any Error, _ what: String) {
    if error as? ChannelError == .notConnected { isCutShort = true }
    log.info("\(what): \(error)")
  }

  private func runCommands() async {
    do {
      let waiting = try await commands.pending()
      for (number, command) in waiting.enumerated() where !Task.isCancelled {
        tell(.commands, number, of: waiting.count)
        await commands.run(command)
      }
    } catch {
      log.error("the list of commands could not be read: \(error)")
    }
  }

  private func tell(_ step: SyncProgress.Step, _ done: Int, of total: Int) {
    guard !Task.isCancelled else { return }
    hub.publish(.syncProgressed(SyncProgress(step, done: done, total: total)))
  }
}

/// The contacts as a list of conversations: the roster, fetched when the session started, is in the database.
package struct ContactConversations: ConversationListing {
  private let roster: any RosterStoring

  package init(roster: any RosterStoring) { self.roster = roster }

  package func list(over channel: any StanzaChannel) async throws -> [ListedConversation] {
    try await roster.contacts().map {
      ListedConversation(jid: $0.jid, kind: .direct, opens: false)
    }
  }
}
