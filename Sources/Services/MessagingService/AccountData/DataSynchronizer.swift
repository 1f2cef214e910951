import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Data sync after every login that did not resume the old session (flows.md, "Data sync"): the
/// list of conversations, the details of each, and the pending commands.
///
/// Modules register lists, descriptions and command handlers. A failure does not affect the rest,
/// and is retried at the next login: all steps are idempotent.
package actor DataSynchronizer: SessionConsuming {
  private let lists: [any ConversationListing]
  private let descriptions: [any ConversationDescribing]
  private let commands: AccountEventInbox
  private let store: any ConversationListStoring
  private let hub: EventHub
  private let log: Log
  /// The sync in progress, or the last one.
  private var work: Task<Void, Never>?
  /// The number of unfinished syncs: a cancelled sync may still be ending while the next one waits
  /// for it.
  private var underWay = 0
  /// The channel of the sync; `nil` while there is no session.
  private var channel: (any StanzaChannel)?
  /// `true` if a request was refused because there was no connection.
  private var isCutShort = false

  /// The number of concurrent requests.
  static let width = 8
  /// The number of contacts of one domain that may leave a request unanswered; the others there are
  /// not queried in this sync.
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

  /// Begins, and does not wait: contacts' servers that do not answer would delay the whole session.
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

  /// Cancels the sync in progress; what is stored by then stays.
  /// - Returns: `true` if there was one.
  @discardableResult
  package func cancel() -> Bool {
    isCutShort = false
    work?.cancel()
    return underWay > 0
  }

  /// Starts over at the user's request.
  /// - Returns: `true` if there is a session for it; without a session, the next one starts the
  ///   sync.
  package func restart() -> Bool {
    guard let channel else { return false }
    begin(over: channel)
    return true
  }

  /// Runs the whole sync, and again if one is in progress.
  package func synchronize(over channel: any StanzaChannel) async {
    begin(over: channel)
    await finished()
  }

  /// Returns when no sync is in progress.
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
    report(.list, 0, of: lists.count)
    let listed = await conversations(over: channel)
    guard !Task.isCancelled else { return }
    // An empty list needs no refresh. Pending commands are handled all the same.
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

  /// Returns the conversations of all lists, each once.
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
        report(.list, done, of: lists.count)
        for entry in listed {
          // A conversation is a room if any list says so, and is opened if any list says so.
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
    report(.details, 0, of: listed.count)
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
        // Only now and then: each report causes a repaint.
        if done.isMultiple(of: Self.width) || done == listed.count {
          report(.details, done, of: listed.count)
        }
      }
    }
  }

  /// - Returns: `true` if its domain answers.
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
        report(.commands, number, of: waiting.count)
        await commands.retry(command)
      }
    } catch {
      log.error("the list of commands could not be read: \(error)")
    }
  }

  private func report(_ step: SyncProgress.Step, _ done: Int, of total: Int) {
    guard !Task.isCancelled else { return }
    hub.publish(.syncProgressed(SyncProgress(step, done: done, total: total)))
  }
}

/// The contacts as a list of conversations: the roster, fetched when the session started, is in the
/// database.
package struct ContactConversations: ConversationListing {
  private let roster: any RosterStoring

  package init(roster: any RosterStoring) { self.roster = roster }

  package func list(over channel: any StanzaChannel) async throws -> [ListedConversation] {
    try await roster.contacts().map {
      ListedConversation(jid: $0.jid, kind: .direct, opens: false)
    }
  }
}
