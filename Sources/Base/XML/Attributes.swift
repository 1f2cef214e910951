/// The attributes of an element, in written order; no name occurs twice.
///
/// A small array: elements have few attributes, and a linear search is faster than hashing.
package struct Attributes: Sendable {
  package typealias Element = (key: String, value: String)
  private var items: [Element]

  package init() { items = [] }

  /// Creates attributes whose names the caller knows to be distinct.
  init(distinct items: [Element]) { self.items = items }

  /// Creates attributes from a dictionary, sorted by name.
  package init(_ dictionary: [String: String]) {
    items = dictionary.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }
  }

  package subscript(name: String) -> String? {
    get {
      for item in items where item.key == name { return item.value }
      return nil
    }
    set {
      let index = items.firstIndex { $0.key == name }
      switch (index, newValue) {
      case (let index?, let value?): items[index].value = value
      case (let index?, nil): items.remove(at: index)
      case (nil, let value?): items.append((key: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// The value of the attribute `name`, or `fallback` when it is missing.
  package subscript(name: String, default fallback: String) -> String { self[name] ?? fallback }

  package var keys: [String] { items.map(\.key) }
  package var values: [String] { items.map(\.value) }
  package mutating func removeValue(forKey name: String) { self[name] = nil }
}

extension Attributes: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { items.count }
  package subscript(position: Int) -> Element { items[position] }
}

extension Attributes: ExpressibleByDictionaryLiteral {
  /// Creates attributes from a literal; for a repeated name, the last value counts.
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init()
    items.reserveCapacity(elements.count)
    for (name, value) in elements { self[name] = value }
  }
}

extension Attributes: Hashable {
  /// Compares without regard to order, which has no meaning in XML.
  package static func == (a: Attributes, b: Attributes) -> Bool {
    a.count == b.count && a.items.allSatisfy { b[$0.key] == $0.value }
  }

  package func hash(into hasher: inout Hasher) {
    var sum = 0
    for item in items {
      var one = Hasher()
      one.combine(item.key)
      one.combine(item.value)
      sum ^= one.finalize()
    }
    hasher.combine(sum)
  }
}
