/// The reads of a server's lists that are under way, such as those of nodes, and which of their
/// items have changed meanwhile.
///
/// The answer to a read goes to who asked, while notifications (XEP-0060 §7.1.2) come through the
/// inbox: one that is newer than the answer can be stored before it. What such a notification says
/// of an item counts then, and not the answer; a notification that is older than the answer says
/// the same as the answer, or a newer one follows.
package struct OpenReads<Node: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
  /// One read.
  package struct Read: Hashable, Sendable {
    package let node: Node
    fileprivate let number: Int
  }

  /// The items that have changed during a read.
  package enum Changes: Hashable, Sendable {
    case some(Set<Item>)
    /// All, or so many that they were not counted: the answer cannot be used.
    case countless

    /// Indicates whether the answer to the read counts for `item`.
    package func accept(_ item: Item) -> Bool {
      switch self {
      case .some(let items): !items.contains(item)
      case .countless: false
      }
    }
  }

  /// The most items that are recorded of one read. A server can send any number of notifications
  /// before its answer.
  private let limit: Int
  private var changes: [Read: Changes] = [:]
  private var number = 0

  package init(limit: Int = 1000) { self.limit = limit }

  /// Begins a read, before its request is sent.
  package mutating func begin(_ node: Node) -> Read {
    number += 1
    let read = Read(node: node, number: number)
    changes[read] = .some([])
    return read
  }

  /// Records that items of a node change, before the change is stored.
  package mutating func note(_ items: some Sequence<Item>, of node: Node) {
    for (read, known) in changes where read.node == node {
      guard case .some(var changed) = known else { continue }
      changed.formUnion(items)
      changes[read] = changed.count > limit ? .countless : .some(changed)
    }
  }

  /// Records that all items of a node change, before that is stored.
  package mutating func noteAll(of node: Node) {
    for read in changes.keys where read.node == node { changes[read] = .countless }
  }

  /// Returns the items that have changed since the read began.
  package func changes(during read: Read) -> Changes { changes[read] ?? .countless }

  /// Ends a read, once its answer is stored.
  package mutating func end(_ read: Read) { changes[read] = nil }
}
