import Testing

@testable import NatterCore

@Suite struct SharedFileTests {
  @Test func `a name stays bounded where what bounded it is left out`() throws {
    let marks = String(repeating: "\u{301}", count: 30)
    let text = "a" + [marks, marks, marks].joined(separator: "\u{200B}")
    let name = try #require(SharedFile.safe(text))
    let runs = name.unicodeScalars.split { $0 != "\u{301}" }
    #expect(runs.map(\.count) == [30, 30, 30])
  }

  @Test func `how digests are stored was the same for one alone, and leaves out what is not known`()
  {
    let (strong, weak) = (FileDigest(.sha3With512, "ab12"), FileDigest.sha256("cd34"))
    #expect([weak].stored == "cd34")
    #expect([strong].stored == "sha3-512:ab12")
    #expect([strong, weak].stored == "sha3-512+sha-256:ab12+cd34")
    #expect([FileDigest]().stored == nil)
    for digests in [[strong, weak], [weak], [strong]] {
      #expect(digests.stored.map { [FileDigest](stored: $0) } == digests)
    }
    #expect([FileDigest](stored: "of-tomorrow:00") == [])
    #expect([FileDigest](stored: "of-tomorrow+sha-256:00+cd34") == [weak])
  }

  @Test(
    arguments: [
      ("a/b/", "b"), ("a\\b//", "b"), ("//", nil), ("a/.b", "b"),
      (String(repeating: "x/", count: 100_000) + "y.png", "y.png"),
      (String(repeating: "é", count: 100_000) + ".png", String(repeating: "é", count: 98) + ".png"),
      (String(repeating: "x", count: 100_000), String(repeating: "x", count: 200)),
    ] as [(String, String?)])
  func `of a name the last part is left, and of a long one the extension`(
    name: String, safe: String?
  ) {
    #expect(SharedFile.safe(name) == safe)
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9949, "9.9 kB"), (9950, "10 kB"),
    (999_499, "999 kB"), (999_500, "1.0 MB"), (10_485_760, "10 MB"), (1 << 32, "4.3 GB"),
    (-5, "0 B"),
  ])
  func `sizes have three digits at most`(count: Int, text: String) {
    #expect(ByteCount.text(count) == text)
  }
}
