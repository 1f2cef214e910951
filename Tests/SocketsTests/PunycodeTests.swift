import Sockets
import Testing

@Suite struct PunycodeTests {
  /// Samples of RFC 3492 §7.1, in lower case.
  @Test(arguments: [
    ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
    ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ("bücher", "bcher-kva"), ("mañana", "maana-pta"), ("ü", "tda"),
    ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
  ])
  func `a label has one form in ASCII, and that one label`(label: String, ascii: String) {
    let scalars = label.unicodeScalars.map(\.value)
    #expect(Punycode.encoded(scalars) == ascii)
    #expect(Punycode.decoded(ascii) == scalars)
  }

  @Test(arguments: [
    "", "é", "a.b", "99999999", "zzzzzzzzzzzzzzzzzzzz", "-", "kva_", "a-99999999999",
    String(repeating: "9", count: 59), String(repeating: "a", count: 60),
  ])
  func `text that encodes no label is refused, whatever its digits add up to`(text: String) {
    if let scalars = Punycode.decoded(text) {
      // What can be read can be read by everybody.
      #expect(scalars.allSatisfy { $0 <= 0x10FFFF })
    }
    #expect(Punycode.decoded("é") == nil && Punycode.decoded("") == nil)
    #expect(Punycode.decoded(String(repeating: "9", count: 59)) == nil)
  }
}
