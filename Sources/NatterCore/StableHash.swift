import XMPP

/// FNV-1a of 64 bits: tells things apart by a short name that is the same in every run. No protection against whoever chooses the
/// bytes: those can make two things alike.
package struct StableHash: Sendable {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  /// An element with all that is in it, in whatever order its attributes came.
  package mutating func add(_ element: Element) {
    add(element.name.utf8)
    for (key, text) in element.attributes.sorted(by: { $0.key < $1.key }) {
      // A zero is in no text: what follows one does not run into it.
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
