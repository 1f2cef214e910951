import NatterCore
import XMPP

// One conversation on the screen, or two.
extension ShellViewModel {
  package var header: HeaderViewModel { current.header }
  package var timeline: TimelineViewModel { current.timeline }
  package var input: InputViewModel { current.input }
  var typing: TypingReporter { current.typing }

  /// The conversation view without the focus, on a split screen.
  package var otherPlace: ConversationViewModel? { places.first { $0 !== current } }

  /// The input that has the draft of `jid` before it, or the one with the keys.
  func input(of jid: JID) -> InputViewModel {
    places.first { $0.conversation == jid }?.input ?? input
  }

  /// Shows a second conversation beside the one that is open or below it, or only one again.
  ///
  /// The second is the one before, or the next of the list.
  /// - Parameter wanted: the second, where it is known which.
  package func split(_ form: ConversationSplit?, with wanted: JID? = nil) {
    guard form != split else { return }
    defer { rememberPlaces() }
    split = form
    guard form != nil else {
      otherPlace?.input.saveDraft()
      otherPlace?.show(nil)
      places = [current]
      return
    }
    guard places.count == 1 else { return }
    let place = makePlace(current)
    places.append(place)
    connect(place)
    let second = [wanted, last, sidebar.neighbour(1)].compactMap { $0 }
      .first { $0 != activeConversation && sidebar.conversation($0) != nil }
    place.show(second.flatMap { sidebar.conversation($0) })
  }

  package func requestSplit(_ form: ConversationSplit?) { onSplit(form) }

  /// Gives the keys to the other conversation of a split screen.
  package func useOtherPlace() {
    if let otherPlace { use(otherPlace) }
  }

  /// Gives a conversation view the focus.
  package func use(_ place: ConversationViewModel) {
    guard place !== current, places.contains(where: { $0 === place }) else { return }
    _ = input.endCompletion()
    if let active = sidebar.active { last = active }
    current = place
    status.clear()
    sidebar.active = place.conversation
    if let jid = place.conversation { sidebar.select(.conversation(jid)) }
    members.show(place.conversation.flatMap { people.isRoom($0) ? $0 : nil })
    showAim()
    showTyping()
    status.show(hiddenBelow: timeline.newBelow)
    rememberPlaces()
    counted()
  }

  /// How the screen is split now; `nil` where it is not.
  package var splitMemory: SavedSplit? {
    split.map { form in
      SavedSplit(
        form: form, conversations: places.map(\.conversation),
        current: places.firstIndex { $0 === current } ?? 0)
    }
  }

  /// Splits the screen as it was, where the conversations are still there.
  func restore(_ memory: SavedSplit) {
    split(memory.form, with: memory.conversations.last ?? nil)
    if memory.current == 1 { useOtherPlace() }
  }

  /// Stores the open conversation and the split for the next start, if they have changed.
  func rememberPlaces() {
    guard keepsSplit else { return }
    if let shown = sidebar.active, shown != keptShown {
      keptShown = shown
      remember(shown.description, as: PreferenceKey.shown)
    }
    let text = splitMemory?.text
    guard text != keptSplit else { return }
    keptSplit = text
    remember(text, as: PreferenceKey.split)
  }

  /// Connects the callbacks of a conversation view to the shell.
  func connect(_ place: ConversationViewModel) {
    sidebar.isBeingRead = { [weak self] jid in
      self?.places.contains { $0.conversation == jid && $0.timeline.isBeingRead } ?? false
    }
    place.timeline.isCatchingUp = catchUps > 0
    place.timeline.onSeen = { [weak self] in self?.markRead($0) }
    place.timeline.onFailuresSeen = { [weak self] in self?.sawFailures($1, in: $0) }
    place.timeline.onScroll = { [weak self, weak place] in
      guard let self, current === place else { return }
      status.show(hiddenBelow: timeline.newBelow)
    }
    place.input.onStorageFailure = { [weak self] in self?.report($0) }
    place.input.onStorageWorks = { [weak self] in self?.status.storageWorks(ofDraft: $0) }
    place.input.onEdit = { [weak self, weak place] in
      place?.typing.typed($0)
      self?.edited($0)
    }
    place.input.onEmptied = { [weak self] in self?.openWaiting() }
  }

  /// Saves the drafts and waits for all writes in progress, before the program ends.
  package func finish() async {
    for place in places { place.input.saveDraft() }
    await lifetime.settle()
  }

  /// Saves what is being typed, so that the program can end.
  /// - Returns: whether all of it is in the database now.
  package func saveDrafts() async -> Bool {
    for place in places { place.input.saveDraft() }
    await lifetime.settle()
    return !input.hasUnsavedDrafts
  }
}
