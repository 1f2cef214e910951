import NatterCore

/// The result of fetching everything that an archive has of a conversation.
nonisolated package enum HistoryFetchEnd: Hashable, Sendable {
  /// Everything is stored.
  case complete
  /// Everything that the archive has is stored, but it lacks messages between others.
  case incomplete
  /// There is no archive.
  case noArchive
  case refused(HistoryRefusal)
  /// Messages could not be stored, or what is stored could not be read.
  case failed(NatterError)
  /// The user ended it.
  case cancelled
}

/// The order in which the parts of an archive are requested until a conversation is stored as a
/// whole, and what the answers mean: gaps first, the newest one before others, then older pages.
/// It does no I/O.
nonisolated struct HistoryFetchPlan {
  /// One request.
  enum Step: Hashable {
    case missing(HistoryHole)
    case older
  }

  /// The consequence of an answer.
  enum Verdict: Hashable {
    case next
    /// The same again, after a time.
    case later(Duration)
    case ended(HistoryFetchEnd)
  }

  /// The gaps that the archive does not fill.
  private var unfillable: Set<HistoryHole> = []
  /// The gap of the last answer that brought something.
  private var answered: HistoryHole?
  /// The number of requests in a row without an answer.
  private var silences = 0

  /// The number of requests for a gap without an answer after which others are made.
  static let patience = 5
  private static let longestWait = 60

  /// Returns the next request.
  /// - Parameter holes: the gaps, oldest first.
  mutating func step(among holes: [HistoryHole]) -> Step {
    // A gap that is as it was before the answer would be requested over and over.
    if let answered, holes.contains(answered) { unfillable.insert(answered) }
    answered = nil
    return holes.last { !unfillable.contains($0) }.map { .missing($0) } ?? .older
  }

  /// Returns what to do after the answer to a request.
  /// - Parameter hasArchive: whether there is an archive, as far as is known.
  mutating func take(
    _ outcome: HistoryOutcome, of step: Step, hasArchive: Bool
  ) -> Verdict {
    if outcome != .offline { silences = 0 }
    switch (outcome, step) {
    case (.fetched, .missing(let hole)):
      answered = hole
      return .next
    case (.fetched, .older): return .next
    case (.beginning, .missing(let hole)):
      unfillable.insert(hole)
      return .next
    case (.beginning, .older):
      return .ended(!hasArchive ? .noArchive : unfillable.isEmpty ? .complete : .incomplete)
    case (.refused(let refusal), _):
      return .ended(refusal.cause == .absent ? .noArchive : .refused(refusal))
    case (.offline, _):
      silences += 1
      if case .missing(let hole) = step, silences >= Self.patience {
        unfillable.insert(hole)
        silences = 0
        return .next
      }
      return .later(.seconds(min(Self.longestWait, 1 << min(silences - 1, 6))))
    }
  }

  /// Takes note of a new connection: requests before it do not count.
  mutating func reconnected() { silences = 0 }
}
