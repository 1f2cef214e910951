import NatterCore
import XMPP

/// The part of a conversation that is in memory: pages of the database, and, where that ends, of
/// the archive (flows.md, "Receiving").
extension TimelineViewModel {
  /// Loads the page before the oldest message here, if there is one.
  package func loadOlder() {
    hasPaged = true
    refresh()
    guard hasLoaded else { return failure == nil ? () : loadLatest() }
    // What was cleared begins again with the newest.
    guard !window.isCleared else { return loadLatest() }
    // A hole above everything here is filled before anything older is asked for.
    if !window.hasOlder, shownHole != nil { return fillShownHole() }
    guard window.hasOlder, let first = window.oldest else { return fetchOlder() }
    load(fetchesWhenEmpty: true) { archive, jid in
      try await archive.messages(before: first.position, TimelineWindow.pageSize, in: jid)
    } apply: {
      $0.prepend($1, announced: $2)
    }
  }

  /// Has what the database does not hold fetched, and shows it.
  private func fetchOlder() {
    guard !isLoading, !isAtBeginning, olderRefusal == nil, !isFilling, let history,
      let conversation
    else { return }
    isLoading = true
    hasFetched = true
    olderFetch = .underWay
    if hasPaged { refresh() }
    announced = [:]
    let (visit, first) = (visit, window.oldest?.position)
    lifetime.aside { [weak self] in
      // A failure to store is reported elsewhere; here it means that there is nothing to show.
      let outcome = (try? await history.fetchOlder(in: conversation)) ?? .offline
      self?.finishFetch(visit, outcome, before: first)
    }
  }

  /// Requests again what had no reply, if the user has scrolled up to the end.
  func fetchUnanswered() {
    if olderFetch == .unanswered, hasPaged, !window.hasOlder { fetchOlder() }
  }

  /// - Parameter first: the start of the messages when the page was requested; offline messages may
  ///   have come before it since.
  private func finishFetch(
    _ itsVisit: Int, _ outcome: HistoryOutcome, before first: MessagePosition?
  ) {
    guard itsVisit == visit else { return }
    isLoading = false
    olderFetch = outcome == .offline ? .unanswered : .none
    announced = [:]
    switch outcome {
    case .offline, .beginning, .refused:
      if outcome == .beginning { isAtBeginning = true }
      if case .refused(let refusal) = outcome { olderRefusal = refusal }
      refresh()
      readHoles()
      onPage(false)
    case .fetched:
      guard let first else { return loadLatest() }
      // What has come before it since is not next to it: it is read again, as far as the user is
      // by then. They may scroll on while it is read.
      load { [weak self] archive, jid in
        try await archive.messages(before: first, in: jid) { oldest in
          self.flatMap { $0.window.message($0.anchor?.message, before: first) }
            .map { oldest.position <= $0.position } ?? true
        }
      } apply: {
        $0.giveUp(before: first)
        $0.prepend($1, announced: $2)
      }
    }
  }

  /// Loads the page after the newest message here, if there is one.
  package func loadNewer() {
    guard window.hasNewer, let last = window.messages.last else { return }
    load { archive, jid in
      try await archive.messages(after: last.position, TimelineWindow.pageSize, in: jid)
    } apply: {
      $0.append($1, announced: $2)
    }
  }

  /// Clears the view, except for pending and failed messages. Nothing is deleted: messages come
  /// back when the user scrolls up, or opens the conversation again.
  package func clear() {
    guard conversation != nil, hasLoaded else { return }
    giveUpReading()
    window.clear(at: now())
    (holes, newLine, anchor) = ([], nil, nil)
    select(nil)
    refresh()
    scroll(to: nil)
  }

  /// Drops running loads: they are about the previous messages. Their results can be requested
  /// again.
  func giveUpReading() {
    visit += 1
    (isLoading, isFilling, isReadingHoles, announced) = (false, false, false, [:])
    olderFetch = .none
  }

  func loadLatest() {
    load { archive, jid in
      try await archive.latest(TimelineWindow.pageSize, in: jid)
    } apply: {
      $0.replace(withLatest: $1, announced: $2)
    }
  }

  /// - Parameter fetchesWhenEmpty: whether to ask the archive if the database has nothing more.
  func load(
    fetchesWhenEmpty: Bool = false,
    _ read: @escaping @MainActor (any TimelineReading, JID) async throws -> [Message],
    apply: @escaping (inout TimelineWindow, [Message], [Message.ID: Message]) -> Void
  ) {
    guard !isLoading, let conversation else { return }
    isLoading = true
    announced = [:]
    failure = nil
    let visit = visit
    lifetime.aside { [weak self, archive] in
      let result: Result<[Message], any Error>
      do {
        result = .success(try await read(archive, conversation))
      } catch {
        result = .failure(error)
      }
      self?.finishLoad(visit, result, apply, fetchesWhenEmpty: fetchesWhenEmpty)
    }
  }

  private func finishLoad(
    _ itsVisit: Int, _ result: Result<[Message], any Error>,
    _ apply: (inout TimelineWindow, [Message], [Message.ID: Message]) -> Void,
    fetchesWhenEmpty: Bool
  ) {
    // Another conversation was opened meanwhile: this page is obsolete.
    guard itsVisit == visit else { return }
    isLoading = false
    var isEmpty = false
    switch result {
    case .success(let page):
      hasLoaded = true
      isEmpty = page.isEmpty
      let before = window.messages
      apply(&window, page, announced)
      holdPosition(among: before)
      // The user may have scrolled on since the page was requested.
      window.trim(around: anchor?.message)
    case .failure(let error): failure = format.loadFailure(error)
    }
    announced = [:]
    refresh()
    readIfSeen()
    onScroll()
    if !isEmpty { onPage(failure == nil) }
    // Less than a page is here: perhaps nothing was ever fetched (flows.md, "Receiving").
    if hasLoaded, !window.hasOlder, !hasFetched || (isEmpty && fetchesWhenEmpty) { fetchOlder() }
    if isEmpty, !isLoading { onPage(false) }
    readHoles()
    onLoaded()
  }
}

extension TimelineReading {
  /// Returns the messages before a position, read in pages from the newer side.
  /// - Parameter isEnough: whether the page that begins with this message is the last one to read;
  ///   none is read beyond the size of a window.
  /// - Throws: what `messages(before:_:in:)` throws.
  func messages(
    before position: MessagePosition, in conversation: JID, until isEnough: (Message) -> Bool
  ) async throws -> [Message] {
    var found: [Message] = []
    var position = position
    while found.count < TimelineWindow.limit {
      let page = try await messages(before: position, TimelineWindow.pageSize, in: conversation)
      found = page + found
      guard page.count == TimelineWindow.pageSize, let first = page.first, !isEnough(first)
      else { break }
      position = first.position
    }
    return found
  }
}
