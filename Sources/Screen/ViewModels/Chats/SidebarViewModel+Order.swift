import NatterCore
import XMPP

// The order of rows: mentions, unread, then as `ConversationOrder` says (interface.md, "Panes").
extension SidebarViewModel {
  /// The attention that a conversation needs, which brings it to the top of its part.
  nonisolated enum Urgency: Int, Comparable {
    case mention, unread, none
    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// The conversations in the order of the list: pinned ones, people, rooms.
  package var order: [JID] {
    guard let heldOrder else { return settledOrder() }
    let known = heldOrder.filter { conversations[$0] != nil }
    let here = Set(known)
    return inParts(known + settledOrder().filter { !here.contains($0) }).joined().map { $0 }
  }

  /// The order while the user is not in the list.
  func settledOrder() -> [JID] {
    let calm = calmOrder ?? inCalm()
    calmOrder = calm
    var parts = inParts(calm)
    // What is pinned stays where it was put.
    for part in 1...2 {
      var ranks: [[JID]] = [[], [], []]
      for jid in parts[part] { ranks[rank(byUrgency: jid)].append(jid) }
      parts[part] = ranks.flatMap { $0 }
    }
    return parts.flatMap { $0 }
  }

  /// Restores the proper order of the rows after they were kept.
  package func settleOrder() {
    let settled = settledOrder()
    guard let heldOrder, heldOrder != settled else { return }
    self.heldOrder = settled
    refresh()
  }

  func urgency(of jid: JID) -> Urgency {
    guard let conversation = conversations[jid], conversation.unread > 0, counts(conversation)
    else { return .none }
    return conversation.mentions > 0 ? .mention : .unread
  }

  // A row that was opened because it is unread does not move while the user reads it.
  private func rank(byUrgency jid: JID) -> Int {
    let urgency = urgency(of: jid)
    return (jid == active ? min(activeUrgency, urgency) : urgency).rawValue
  }

  /// Those that are pinned, people, rooms.
  private func inParts(_ jids: [JID]) -> [[JID]] {
    var parts: [[JID]] = [[], [], []]
    for jid in jids { parts[pinned.contains(jid) ? 0 : isRoom(jid) ? 2 : 1].append(jid) }
    return parts
  }

  private func inCalm() -> [JID] {
    ConversationSorting(
      order: isArranged ? .manual : ordering, numbers: numbers, pinned: pinned, people: people
    ).sorted(conversations.values)
  }

  // MARK: Numbers

  /// Gives each conversation the first number that is free, where it has none.
  func number(_ jids: [JID]) {
    let new = jids.filter { numbers[$0] == nil }
    guard !new.isEmpty else { return }
    var free = FreeNumbers(taken: Set(numbers.values).union(feedNumbers.values))
    for jid in new where numbers[jid] == nil { numbers[jid] = free.take() }
    calmOrder = nil
    keepArrangement()
  }

  /// The same for the feeds; those that are gone leave theirs.
  func numberFeeds() {
    let here = Set(feeds.map(\.id))
    feedNumbers = feedNumbers.filter { here.contains($0.key) }
    var free = FreeNumbers(taken: Set(numbers.values).union(feedNumbers.values))
    for feed in feeds where feedNumbers[feed.id] == nil { feedNumbers[feed.id] = free.take() }
  }

  /// The feed with the number `number`, 1 to 10.
  package func feed(number: Int) -> Feed.ID? { feedNumbers.first { $0.value == number }?.key }

  // MARK: Going about

  /// The conversation with the number `number`, 1 to 10.
  package func conversation(number: Int) -> JID? {
    conversations.keys.first { numbers[$0] == number }
  }

  /// The conversation after (`1`) or before (`-1`) the active one, round the end.
  package func neighbour(_ step: Int) -> JID? {
    let order = order
    guard !order.isEmpty else { return nil }
    guard let active, let index = order.firstIndex(of: active) else {
      return step > 0 ? order.first : order.last
    }
    return order[(index + step + order.count) % order.count]
  }

  /// The first (`1`) or last (`-1`) listed contact without a conversation; `nil`: there is none.
  package func contact(_ step: Int) -> JID? {
    let others = contactsByName().filter { conversations[$0] == nil }
    return step > 0 ? others.first : others.last
  }

  /// The next conversation with unread messages after the active one, cyclically; those that
  /// mention the user first. Muted ones are skipped.
  package var nextUnread: JID? {
    next { $0.mentions > 0 && !notifications.isMuted($0.jid) }
      ?? next { $0.unread > 0 && !notifications.isMuted($0.jid) }
  }

  private func next(_ isWanted: (Conversation) -> Bool) -> JID? {
    let order = order
    let start = active.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    for offset in 0..<order.count {
      let jid = order[(start + offset) % order.count]
      if jid != active, let conversation = conversations[jid], isWanted(conversation) {
        return jid
      }
    }
    return nil
  }
}

// The order that the user has chosen.
extension SidebarViewModel {
  package func isPinned(_ jid: JID) -> Bool { pinned.contains(jid) }

  /// Pins a conversation to the top of the list, or lets it go.
  /// - Returns: whether it is pinned now; `nil` where there is no such conversation.
  @discardableResult package func togglePin(_ jid: JID) -> Bool? {
    guard conversation(jid) != nil else { return nil }
    let isPinned = !pinned.contains(jid)
    if isPinned { pinned.insert(jid) } else { pinned.remove(jid) }
    arranged(isWhole: false)
    return isPinned
  }

  /// Swaps a conversation with the one above (`-1`) or below (`1`) it in its part of the list, and
  /// their numbers.
  /// - Returns: whether there was one.
  @discardableResult package func move(_ jid: JID, by step: Int) -> Bool {
    let part = settledOrder().filter {
      pinned.contains($0) == pinned.contains(jid) && isSameKind($0, jid)
        && (pinned.contains(jid) || rank(byUrgency: $0) == rank(byUrgency: jid))
    }
    guard let index = part.firstIndex(of: jid), part.indices.contains(index + step) else {
      return false
    }
    // Pinned ones are ordered by numbers in any case: the others stay as the setting says.
    let isWhole = !pinned.contains(jid)
    if isWhole, !isArranged { numberAsShown() }
    swapNumbers(jid, part[index + step])
    arranged(isWhole: isWhole)
    return true
  }

  /// Orders the list by numbers from now on: in each part they ascend in the order shown now.
  private func numberAsShown() {
    for part in inParts(calmOrder ?? inCalm()) {
      for (jid, number) in zip(part, part.compactMap { numbers[$0] }.sorted()) {
        numbers[jid] = number
      }
    }
  }

  /// Gives a conversation a number; whichever had it gets the number that is free by that.
  package func give(_ jid: JID, number: Int) {
    guard let own = numbers[jid], own != number, number > 0 else { return }
    if let other = conversation(number: number) {
      swapNumbers(jid, other)
    } else {
      if let feed = feed(number: number) { feedNumbers[feed] = own }
      numbers[jid] = number
    }
    arranged()
  }

  /// The position of a conversation.
  package struct Rank {
    package let number: Int?
    package let isPinned: Bool
  }

  package func rank(of jid: JID) -> Rank {
    Rank(number: numbers[jid], isPinned: pinned.contains(jid))
  }

  /// Moves a conversation back; another one with its number gets the number that becomes free.
  func put(_ jid: JID, to rank: Rank) {
    guard let own = numbers[jid] else { return }
    if rank.isPinned { pinned.insert(jid) } else { pinned.remove(jid) }
    if let number = rank.number, number != own {
      if let other = conversation(number: number) { numbers[other] = own }
      if let feed = feed(number: number) { feedNumbers[feed] = own }
      numbers[jid] = number
    }
    arranged(isWhole: false)
  }

  private func swapNumbers(_ one: JID, _ other: JID) {
    (numbers[one], numbers[other]) = (numbers[other], numbers[one])
  }

  // Rooms are below people unless they are pinned.
  private func isSameKind(_ one: JID, _ other: JID) -> Bool {
    pinned.contains(one) || isRoom(one) == isRoom(other)
  }

  /// Applies the setting of the order, which replaces an order that the user has made by moving.
  package func choose(_ order: ConversationOrder) {
    guard order != ordering else { return }
    (ordering, isArranged, calmOrder) = (order, false, nil)
    if !numbers.isEmpty { keepArrangement() }
    settleOrder()
    refresh()
  }

  /// Keeps the order that the user has chosen from now on, or only that of pinned conversations.
  private func arranged(isWhole: Bool = true) {
    if isWhole { isArranged = true }
    calmOrder = nil
    keepArrangement()
    settleOrder()
    refresh()
  }

  /// Has the numbers kept as they are now: who has learnt one finds it again after the next start.
  func keepArrangement() {
    let present = SidebarArrangement(numbers: numbers, pinned: pinned, isOwn: isArranged)
    guard present != kept else { return }
    kept = present
    onArrange(present)
  }
}
