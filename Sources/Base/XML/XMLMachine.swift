import Glibc

/// The parser's state machine: passes once over the bytes, one at a time in markup and eight at a
/// time in text, validates everything, and records positions (see `StanzaTape` for the format).
///
/// Positions are relative to the current stanza, so that they stay valid when the bytes move.
struct XMLMachine: ~Copyable {
  enum MachineState: UInt8 {
    case prolog, betweenStanzas, text, cdata
    case tagName, afterName, inTag, attributeName, afterAttributeName, beforeValue, value
    case emptyTag, endName, afterEndName, afterEnd
  }

  static let deepest = 101
  static let mostAttributes = 100
  /// The most prefixes in scope: each name with a prefix is compared with all of them.
  static let mostBindings = 200

  struct Frame {
    var name: Span
    /// The namespace of children without a prefix.
    var defaultNamespace: Span
    var word: Int
    var bindings: Int
  }

  struct Binding {
    var prefix: Span
    var namespace: Span
  }

  /// An offset and a count, with the flags of `StanzaTape`.
  struct Span {
    var offset: UInt32
    var count: UInt32
    static var none: Span { Span(offset: 0, count: 0) }
  }

  var limit: Int
  var state = MachineState.prolog

  /// Bytes of a stanza that is not complete.
  var pending: UnsafeMutablePointer<UInt8>
  var pendingCount = 0
  var pendingCapacity = 4096

  var words: UnsafeMutablePointer<UInt32>
  var wordCount = 0
  var wordCapacity = 1024

  let frames: UnsafeMutablePointer<Frame>
  var depth = 0
  var bindings: [Binding] = []

  var header: StanzaTape?
  var headerBytes: UnsafeMutablePointer<UInt8>?

  /// The offset of the current stanza in the stream, in bytes.
  var consumed = 0
  var position = 0
  var nameStart = 0
  var colon = -1
  var nameCount = 0
  var valueStart = 0
  var quote: UInt8 = 0
  var flag: UInt32 = 0
  /// The offset behind the last tag, which is the start of the text if there is one.
  var textFloor = 0
  var declaresDefault = false
  var prefixedAttributes = 0
  var attributeTotal = 0
  let classes: UnsafeMutablePointer<UInt8>

  init(limit: Int) {
    self.limit = limit
    pending = .allocate(capacity: pendingCapacity)
    words = .allocate(capacity: wordCapacity)
    frames = .allocate(capacity: Self.deepest)
    classes = .allocate(capacity: 256)
    for byte in 0..<256 { classes[byte] = XMLName.byteClass(UInt8(byte)) }
  }

  deinit {
    pending.deallocate()
    words.deallocate()
    frames.deallocate()
    classes.deallocate()
    headerBytes?.deallocate()
  }

  mutating func reset() {
    state = .prolog
    pendingCount = 0
    wordCount = 0
    depth = 0
    bindings.removeAll(keepingCapacity: true)
    header = nil
    headerBytes?.deallocate()
    headerBytes = nil
    consumed = 0
    position = 0
    flag = 0
  }

  mutating func feed(
    _ input: UnsafeBufferPointer<UInt8>, into events: inout [XMLStreamEvent]
  ) throws(XMLError) {
    guard let inputBase = input.baseAddress, !input.isEmpty else { return }
    var stanza = inputBase
    var available = input.count
    if pendingCount > 0 {
      available += pendingCount
      reserve(available)
      memcpy(pending + pendingCount, inputBase, input.count)
      pendingCount = available
      stanza = UnsafePointer(pending)
    }
    try run(&stanza, &available, &events)
    keep(stanza, available)
  }

  private mutating func reserve(_ count: Int) {
    guard count > pendingCapacity else { return }
    pendingCapacity = max(count, pendingCapacity * 2)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: pendingCapacity)
    memcpy(larger, pending, pendingCount)
    pending.deallocate()
    pending = larger
  }

  /// Keeps the bytes of an incomplete stanza for the next call.
  private mutating func keep(_ stanza: UnsafePointer<UInt8>, _ count: Int) {
    if stanza != UnsafePointer(pending) {
      // They lie in the caller's array, or further back in `pending` itself.
      if count > pendingCapacity { reserve(count) }
      memmove(pending, stanza, count)
    }
    pendingCount = count
  }

  func failure(_ problem: XMLError.Problem, _ position: Int) -> XMLError {
    XMLError(problem, offset: consumed + position)
  }
}
