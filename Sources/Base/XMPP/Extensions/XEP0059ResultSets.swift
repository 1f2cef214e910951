import XML

/// The requested part of a long list (XEP-0059 §2).
package struct XEP0059Request: Hashable, Sendable {
  /// The position of the requested page.
  package enum Position: Hashable, Sendable {
    /// The first page.
    case first
    /// The last page (§2.5).
    case last
    /// The items that follow the item with this id.
    case after(String)
    /// The nearest items before the item with this id.
    case before(String)
  }

  package var position: Position
  /// The most items, > 0: with 0, some servers report the list as complete whatever it contains.
  package var limit: Int

  /// Indicates whether the page ends at a position, instead of beginning there.
  var isBackward: Bool {
    switch position {
    case .last, .before: true
    case .first, .after: false
    }
  }

  package init(_ position: Position, limit: Int) {
    self.position = position
    self.limit = max(1, limit)
  }

  package var element: Element {
    var set = Element(
      "set", Namespace.resultSets, [:],
      [Element("max", Namespace.resultSets, text: String(limit))])
    switch position {
    case .first: break
    case .last: set.append(Element("before", Namespace.resultSets))
    case .after(let id): set.append(Element("after", Namespace.resultSets, text: id))
    case .before(let id): set.append(Element("before", Namespace.resultSets, text: id))
    }
    return set
  }
}

extension XEP0059Request {
  /// Returns the id of the last item of the page in `parent` (§2.2), to request the next page;
  /// `nil` when there is none.
  package static func last(in parent: Element) -> String? {
    let last = parent.first("set", Namespace.resultSets)?.first("last", Namespace.resultSets)?.text
    return last?.isEmpty == true ? nil : last
  }
}
