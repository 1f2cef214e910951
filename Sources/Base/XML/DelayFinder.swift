/// Finds the delays (XEP-0203) behind the limit in a stanza that is skipped. Servers add them at
/// its end, and the order of a forwarded message and its delay is open (XEP-0297): without it, an
/// archived message has no time.
struct DelayFinder {
  /// A delay, and the number of the elements around it.
  struct Delay {
    let element: Element
    let depth: Int
  }

  /// The longest start tag, in bytes, and the most that are read of a stanza.
  private static let (longest, most) = (1024, 8)
  private static let beginning = Array("<delay".utf8)

  /// The offsets of the names of the elements of which a part is kept, the outermost first.
  private let kept: [Int]
  /// The number of these elements that were met.
  private var met = 0
  /// The number of these elements that have not ended.
  private var open = 0
  /// Indicates whether `tag` may be a delay's.
  private var isWanted = false
  /// The start tag until now.
  private var tag: [UInt8] = []
  /// The number of tags that were read.
  private var count = 0
  private(set) var delays: [Delay] = []

  /// - Parameter kept: The offsets in the stanza; empty where nothing is looked for.
  init(in kept: [Int]) { self.kept = kept }

  /// A start tag begins, inside of `depth` elements; its name is at `offset`.
  mutating func begin(at offset: Int, inside depth: Int) {
    isWanted = false
    if met < kept.count {
      if kept[met] == offset { met += 1 }
      open = met
    } else if depth > 0, depth <= open, count < Self.most {
      isWanted = true
      tag.removeAll(keepingCapacity: true)
      tag.append(Self.beginning[0])
    }
  }

  /// The next byte of a start tag.
  mutating func take(_ byte: UInt8) {
    guard isWanted else { return }
    let count = tag.count
    isWanted =
      count < Self.longest && (count >= Self.beginning.count || Self.beginning[count] == byte)
    if isWanted { tag.append(byte) }
  }

  /// A start tag has ended, inside of `depth` elements.
  mutating func end(inside depth: Int) {
    guard isWanted, tag.starts(with: Self.beginning) else { return }
    isWanted = false
    count += 1
    // The content is a text for people: it is not needed.
    if tag.suffix(2) != [0x2F, 0x3E] {
      tag.replaceSubrange((tag.count - 1)..., with: [0x2F, 0x3E])
    }
    let parser = XMLStreamParser(stanzaLimit: Self.longest + 1)
    guard let events = try? parser.feed(Array("<s xmlns='\(Namespace.client)'>".utf8) + tag),
      case .element(let element) = events.last, element.is("delay", Namespace.delay)
    else { return }
    delays.append(Delay(element: element.detached, depth: depth))
  }

  /// An element has ended; `depth` elements are open around what follows.
  mutating func close(to depth: Int) { if met == kept.count { open = min(open, depth) } }
}

extension Element {
  /// Adds delays that were found behind the limit to the elements that they were in.
  mutating func add(_ delays: [DelayFinder.Delay]) {
    // The elements of which a part is kept are the last ones, until something is added behind them.
    for delay in delays.sorted(by: { $0.depth > $1.depth }) {
      add(delay.element, depth: delay.depth)
    }
  }

  private mutating func add(_ delay: Element, depth: Int) {
    guard depth > 1 else {
      // One that ended before the limit is there already.
      if !elements.contains(delay) { append(delay) }
      return
    }
    guard case .element(var inner) = children.last, inner.exceedsLimit else { return }
    inner.add(delay, depth: depth - 1)
    children[children.count - 1] = .element(inner)
  }
}
