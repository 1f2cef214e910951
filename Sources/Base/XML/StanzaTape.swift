import BoundedText
import Glibc

/// A stanza as the parser leaves it: its bytes, and a list of words that describe them.
///
/// Creating it costs two allocations and two copies, whatever the stanza contains: this lets the
/// parser build elements faster than other parsers only report them. Strings are made on demand,
/// and only here: with bounded clusters (`ClusterBound`), whatever the sender wrote. Data that
/// other code compares as bytes — hashes, signatures, Base64 — is ASCII, which bounding never
/// changes.
///
/// The words, by kind of node (offsets and counts are of bytes, `end` and positions of words):
/// - element: name offset and count, namespace offset and count, number of attributes, end; then
///   its attributes, then its children up to `end`
/// - attribute: offset and count of its name, of its namespace and of its value
/// - text: `Word.text`, offset, count
///
/// The top bit of an offset means that it refers to the stream header's bytes, the top bit of a
/// count that the bytes have to be decoded (references, line ends, CDATA).
///
/// Unchecked: it is written only before it is shared, and only read afterwards.
final class StanzaTape: @unchecked Sendable {
  /// The words, followed by the bytes, in a single allocation.
  private let memory: UnsafeMutablePointer<UInt32>
  private let wordCount: Int
  /// The memory it takes, in bytes.
  let weight: Int
  /// The stream header, in which namespaces may be declared; `nil` in the header's own tape.
  private let header: StanzaTape?
  /// The positions of the elements of which a part is missing, because the stanza exceeds a limit
  /// of the parser.
  let openElements: [Int]

  enum Word {
    /// In the position of an element's name offset: this node is a text.
    static let text: UInt32 = 0xFFFF_FFFF
    /// In the position of a namespace count: the attribute is `xml:…`.
    static let xmlPrefix: UInt32 = 0xFFFF_FFFF
    static let flag: UInt32 = 0x8000_0000
    static let elementCount = 6
    static let attributeCount = 6
    static let textCount = 3
  }

  /// Copies `words` and `bytes`.
  init(
    words: UnsafeMutablePointer<UInt32>, wordCount: Int, bytes: UnsafePointer<UInt8>,
    byteCount: Int, header: StanzaTape?, openElements: [Int] = []
  ) {
    memory = .allocate(capacity: wordCount + (byteCount + 3) / 4)
    memcpy(memory, words, wordCount * 4)
    memcpy(memory + wordCount, bytes, byteCount)
    self.wordCount = wordCount
    weight = wordCount * 4 + byteCount
    self.header = header
    self.openElements = openElements
  }

  deinit { memory.deallocate() }

  func name(at position: Int) -> String {
    withWords { words in
      string(words[position], words[position + 1], as: .name, upTo: Self.longestName)
    }
  }

  func namespace(at position: Int) -> String {
    withWords { words in
      string(words[position + 2], words[position + 3], as: .attribute, upTo: Self.longestName)
    }
  }

  func isElement(at position: Int, _ name: String, _ namespace: String) -> Bool {
    withWords { words in
      equal(words[position], words[position + 1], name, as: .name)
        && equal(words[position + 2], words[position + 3], namespace, as: .attribute)
    }
  }

  func attributes(at position: Int) -> Attributes {
    withWords { words in
      var items: [Attributes.Element] = []
      let count = Int(words[position + 4])
      items.reserveCapacity(count)
      var at = position + Word.elementCount
      for _ in 0..<count {
        items.append(
          (key: key(words, at), value: string(words[at + 4], words[at + 5], as: .attribute)))
        at += Word.attributeCount
      }
      return Attributes(distinct: items)
    }
  }

  func attribute(_ name: String, at position: Int) -> String? {
    withWords { words in
      var at = position + Word.elementCount
      for _ in 0..<Int(words[position + 4]) {
        let isPlain = words[at + 3] == 0
        // The key of an attribute in a namespace, which may be as long as the stanza, has a colon
        // or braces.
        if isPlain
          ? equal(words[at], words[at + 1], name, as: .name)
          : name.utf8.contains(where: { "{:".utf8.contains($0) }) && key(words, at) == name
        {
          return string(words[at + 4], words[at + 5], as: .attribute)
        }
        at += Word.attributeCount
      }
      return nil
    }
  }

  func children(at position: Int) -> [Element.Node] {
    var nodes: [Element.Node] = []
    forEachChild(of: position) { words, at in
      if words[at] == Word.text {
        nodes.append(.text(string(words[at + 1], words[at + 2], as: .text)))
      } else {
        nodes.append(.element(Element(tape: self, position: at)))
      }
      return true
    }
    return nodes
  }

  func elements(at position: Int) -> [Element] {
    var elements: [Element] = []
    forEachChild(of: position) { words, at in
      if words[at] != Word.text { elements.append(Element(tape: self, position: at)) }
      return true
    }
    return elements
  }

  func text(at position: Int) -> String {
    var text = ""
    var isJoined = false
    forEachChild(of: position) { words, at in
      if words[at] == Word.text {
        let part = string(words[at + 1], words[at + 2], as: .text)
        if text.isEmpty {
          text = part
        } else {
          text += part
          isJoined = true
        }
      }
      return true
    }
    return isJoined ? text.bounded : text
  }

  /// Returns the beginning of the text, of about `limit` bytes; more of it where it has to be
  /// decoded first.
  func textBeginning(at position: Int, bytes limit: Int) -> String {
    var text = ""
    forEachChild(of: position) { words, at in
      guard words[at] == Word.text else { return true }
      text += beginning(words[at + 1], words[at + 2], bytes: limit)
      return text.utf8.count < limit
    }
    return text
  }

  func first(_ name: String, _ namespace: String, in position: Int) -> Element? {
    var found: Element?
    forEachChild(of: position) { words, at in
      guard words[at] != Word.text, isElement(at: at, name, namespace) else { return true }
      found = Element(tape: self, position: at)
      return false
    }
    return found
  }

  func all(_ name: String, _ namespace: String, in position: Int) -> [Element] {
    var found: [Element] = []
    forEachChild(of: position) { words, at in
      if words[at] != Word.text, isElement(at: at, name, namespace) {
        found.append(Element(tape: self, position: at))
      }
      return true
    }
    return found
  }

  func all(in namespace: String, of position: Int) -> [Element] {
    var found: [Element] = []
    forEachChild(of: position) { words, at in
      if words[at] != Word.text,
        equal(words[at + 2], words[at + 3], namespace, as: .attribute)
      {
        found.append(Element(tape: self, position: at))
      }
      return true
    }
    return found
  }

  // MARK: Reading

  /// Calls `visit` with the position of each child, until it returns false.
  private func forEachChild(
    of position: Int, _ visit: (UnsafeMutablePointer<UInt32>, Int) -> Bool
  ) {
    withWords { words in
      var at = position + Word.elementCount + Int(words[position + 4]) * Word.attributeCount
      let end = Int(words[position + 5])
      while at < end {
        guard visit(words, at) else { return }
        at = words[at] == Word.text ? at + Word.textCount : Int(words[at + 5])
      }
    }
  }

  private func withWords<Result>(
    _ read: (UnsafeMutablePointer<UInt32>) -> Result
  ) -> Result {
    // The memory must not be freed while it is read.
    withExtendedLifetime(self) { read(memory) }
  }

  /// Returns an attribute's key as in `Element.attributes`.
  private func key(_ words: UnsafeMutablePointer<UInt32>, _ at: Int) -> String {
    let name = string(words[at], words[at + 1], as: .name)
    switch words[at + 3] {
    case 0: return name
    case Word.xmlPrefix: return "xml:" + name
    default: return "{" + string(words[at + 2], words[at + 3], as: .attribute) + "}" + name
    }
  }

  /// Calls `read` with the bytes at an offset.
  private func withBytes<Result>(
    _ offset: UInt32, _ count: UInt32, _ read: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    if offset & Word.flag != 0, let header {
      return header.withBytes(offset & ~Word.flag, count, read)
    }
    let bytes = UnsafeRawPointer(memory + wordCount).assumingMemoryBound(to: UInt8.self)
    return read(
      UnsafeBufferPointer(
        start: bytes + Int(offset & ~Word.flag), count: Int(count & ~Word.flag)))
  }

  /// The most bytes of a name or a namespace that are read. They are compared with many known ones,
  /// each time as a new string, and a sender may make them as long as the stanza.
  private static let longestName = 1024

  /// - Parameter limit: The bytes after it are left out.
  private func string(
    _ offset: UInt32, _ count: UInt32, as kind: XMLText.Context, upTo limit: Int = .max
  ) -> String {
    if count == 0 { return "" }
    return withBytes(offset, count) { bytes in
      let bytes = bytes.count > limit ? UnsafeBufferPointer(rebasing: bytes[..<limit]) : bytes
      if count & Word.flag == 0 { return String(bounding: bytes) }
      return String(bounding: XMLText.decoded(bytes, as: kind))
    }
  }

  /// Returns the first `limit` bytes of a text, without a part of a scalar at the end.
  private func beginning(_ offset: UInt32, _ count: UInt32, bytes limit: Int) -> String {
    guard count & Word.flag == 0, Int(count) > limit else {
      return string(offset, count, as: .text)
    }
    return withBytes(offset, count) { bytes in
      var end = limit
      while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
      return String(bounding: UnsafeBufferPointer(rebasing: bytes[..<end]))
    }
  }

  private func equal(
    _ offset: UInt32, _ count: UInt32, _ text: String, as kind: XMLText.Context
  ) -> Bool {
    if count & Word.flag != 0 {
      return string(offset, count, as: kind, upTo: Self.longestName) == text
    }
    // A stanza may have thousands of children, and each is compared with many names: most of them
    // differ in length.
    guard Int(count) == text.utf8.count else { return false }
    return withBytes(offset, count) { bytes in
      var text = text
      return text.withUTF8 { other in
        guard let a = other.baseAddress, let b = bytes.baseAddress else { return true }
        return memcmp(a, b, bytes.count) == 0
      }
    }
  }
}
