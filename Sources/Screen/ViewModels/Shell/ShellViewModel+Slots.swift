import NatterCore
import XMPP

// One conversation on the screen, or two.
extension ShellViewModel {
  package var header: HeaderViewModel { current.header }
  package var timeline: TimelineViewModel { current.timeline }
  package var input: InputViewModel { current.input }
  var typing: TypingReporter { current.typing }

  /// The conversation view without the focus, on a split screen.
  package var otherSlot: ConversationViewModel? { slots.first { $0 !== current } }

  /// The input that has the draft of `jid` before it, or the one with the keys.
  func input(of jid: JID) -> InputViewModel {
    slots.first { $0.conversation == jid }?.input ?? input
  }

  /// Shows a second conversation beside the one that is open or below it, or only one again.
  ///
  /// The second is the one before, or the next of the list.
  /// - Parameter wanted: the second, where it is known which.
  package func split(_ form: ConversationSplit?, with wanted: JID? = nil) {
    guard form != split else { return }
    defer { rememberSlots() }
    split = form
    guard form != nil else {
      otherSlot?.input.saveDraft()
      otherSlot?.show(nil)
      slots = [current]
      return
    }
    guard slots.count == 1 else { return }
    let slot = makeSlot(current)
    slots.append(slot)
    connect(slot)
    let second = [wanted, last, sidebar.neighbour(1)].compactMap { $0 }
      .first { $0 != activeConversation && sidebar.conversation($0) != nil }
    slot.show(second.flatMap { sidebar.conversation($0) })
  }

  package func requestSplit(_ form: ConversationSplit?) { onSplit(form) }

  /// Gives the keys to the other conversation of a split screen.
  package func useOtherSlot() {
    if let otherSlot { use(otherSlot) }
  }

  /// Gives a conversation view the focus.
  package func use(_ slot: ConversationViewModel) {
    guard slot !== current, slots.contains(where: { $0 === slot }) else { return }
    _ = input.endCompletion()
    if let active = sidebar.active { last = active }
    current = slot
    status.clear()
    sidebar.active = slot.conversation
    if let jid = slot.conversation { sidebar.select(.conversation(jid)) }
    members.show(slot.conversation.flatMap { people.isRoom($0) ? $0 : nil })
    showAim()
    showTyping()
    status.show(hiddenBelow: timeline.newBelow)
    rememberSlots()
    counted()
  }

  /// The current split of the screen; `nil` without a split.
  package var splitMemory: SavedSplit? {
    split.map { form in
      SavedSplit(
        form: form, conversations: slots.map(\.conversation),
        current: slots.firstIndex { $0 === current } ?? 0)
    }
  }

  /// Splits the screen as it was, where the conversations are still there.
  func restore(_ memory: SavedSplit) {
    split(memory.form, with: memory.conversations.last ?? nil)
    if memory.current == 1 { useOtherSlot() }
  }

  /// Stores the open conversation and the split for the next start, if they have changed.
  func rememberSlots() {
    guard let before = kept else { return }
    if let shown = sidebar.active, shown != before.shown {
      kept?.shown = shown
      remember(shown.description, as: PreferenceKey.shown)
    }
    let text = splitMemory?.text
    guard text != before.split else { return }
    kept?.split = text
    remember(text, as: PreferenceKey.split)
  }

  /// Connects the callbacks of a conversation view to the shell.
  func connect(_ slot: ConversationViewModel) {
    sidebar.isBeingRead = { [weak self] jid in
      self?.slots.contains { $0.conversation == jid && $0.timeline.isBeingRead } ?? false
    }
    slot.timeline.isCatchingUp = catchUps > 0
    slot.timeline.onSeen = { [weak self] in self?.markRead($0) }
    slot.timeline.onFailuresSeen = { [weak self] in self?.sawFailures($1, in: $0) }
    slot.timeline.onScroll = { [weak self, weak slot] in
      guard let self, current === slot else { return }
      status.show(hiddenBelow: timeline.newBelow)
    }
    slot.input.onStorageFailure = { [weak self] in self?.report($0) }
    slot.input.onStorageWorks = { [weak self] in self?.status.storageWorks(ofDraft: $0) }
    slot.input.onEdit = { [weak self, weak slot] in
      slot?.typing.typed($0)
      self?.edited($0)
    }
    slot.input.onEmptied = { [weak self] in self?.openWaiting() }
  }

  /// Saves the drafts and waits for all writes in progress, before the program ends.
  package func finish() async {
    for slot in slots { slot.input.saveDraft() }
    await lifetime.settle()
  }

  /// Saves what is being typed, so that the program can end.
  /// - Returns: whether all of it is in the database now.
  package func saveDrafts() async -> Bool {
    for slot in slots { slot.input.saveDraft() }
    await lifetime.settle()
    return !input.hasUnsavedDrafts
  }
}
