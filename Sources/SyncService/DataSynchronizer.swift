import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Data sync after every login that did not resume the old session (FLOWS.md 3): the list of conversations, what is to be
/// known of each, and the commands that wait.
///
/// Modules register lists, descriptions and command handlers. What fails leaves the rest alone, and is tried again at the
/// next login: doing everything twice changes nothing.
package actor DataSynchronizer: SessionConsuming {
  private let lists: [any ConversationListing]
  private let descriptions: [any ConversationDescribing]
  private let commands: CommandInbox
  private let store: any ConversationListStoring
  private let hub: EventHub
  private let log: Log
  private var stop: AsyncStream<Void>.Continuation?

  /// How many requests are under way at the same time.
  static let width = 8

  package init(
    lists: [any ConversationListing], descriptions: [any ConversationDescribing],
    commands: CommandInbox, store: any ConversationListStoring, hub: EventHub, log: Log
  ) {
    self.lists = lists
    self.descriptions = descriptions
    self.commands = commands
    self.store = store
    self.hub = hub
    self.log = log
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    await synchronize(over: channel)
  }

  package func sessionEnded() { cancel() }

  /// Stops what is under way; what is stored by then stays.
  package func cancel() { stop?.finish() }

  /// Runs the whole sync. Called while one is under way, it does nothing.
  package func synchronize(over channel: any StanzaChannel) async {
    guard stop == nil else { return }
    let (signal, continuation) = AsyncStream<Void>.makeStream()
    stop = continuation
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.steps(over: channel) }
      group.addTask { for await _ in signal {} }
      // Whichever is first ends the other.
      await group.next()
      group.cancelAll()
    }
    stop = nil
    hub.publish(.syncProgressed(nil))
  }

  private func steps(over channel: any StanzaChannel) async {
    tell(.list, 0, of: lists.count)
    let listed = await conversations(over: channel)
    guard !Task.isCancelled else { return }
    // Nobody is known: nothing to refresh, nothing that can have happened.
    guard !listed.isEmpty else { return }
    do {
      let new = try await store.addConversations(listed)
      if !new.isEmpty { hub.publish(.conversationsChanged(new)) }
    } catch {
      log.error("the list of conversations could not be stored: \(error)")
    }
    await describe(listed, over: channel)
    guard !Task.isCancelled else { return }
    await runCommands()
  }

  /// What the lists hold together, each conversation once.
  private func conversations(over channel: any StanzaChannel) async -> [ListedConversation] {
    var found: [JID: ListedConversation] = [:]
    await withTaskGroup(of: [ListedConversation].self) { group in
      for list in lists {
        group.addTask { [log] in
          do { return try await list.list(over: channel) } catch {
            log.warning("a list of conversations could not be fetched: \(error)")
            return []
          }
        }
      }
      var done = 0
      for await listed in group {
        done += 1
        tell(.list, done, of: lists.count)
        for entry in listed where found[entry.jid].map({ !$0.opens || entry.kind == .room }) ?? true
        {
          found[entry.jid] = entry
        }
      }
    }
    return found.values.sorted { $0.jid.description < $1.jid.description }
  }

  private func describe(_ listed: [ListedConversation], over channel: any StanzaChannel) async {
    guard !descriptions.isEmpty else { return }
    tell(.details, 0, of: listed.count)
    await withTaskGroup(of: Void.self) { group in
      var waiting = listed[...]
      var done = 0
      func next() {
        guard let entry = waiting.popFirst() else { return }
        group.addTask { [descriptions, log] in
          for description in descriptions where !Task.isCancelled {
            do { try await description.describe(entry, over: channel) } catch {
              log.info("what is to be known of a conversation could not be fetched: \(error)")
            }
          }
        }
      }
      for _ in 0..<Self.width { next() }
      while await group.next() != nil {
        done += 1
        // Once in a while: each is a repaint.
        if done.isMultiple(of: Self.width) || done == listed.count {
          tell(.details, done, of: listed.count)
        }
        if !Task.isCancelled { next() }
      }
    }
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
