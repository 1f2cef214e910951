/// The effect of a scalar on its cluster (UAX #29 §3), coarse so that it is found quickly: a scalar
/// counts as joining where it may. That is right for readable text, in which no cluster comes near
/// the limit.
enum JoiningKind {
  /// Begins a cluster, unless the scalar before it joins everything.
  case base
  /// Joins what is before it: marks, variation selectors, tags, skin tones, vowels and finals of
  /// Hangul.
  case mark
  /// A mark that takes the next consonant (`Indic_Conjunct_Break=Linker`, GB9c): a virama.
  case linker
  /// U+200D: takes the next picture (GB11).
  case joiner
  /// Joins what follows (GB9b): the marks before numbers in Arabic.
  case prepend
  /// An initial of Hangul: joins another one (GB6).
  case initial
  /// A regional indicator: two make a flag, counted from the first of a row (GB12, GB13).
  case indicator

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    // Latin, Greek, Cyrillic; letters of Hebrew, Arabic, Devanagari and Thai; punctuation and
    // symbols, also of Chinese and Japanese; kana; ideographs and Yi; Hangul syllables; fullwidth
    // forms; most pictures.
    case 0..<0x300, 0x370..<0x483, 0x48A..<0x591, 0x5D0..<0x5EB, 0x620..<0x64B, 0x904..<0x93A,
      0xE01..<0xE31, 0x2010..<0x20D0, 0x2100..<0x2CEF,
      0x3000..<0x302A, 0x3041..<0x3097, 0x30A1..<0x3100, 0x3400..<0xA66F, 0xAC00..<0xD7A4,
      0xFF01..<0xFF9E, 0x1F300..<0x1F3FB, 0x1F400..<0x1FB00, 0x20000..<0xE0000:
      self = .base
    case 0x300..<0x370, 0x200C, 0xFE00..<0xFE10, 0xFF9E, 0xFF9F, 0x1F3FB...0x1F3FF,
      0xE0000..<0xE1000:
      self = .mark
    // SARA AM of Thai and AM of Lao are letters, and join.
    case 0x0E33, 0x0EB3: self = .mark
    case 0x200D: self = .joiner
    case 0x1100..<0x1160, 0xA960..<0xA97D: self = .initial
    // The vowels of Kirat Rai compose as those of Hangul do.
    case 0x1160..<0x1200, 0xD7B0..<0xD7FC, 0x16D63, 0x16D67...0x16D6A: self = .mark
    case 0x1F1E6...0x1F1FF: self = .indicator
    case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x0D4E, 0x110BD, 0x110CD,
      0x111C2, 0x111C3, 0x113D1, 0x1193F, 0x11941, 0x11A3A, 0x11A84...0x11A89, 0x11D46, 0x11F02:
      self = .prepend
    case 0..<0x2_0000: self = Self.byProperties[Int(scalar.value)]
    default: self = .base
    }
  }

  /// By the properties of each scalar of the first two planes. They are looked up once for all: a
  /// text may have 100,000 such scalars, is made anew by each reader, and one look takes as long as
  /// all else that is done with the scalar.
  private static let byProperties: [JoiningKind] = (0..<UInt32(0x2_0000)).map {
    value -> JoiningKind in
    guard let properties = Unicode.Scalar(value)?.properties else { return .base }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark:
      return properties.canonicalCombiningClass.rawValue == 9 ? .linker : .mark
    default: return .base
    }
  }
}
