import FoundationEssentials
import NatterCore
import Storage
import XML
import XMPP

/// Reads all that a database holds, as the program does. What cannot be read is thrown as an error,
/// and is no finding.
struct StoredReading {
  let database: AccountDatabase

  func all() async {
    let conversations = await conversations()
    for jid in conversations { await conversation(jid) }
    await outbox(conversations)
    await people(conversations)
    await readStates()
    await transfers()
    await discoveries()
    _ = try? await database.settings.values()
    _ = try? await database.commands.pendingCommands()
    if let session = try? await database.resumption.keptSession() {
      for stanza in session.unacknowledged { _ = stanza.description }
    }
    _ = try? await database.faults()
  }

  private func conversations() async -> [JID] {
    let store = database.conversations
    let shown = (try? await store.conversations()) ?? []
    let hidden = (try? await store.hiddenConversations()) ?? []
    _ = try? await store.unseenFailures()
    return (shown + hidden).prefix(20).map(\.jid)
  }

  private func conversation(_ jid: JID) async {
    let timeline = database.timeline
    if let latest = try? await timeline.latest(20, in: jid) {
      for message in latest {
        _ = try? await timeline.storedMessage(message.id)
        _ = try? await timeline.messages(before: message.position, 3, in: jid)
        _ = try? await timeline.messages(after: message.position, 3, in: jid)
        _ = try? await database.transfers.thumbnail(of: message.id)
        _ = try? await database.transfers.download(of: message.id)
        if let file = OfferedFile(message) { _ = file.file.safeName }
      }
    }
    _ = try? await database.search.messages(
      having: SearchQuery("words"), in: jid, limit: 10)
    _ = try? await database.search.matches(
      of: SearchQuery("words from:bob in:bob has:link is:unread"), limit: 10)
    _ = try? await database.archiveRanges.ranges(of: ConnectionFuzzing.account, with: jid)
    _ = try? await database.transfers.fileMessages(in: jid, limit: 10)
    _ = try? await database.conversations.inputHistory(of: jid, limit: 10)
    _ = try? await database.bookmarks.newestMessage(in: jid)
    _ = try? await database.bookmarks.members(of: jid)
  }

  private func outbox(_ conversations: [JID]) async {
    _ = try? await database.outbox.queued()
    _ = try? await database.outbox.attempts()
    _ = try? await database.outbox.suspects()
    _ = try? await database.archiveProgress.searchProgress()
    _ = try? await database.archiveProgress.offlineDeliveries()
    _ = try? await database.archiveRanges.conversations(receivedBefore: Date())
  }

  private func people(_ conversations: [JID]) async {
    _ = try? await database.roster.contacts()
    _ = try? await database.roster.contactChanges()
    _ = try? await database.roster.rosterConfirmedAt()
    _ = try? await database.roster.rosterVersion()
    _ = try? await database.roster.blocked()
    for jid in conversations + [ConnectionFuzzing.account] {
      _ = try? await database.roster.profile(of: jid)
      _ = try? await database.cards.card(of: jid)
    }
    _ = try? await database.pendingChanges.pending(CardChange.self)
    _ = try? await database.pendingChanges.pending(VisibilityChange.self)
    _ = try? await database.pendingChanges.pending(PictureChange.self)
    _ = try? await database.pendingChanges.unreadableChanges(of: Set(PendingChangeKind.allCases))
    _ = try? await database.bookmarks.bookmarks()
    _ = try? await database.bookmarks.invitations()
  }

  private func readStates() async {
    _ = try? await database.readState.receiptsDue()
    _ = try? await database.readState.markersDue()
    _ = try? await database.readState.positionsDue()
  }

  private func transfers() async {
    _ = try? await database.transfers.transfers()
    _ = try? await database.transfers.messages(offering: FileFilter(), at: .newest, limit: 20)
    _ = try? await database.transfers.totals(of: FileFilter())
    _ = try? await database.transfers.conversationsWithFiles()
  }

  private func discoveries() async {
    _ = try? await database.publicRooms.directories()
    _ = try? await database.publicRooms.publicRooms()
    _ = try? await database.serverParts.parts()
    _ = try? await database.serverParts.invitations()
    _ = try? await database.feeds.listing()
    _ = try? await database.feeds.counts()
    _ = try? await database.pendingChanges.drafts()
    _ = try? await database.events.listing()
  }
}
