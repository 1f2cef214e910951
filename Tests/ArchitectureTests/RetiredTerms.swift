/// The retired terms of the glossary, and how they are found in text.
enum RetiredTerms {
  /// A term that documents and comments no longer use.
  struct Term: Sendable {
    /// Its forms in lower case, the glossary's first. A form may have several words.
    let forms: [String]
    /// Words that give the term another meaning when they follow it, as in "sign in".
    let exceptBefore: Set<String>
    /// Words that give the term another meaning when they precede it, as in "at sign".
    let exceptAfter: Set<String>

    init(
      _ forms: String..., exceptBefore: Set<String> = [], exceptAfter: Set<String> = []
    ) {
      self.forms = forms
      self.exceptBefore = exceptBefore
      self.exceptAfter = exceptAfter
    }
  }

  /// The terms in the order of the glossary's table.
  static let all: [Term] = [
    Term("tell", "tells", "told", "telling"),
    Term("wish", "wishes", "wished"),
    Term("place", "places", "placed"),
    Term("handed"),
    Term("words"),
    Term("deed", "deeds"),
    Term("stand", "stands", "standing", "stood"),
    Term("shelf", "shelves"),
    Term("stock"),
    Term("seat", "seats"),
    Term("desk"),
    Term("door", "doors"),
    Term("trial", "trials"),
    Term("turn", "turns", "turned", "turning"),
    Term("a measure", "the measure", "no measure"),
    Term("typed here"),
    Term("from elsewhere"),
    Term(
      "sign", "signs", exceptBefore: ["in", "ins", "out", "up"], exceptAfter: ["at", "percent"]),
    Term("he", "him", "his", "himself"),
    Term("whoever"),
    Term("the person"),
  ]

  /// Each form as its words, by the first of them.
  private static let formsByFirstWord = Dictionary(
    grouping: all.flatMap { term in
      term.forms.map { (words: $0.split(separator: " ").map(String.init), term: term) }
    }, by: { $0.words[0] })

  /// Words of `text` in lower case, without what is between grave accents. `profile_wish` is two.
  private static func words(of text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: " ").lowercased()
      .split { !$0.isLetter }.map(String.init)
  }

  /// The forms of retired terms in `text`, in its order.
  static func forms(in text: String) -> [String] {
    let words = words(of: text)
    var found: [String] = []
    for start in words.indices {
      for form in formsByFirstWord[words[start], default: []]
      where words[start...].starts(with: form.words) {
        let next = start + form.words.count
        if next < words.count, form.term.exceptBefore.contains(words[next]) { continue }
        if start > 0, form.term.exceptAfter.contains(words[start - 1]) { continue }
        found.append(form.words.joined(separator: " "))
      }
    }
    return found
  }
}
