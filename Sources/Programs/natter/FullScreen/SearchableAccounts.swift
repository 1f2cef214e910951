import Diagnostics
import FoundationEssentials
import Keys
import NatterCore
import Panes
import Storage
import Text
import ViewModels
import XMPP

/// The accounts that a search of one account's screen can look through besides its own, and going
/// to a match in one of them.
struct SearchableAccounts {
  private weak var program: FullScreen?
  /// The account of the screen.
  private let account: JID

  init(of program: FullScreen, besides account: JID) {
    self.program = program
    self.account = account.bare
  }

  /// The actions of the search for messages.
  var actions: SearchActions {
    var actions = SearchActions()
    actions.show = { [weak program] search in
      guard let program else { return }
      program.coordinator?.present(FindPane(viewModel: search, glyphs: program.glyphs))
    }
    actions.others = { await others() }
    actions.server = { [weak program, account] in
      program?.slots.first { $0.id == account }?.screen?.services.history
    }
    actions.open = { open($1, in: $2, of: $0, having: $3) }
    return actions
  }

  private func others() async -> [SearchedAccount] {
    guard let program else { return [] }
    let slots = program.slots
    var found: [SearchedAccount] = []
    for (index, slot) in slots.enumerated() where slot.id != account {
      if let screen = slot.screen {
        found.append(searched(screen, index))
      } else if let stored = await stored(slot.id, index) {
        found.append(stored)
      }
    }
    // Those that are signed out of.
    var known: [JID] = []
    do { known = try await program.context.accounts.accounts().map(\.jid.bare) } catch {
      program.context.log.error("the accounts to search: \(error)")
    }
    for jid in known where jid != account && !slots.contains(where: { $0.id == jid }) {
      let index = max(slots.count, 1) + found.count { $0.index >= slots.count }
      if let stored = await stored(jid, index) { found.append(stored) }
    }
    return found
  }

  private func searched(_ screen: AccountScreen, _ index: Int) -> SearchedAccount {
    var account = SearchedAccount(
      jid: screen.account.jid, index: index, searching: screen.services.database.search,
      archive: screen.services.database.timeline,
      name: { [weak screen] in screen?.shell.name(of: $0) ?? $0.shown },
      author: { [weak screen] in screen?.shell.timeline.author(of: $0) ?? "" })
    account.server = screen.services.history
    return account
  }

  /// Opens the stored messages of an account that is not open; `nil` if there are none.
  private func stored(_ jid: JID, _ index: Int) async -> SearchedAccount? {
    guard let program else { return nil }
    do {
      let file = program.context.databaseFile(of: jid)
      guard let database = try await AccountDatabase.openReading(at: file.path) else { return nil }
      let names = try await StoredNames(
        database, format: ItemFormat(localizer: program.localizer, account: jid))
      return SearchedAccount(
        jid: jid, index: index, searching: database.search, archive: database.timeline,
        name: { names.name(of: $0) }, author: { names.speaker(of: $0) })
    } catch {
      let unreadable = UnreadableAccount(
        error: NatterError(reporting: error, key: "error.storage.read"))
      return SearchedAccount(
        jid: jid, index: index, searching: unreadable, archive: unreadable, name: { $0.shown },
        author: { _ in "" })
    }
  }

  /// Switches to the account once the key that asked for it is handled.
  private func open(_ message: Message.ID, in jid: JID, of account: JID, having words: [String]) {
    guard let program else { return }
    guard program.slots.contains(where: { $0.id == account.bare }) else {
      program.accountScreen?.shell.show(
        StatusNotice(.info, "find.signedOut", ["account": account.shown]))
      return
    }
    program.begin {
      program.showAccount(account) { screen in
        screen.desktop.open(.chats)
        screen.shell.reveal(message, in: jid, having: words)
      }
    }
  }
}

/// An account whose messages cannot be read, with the reason.
nonisolated private struct UnreadableAccount: MessageSearching, TimelineReading {
  let error: NatterError

  func messages(having query: SearchQuery, in conversation: JID, limit: Int) async throws
    -> [Message.ID]
  {
    throw error
  }
  func matches(of query: SearchQuery, limit: Int) async throws -> SearchMatches { throw error }
  func latest(_ count: Int, in conversation: JID) async throws -> [Message] { throw error }
  func messages(before position: MessagePosition, _ count: Int, in conversation: JID) async throws
    -> [Message]
  {
    throw error
  }
  func messages(after position: MessagePosition, _ count: Int, in conversation: JID) async throws
    -> [Message]
  {
    throw error
  }
  func messages(inThread id: String, _ count: Int, in conversation: JID) async throws
    -> [Message]
  {
    throw error
  }
  func storedMessage(named id: String, in conversation: JID) async throws -> Message? {
    throw error
  }
  func storedMessage(_ id: Message.ID) async throws -> Message? { throw error }
}
