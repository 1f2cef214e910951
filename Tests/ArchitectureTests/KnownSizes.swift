import Testing

/// A list of what was over a limit when the limit was set, with its size. Sizes only shrink.
struct KnownSizes {
  private let sizes: [String: Int]

  init(_ sizes: [String: Int]) { self.sizes = sizes }

  /// Expects that what is over `limit` is what the list has, in its size.
  /// - Parameter details: What makes up the size of a name, for the message.
  func expect(
    _ found: [String: Int], limit: Int, details: (String) -> String = { _ in "" },
    location: SourceLocation = #_sourceLocation
  ) {
    let over = found.filter { $0.value > limit }
    for (name, size) in over.sorted(by: { $0.key < $1.key }) {
      guard let allowed = sizes[name] else {
        Issue.record(
          "\"\(name)\": \(size), over \(limit)\(details(name))", sourceLocation: location)
        continue
      }
      if size > allowed {
        Issue.record(
          "\"\(name)\": \(size), it was \(allowed)\(details(name))", sourceLocation: location)
      } else if size < allowed {
        Issue.record(
          "\"\(name)\": \(size) and no longer \(allowed): put the new size into the list",
          sourceLocation: location)
      }
    }
    for name in sizes.keys.sorted() where over[name] == nil {
      Issue.record(
        "\"\(name)\" is within the limit: take it out of the list", sourceLocation: location)
    }
  }
}
