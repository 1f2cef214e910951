import Testing

@testable import XMPP

@Suite struct NameSkeletonTests {
  private let lookalikes = Lookalikes()

  @Test(arguments: [
    "The Boss", "the boss", "The  Boss.", "\u{422}h\u{435} B\u{43E}ss", "The B0ss",
    "\u{1D413}\u{1D421}\u{1D41E} \u{1D401}\u{1D428}\u{1D42C}\u{1D42C}", "The\u{200B}Boss\u{202E}",
    "Th\u{E9} Boss", "\u{FF34}\u{FF28}\u{FF25} \u{FF22}OSS", "The Boss \u{2714}\u{FE0F}",
    "The\u{115F} Boss\u{3164}",
  ])
  func `names that are taken for one another have one skeleton`(name: String) {
    #expect(lookalikes.skeleton(ofName: name) == lookalikes.skeleton(ofName: "The Boss"))
  }

  @Test(arguments: [
    ("AIice", "Alice"), ("A1ice", "Alice"), ("rnary", "Mary"), ("VVill", "Will"),
    ("\u{412}\u{43E}b", "Bob"), ("Zo\u{EB}", "zoe\u{308}"), ("\u{2728}", "\u{2728} "),
  ])
  func `so have letters that look alike in one case only`(first: String, second: String) {
    #expect(lookalikes.skeleton(ofName: first) == lookalikes.skeleton(ofName: second))
  }

  @Test(arguments: [
    ("Bob", "Rob"), ("Bob 2", "Bob"), ("张伟", "张偉"), ("Павел", "Pavel"), ("\u{2728}", "\u{1F525}"),
  ])
  func `names that look different have two`(first: String, second: String) {
    #expect(lookalikes.skeleton(ofName: first) != lookalikes.skeleton(ofName: second))
  }

  @Test func `a name without an end costs no more than a long one`() {
    let name = String(repeating: "\u{301}a", count: 100_000)
    #expect(lookalikes.skeleton(ofName: name).count < 4096)
  }
}
