import FoundationEssentials
import NatterCore
import XMPP

/// The gaps in a conversation's messages: shown as lines, and filled while they are shown
/// (flows.md, "Receiving").
extension TimelineViewModel {
  /// The newest gap whose line is in the list and that can be filled, as far as is known.
  var shownHole: HistoryHole? {
    // Asked for with each step of scrolling, and mostly there is none.
    guard conversation != nil, !holes.isEmpty else { return nil }
    let shown = Set(items.lazy.filter { $0.kind == .hole }.map(\.id))
    return holes.last {
      shown.contains(.hole($0.after)) && !givenUp.contains($0.after)
        && !postponed.contains($0.after)
    }
  }

  /// The line of the gap that is being filled. Scrolling up stops there: further up, the user would
  /// miss what is inserted.
  package var awaitedHole: TimelineItem.ID? {
    history == nil ? nil : shownHole.map { .hole($0.after) }
  }

  /// Loads the missing messages on the user's request.
  package func loadMissing() {
    (givenUp, postponed, olderRefusal) = ([], [], nil)
    fillShownHole()
  }

  func readHoles() {
    guard hasLoaded, !window.isCleared, let history, let conversation else { return }
    // What is being read may be out of date by now.
    guard !isReadingHoles else { return areHolesOutOfDate = true }
    (isReadingHoles, areHolesOutOfDate) = (true, false)
    let visit = visit
    lifetime.aside { [weak self] in
      // An unreadable gap is reported by the code that needs it: here only the line is missing.
      let holes = (try? await history.holes(in: conversation)) ?? []
      self?.found(holes, visit)
    }
  }

  private func found(_ found: [HistoryHole], _ itsVisit: Int) {
    guard itsVisit == visit else { return }
    isReadingHoles = false
    defer { if areHolesOutOfDate { readHoles() } }
    let known = withKnownCounts(found)
    if known != holes {
      holes = known
      refresh()
    }
    fillShownHole()
  }

  /// Keeps known counts of unchanged gaps in `found`: without a connection there are no others.
  private func withKnownCounts(_ found: [HistoryHole]) -> [HistoryHole] {
    let counted = Dictionary(
      holes.map { (HistoryHole(after: $0.after, before: $0.before), $0) },
      uniquingKeysWith: { first, _ in first })
    return found.map { counted[$0] ?? $0 }
  }

  /// Loads a page of the newest gap that is shown; the next one follows while its line is there.
  func fillShownHole() {
    guard !isFilling, !isLoading, let history, let conversation, let hole = shownHole else {
      return
    }
    isFilling = true
    let visit = visit
    lifetime.aside { [weak self] in
      // A failure to store is reported where it happens; here the line stays.
      let outcome = (try? await history.fetchMissing(in: hole, of: conversation)) ?? .offline
      let holes = (try? await history.holes(in: conversation)) ?? []
      var rest = holes
      // A hole that stays is worth a number.
      if let index = holes.lastIndex(where: { $0.after == hole.after }) {
        rest[index] = await history.counted(holes[index], in: conversation)
      }
      self?.filled(hole, rest, visit, outcome)
    }
  }

  private func filled(
    _ hole: HistoryHole, _ rest: [HistoryHole], _ itsVisit: Int, _ outcome: HistoryOutcome
  ) {
    guard itsVisit == visit else { return }
    isFilling = false
    holes = withKnownCounts(rest)
    // Requested again when the connection is back, or when the user asks.
    if outcome == .offline { postponed.insert(hole.after) }
    if outcome == .beginning { givenUp.insert(hole.after) }
    if case .refused(let reason) = outcome {
      refusal = reason
      givenUp.insert(hole.after)
    } else if outcome == .fetched {
      (refusal, olderRefusal) = (nil, nil)
    }
    refresh()
    guard outcome == .fetched else { return onPage(false) }
    // Stored messages are read from the newer side, down to what is still missing: otherwise two
    // messages would be neighbours that are not.
    let edge = rest.first { $0.after == hole.after }?.before ?? hole.after
    let pivot = window.messages.first { $0.position.time >= hole.before } ?? window.messages.last
    guard let pivot else { return loadLatest() }
    let isTop = pivot.id == window.messages.first?.id
    load { archive, jid in
      try await archive.messages(before: pivot.position, in: jid) { $0.position.time <= edge }
    } apply: { window, page, announced in
      if isTop {
        window.prepend(page, announced: announced)
      } else {
        window.fill(page, announced: announced)
      }
    }
  }
}
