import FoundationEssentials
import NatterCore
import XMPP

/// Where messages are missing: shown as lines, and filled while they are shown
/// (flows.md, "Receiving").
extension TimelineViewModel {
  /// The newest hole whose line is in the list and that can be filled, as far as anybody knows.
  var shownHole: HistoryHole? {
    // Asked for with each step of scrolling, and mostly there is none.
    guard conversation != nil, !holes.isEmpty else { return nil }
    let shown = Set(items.lazy.filter { $0.kind == .hole }.map(\.id))
    return holes.last {
      shown.contains(.hole($0.after)) && !givenUp.contains($0.after)
        && !postponed.contains($0.after)
    }
  }

  /// The line of the hole that is being filled. Who scrolls up waits there: further up, he would have passed over what
  /// comes into its place.
  package var awaitedHole: TimelineItem.ID? {
    history == nil ? nil : shownHole.map { .hole($0.after) }
  }

  /// Has what is missing loaded, at the person's wish.
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
      // What cannot be read is told where it is read for: here there is only no line.
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

  /// Those of `found` that are as they were have the numbers that they had: without a connection nobody else tells one.
  private func withKnownCounts(_ found: [HistoryHole]) -> [HistoryHole] {
    let counted = Dictionary(
      holes.map { (HistoryHole(after: $0.after, before: $0.before), $0) },
      uniquingKeysWith: { first, _ in first })
    return found.map { counted[$0] ?? $0 }
  }

  /// Has a page of the newest hole that is shown fetched; the next one follows while its line is there.
  func fillShownHole() {
    guard !isFilling, !isLoading, let history, let conversation, let hole = shownHole else {
      return
    }
    isFilling = true
    let visit = visit
    lifetime.aside { [weak self] in
      // A failure to store is told by whoever failed; here the line stays.
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
    // Asked again when the connection is back, or at the person's wish.
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
    // What was stored is read from its newer side, down to what is still missing: without all of it, two messages would stand
    // together that do not belong together.
    let edge = rest.first { $0.after == hole.after }?.before ?? hole.after
    let pivot = window.messages.first { $0.sentAt >= hole.before } ?? window.messages.last
    guard let pivot else { return loadLatest() }
    let isTop = pivot.id == window.messages.first?.id
    load { archive, jid in
      var found: [Message] = []
      var position = pivot.position
      while found.count < TimelineWindow.limit {
        let page = try await archive.messages(before: position, TimelineWindow.pageSize, in: jid)
        found = page + found
        guard page.count == TimelineWindow.pageSize, let first = page.first, first.sentAt > edge
        else { break }
        position = first.position
      }
      return found
    } apply: { window, page, announced in
      if isTop {
        window.prepend(page, announced: announced)
      } else {
        window.fill(page, announced: announced)
      }
    }
  }
}
