import NatterCore
import XMPP

// The person's own order.
extension SidebarViewModel {
  package func isPinned(_ jid: JID) -> Bool { pinned.contains(jid) }

  /// Pins a conversation to the top of the list, or lets it go.
  /// - Returns: whether it is pinned now; `nil` where there is no such conversation.
  @discardableResult package func togglePin(_ jid: JID) -> Bool? {
    guard conversation(jid) != nil else { return nil }
    let isPinned = !pinned.contains(jid)
    if isPinned { pinned.insert(jid) } else { pinned.remove(jid) }
    arranged()
    return isPinned
  }

  /// Swaps a conversation with the one above (`-1`) or below (`1`) it in its part of the list, and their numbers with
  /// them.
  /// - Returns: whether there was one.
  @discardableResult package func move(_ jid: JID, by step: Int) -> Bool {
    let part = order.filter { pinned.contains($0) == pinned.contains(jid) && isSameKind($0, jid) }
    guard let index = part.firstIndex(of: jid), part.indices.contains(index + step) else {
      return false
    }
    swapNumbers(jid, part[index + step])
    arranged()
    return true
  }

  /// Gives a conversation a number; whichever had it gets the number that is free by that.
  package func give(_ jid: JID, number: Int) {
    guard let own = numbers[jid], own != number, number > 0 else { return }
    if let other = conversation(number: number) {
      swapNumbers(jid, other)
    } else {
      numbers[jid] = number
    }
    arranged()
  }

  /// Where a conversation stands.
  package struct Place {
    package let number: Int?
    package let isPinned: Bool
  }

  package func place(of jid: JID) -> Place {
    Place(number: numbers[jid], isPinned: pinned.contains(jid))
  }

  /// Puts a conversation where it stood before; whichever has its number now gets the one that is free by that.
  func put(_ jid: JID, to place: Place) {
    guard let own = numbers[jid] else { return }
    if place.isPinned { pinned.insert(jid) } else { pinned.remove(jid) }
    if let number = place.number, number != own {
      if let other = conversation(number: number) { numbers[other] = own }
      numbers[jid] = number
    }
    keepArrangement()
    refresh()
  }

  private func swapNumbers(_ one: JID, _ other: JID) {
    (numbers[one], numbers[other]) = (numbers[other], numbers[one])
  }

  // Rooms stand below people unless they are pinned.
  private func isSameKind(_ one: JID, _ other: JID) -> Bool {
    pinned.contains(one) || isRoom(one) == isRoom(other)
  }

  /// The person has chosen an order: from here on it is kept.
  private func arranged() {
    isArranged = true
    keepArrangement()
    refresh()
  }

  /// Has the numbers kept as they are now, where the person wants an order of his own.
  func keepArrangement() {
    guard isArranged else { return }
    let present = SidebarArrangement(numbers: numbers, pinned: pinned)
    guard present != kept else { return }
    kept = present
    onArrange(present)
  }
}
