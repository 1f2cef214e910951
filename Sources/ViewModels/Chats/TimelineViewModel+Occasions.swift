import NatterCore

// What happens to the list though no message came.
extension TimelineViewModel {
  /// A new day has begun: it gets its line, even before its first message.
  package func midnightPassed() {
    today = now()
    refresh()
  }

  /// The person wrote: the "new" line has done its work, and the end is what counts.
  package func personWrote() {
    newLine = nil
    refresh()
    jumpToNewest()
  }
}
