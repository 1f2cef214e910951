/// The 64-bit FNV-1a hash: a short identifier that is the same in every run. It is not secure: an
/// attacker who chooses the bytes can construct collisions.
package struct StableHash: Sendable {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  /// Adds bytes.
  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  /// Adds an element with all its content; the order of its attributes does not matter.
  package mutating func add(_ element: Element) {
    add(element.name.utf8)
    for (key, text) in element.attributes.sorted(by: { $0.key < $1.key }) {
      // A zero byte occurs in no text, so that adjacent parts cannot be confused.
      for part in [key, text] {
        add([0])
        add(part.utf8)
      }
    }
    add([0])
    add(element.text.utf8)
    for child in element.elements {
      add([0])
      add(child)
    }
  }

  /// In hexadecimal.
  package var text: String { String(value, radix: 16) }
}
