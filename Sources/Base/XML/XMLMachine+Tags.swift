import Glibc

/// The steps of the state machine at the borders of names, attributes and tags.
extension XMLMachine {
  /// The bytes of a span, in the header's where it says so.
  @inline(__always)
  func bytes(_ offset: UInt32, _ s: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    if offset & StanzaTape.Word.flag != 0, let headerBytes {
      return UnsafePointer(headerBytes) + Int(offset & ~StanzaTape.Word.flag)
    }
    return s + Int(offset)
  }

  /// Goes to the end of the name that begins at `nameStart`. False when the bytes end first.
  @inline(__always)
  mutating func scanName(
    _ s: UnsafePointer<UInt8>, _ at: inout Int, _ end: Int, _ classes: UnsafePointer<UInt8>
  ) throws(XMLError) -> Bool {
    while at < end {
      let byte = s[at]
      if classes[Int(byte)] & XMLName.inside != 0 {
        at += 1
      } else if byte == UInt8(ascii: ":") {
        guard colon < 0 else { throw failure(.wrongName, at) }
        colon = at
        at += 1
      } else if byte >= 0x80 {
        let count = XMLScan.sequence(s, at, end)
        if count == 0 { return false }
        guard count > 0 else {
          throw failure(count == -1 ? .invalidUTF8 : .forbiddenCharacter, at)
        }
        guard XMLName.isInside(XMLName.scalar(s + at, count)) else {
          throw failure(.unexpectedCharacter, at)
        }
        at += count
      } else {
        // The name ends here. It, and what is behind its colon, has to begin like a name.
        guard at > nameStart else { throw failure(.unexpectedCharacter, at) }
        try checkStart(s, nameStart, end, classes)
        if colon >= 0 { try checkStart(s, colon + 1, end, classes) }
        return true
      }
    }
    return false
  }

  @inline(__always)
  private func checkStart(
    _ s: UnsafePointer<UInt8>, _ at: Int, _ end: Int, _ classes: UnsafePointer<UInt8>
  ) throws(XMLError) {
    if classes[Int(s[at])] & XMLName.start != 0 { return }
    guard s[at] >= 0x80, XMLName.isStart(XMLName.scalar(s + at, XMLScan.sequence(s, at, end)))
    else { throw failure(.wrongName, at) }
  }

  @inline(__always)
  mutating func reserveWords(_ count: Int) {
    if wordCount + count > wordCapacity { growWords() }
  }

  private mutating func growWords() {
    wordCapacity *= 2
    let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: wordCapacity)
    memcpy(larger, words, wordCount * 4)
    words.deallocate()
    words = larger
  }

  /// An opening tag's name ended at `at`.
  @inline(__always)
  mutating func openElement(_ s: UnsafePointer<UInt8>, _ at: Int) throws(XMLError) {
    guard depth < Self.deepest else { throw failure(.tooDeep, nameStart) }
    frames[depth] = Frame(
      name: Span(
        offset: UInt32(truncatingIfNeeded: nameStart),
        count: UInt32(truncatingIfNeeded: at - nameStart)),
      defaultNamespace: depth == 0 ? .none : frames[depth - 1].defaultNamespace,
      word: wordCount, bindings: bindings.count)
    depth += 1
    reserveWords(StanzaTape.Word.elementCount)
    let local = colon < 0 ? nameStart : colon + 1
    words[wordCount] = UInt32(truncatingIfNeeded: local)
    words[wordCount + 1] = UInt32(truncatingIfNeeded: at - local)
    words[wordCount + 4] = 0
    wordCount += StanzaTape.Word.elementCount
    declaresDefault = false
    prefixedAttributes = 0
    attributeTotal = 0
  }

  /// An attribute is complete: its name is at `nameStart`, with `nameCount` bytes.
  @inline(__always)
  mutating func addAttribute(_ s: UnsafePointer<UInt8>, _ value: Span) throws(XMLError) {
    attributeTotal += 1
    guard attributeTotal <= Self.mostAttributes else {
      throw failure(.tooManyAttributes, nameStart)
    }
    let frame = frames[depth - 1]
    if s[nameStart] == UInt8(ascii: "x"), nameCount >= 5,
      try declareNamespace(s, value, frame)
    {
      return
    }
    let local = colon < 0 ? nameStart : colon + 1
    let count = nameStart + nameCount - local
    let prefixCount = colon < 0 ? 0 : colon - nameStart
    // No name twice: they are few, so each is compared with those before it.
    var at = frame.word + StanzaTape.Word.elementCount
    while at < wordCount {
      if words[at + 1] == UInt32(truncatingIfNeeded: count),
        words[at + 3] == UInt32(truncatingIfNeeded: prefixCount),
        XMLScan.equal(s + Int(words[at]), s + local, count),
        XMLScan.equal(s + Int(words[at + 2]), s + nameStart, prefixCount)
      {
        throw failure(.duplicateAttribute, nameStart)
      }
      at += StanzaTape.Word.attributeCount
    }
    reserveWords(StanzaTape.Word.attributeCount)
    words[wordCount] = UInt32(truncatingIfNeeded: local)
    words[wordCount + 1] = UInt32(truncatingIfNeeded: count)
    // Until the tag is complete, these two say where the prefix is.
    words[wordCount + 2] = UInt32(truncatingIfNeeded: nameStart)
    words[wordCount + 3] = UInt32(truncatingIfNeeded: prefixCount)
    words[wordCount + 4] = value.offset
    words[wordCount + 5] = value.count
    wordCount += StanzaTape.Word.attributeCount
    words[frame.word + 4] &+= 1
    if prefixCount > 0 { prefixedAttributes += 1 }
  }

  /// Takes an attribute that declares a namespace. False when it is another one.
  private mutating func declareNamespace(
    _ s: UnsafePointer<UInt8>, _ value: Span, _ frame: Frame
  ) throws(XMLError) -> Bool {
    guard matches(s + nameStart, min(nameCount, 5), "xmlns") else { return false }
    if nameCount == 5 {
      guard !declaresDefault else { throw failure(.duplicateAttribute, nameStart) }
      guard reservedNamespace(s, value) == nil else {
        throw failure(.wrongNamespaceDeclaration, nameStart)
      }
      declaresDefault = true
      frames[depth - 1].defaultNamespace = value
      return true
    }
    guard colon == nameStart + 5 else { return false }
    let prefix = Span(
      offset: UInt32(truncatingIfNeeded: colon + 1),
      count: UInt32(truncatingIfNeeded: nameStart + nameCount - colon - 1))
    let reserved = reservedNamespace(s, value)
    if matches(s + colon + 1, Int(prefix.count), "xml") {
      // It may be declared as what it is anyway.
      guard reserved == "xml" else { throw failure(.wrongNamespaceDeclaration, nameStart) }
    } else {
      guard reserved == nil, value.count & ~StanzaTape.Word.flag > 0,
        !matches(s + colon + 1, Int(prefix.count), "xmlns")
      else { throw failure(.wrongNamespaceDeclaration, nameStart) }
    }
    for binding in bindings[frame.bindings...]
    where binding.prefix.count == prefix.count
      && XMLScan.equal(bytes(binding.prefix.offset, s), s + colon + 1, Int(prefix.count))
    {
      throw failure(.duplicateAttribute, nameStart)
    }
    guard bindings.count < Self.mostBindings else { throw failure(.tooManyAttributes, nameStart) }
    bindings.append(Binding(prefix: prefix, namespace: value))
    return true
  }

  /// Returns `xml` or `xmlns` if `value` is that prefix's namespace (Namespaces in XML §3).
  private func reservedNamespace(_ s: UnsafePointer<UInt8>, _ value: Span) -> String? {
    let count = Int(value.count & ~StanzaTape.Word.flag)
    guard count >= 29 else { return nil }
    let raw = UnsafeBufferPointer(start: s + Int(value.offset), count: count)
    let isEncoded = value.count & StanzaTape.Word.flag != 0
    // Without references, a different first half settles it.
    guard isEncoded || matches(s + Int(value.offset), 18, "http://www.w3.org/") else { return nil }
    let text = String(decoding: XMLText.decoded(raw, as: .attribute), as: UTF8.self)
    switch text {
    case XMLNamespace.xml: return "xml"
    case XMLNamespace.xmlns: return "xmlns"
    default: return nil
    }
  }

  private func matches(_ s: UnsafePointer<UInt8>, _ count: Int, _ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && XMLScan.equal(s, text.utf8Start, count)
  }

  /// The tag ended: all its declarations are known, so its prefixes can be resolved.
  @inline(__always)
  mutating func finishTag(_ s: UnsafePointer<UInt8>) throws(XMLError) {
    let frame = frames[depth - 1]
    var namespace = frame.defaultNamespace
    let local = words[frame.word]
    if local != frame.name.offset {
      namespace = try resolve(
        Span(offset: frame.name.offset, count: local - frame.name.offset - 1), s)
    }
    words[frame.word + 2] = namespace.offset
    words[frame.word + 3] = namespace.count
    if prefixedAttributes > 0 { try resolveAttributes(s, frame) }
  }

  private func resolve(_ prefix: Span, _ s: UnsafePointer<UInt8>) throws(XMLError) -> Span {
    let name = s + Int(prefix.offset)
    var index = bindings.count - 1
    while index >= 0 {
      let binding = bindings[index]
      if binding.prefix.count == prefix.count,
        XMLScan.equal(bytes(binding.prefix.offset, s), name, Int(prefix.count))
      {
        return binding.namespace
      }
      index -= 1
    }
    throw failure(.undeclaredPrefix, Int(prefix.offset))
  }

  private mutating func resolveAttributes(
    _ s: UnsafePointer<UInt8>, _ frame: Frame
  ) throws(XMLError) {
    var at = frame.word + StanzaTape.Word.elementCount
    var resolved: [Int] = []
    while at < wordCount {
      let prefix = Span(offset: words[at + 2], count: words[at + 3])
      if prefix.count > 0 {
        if matches(s + Int(prefix.offset), Int(prefix.count), "xml") {
          words[at + 3] = StanzaTape.Word.xmlPrefix
        } else {
          let namespace = try resolve(prefix, s)
          // Two prefixes of one namespace must not make one name twice.
          for other in resolved
          where words[other + 1] == words[at + 1]
            && XMLScan.equal(s + Int(words[other]), s + Int(words[at]), Int(words[at + 1]))
            && isSame(Span(offset: words[other + 2], count: words[other + 3]), namespace, s)
          {
            throw failure(.duplicateAttribute, Int(prefix.offset))
          }
          words[at + 2] = namespace.offset
          words[at + 3] = namespace.count
          resolved.append(at)
        }
      }
      at += StanzaTape.Word.attributeCount
    }
  }

  private func isSame(_ a: Span, _ b: Span, _ s: UnsafePointer<UInt8>) -> Bool {
    func text(_ span: Span) -> [UInt8] {
      XMLText.decoded(
        UnsafeBufferPointer(
          start: bytes(span.offset, s), count: Int(span.count & ~StanzaTape.Word.flag)),
        as: .attribute)
    }
    return text(a) == text(b)
  }

  /// The innermost element ended.
  @inline(__always)
  mutating func closeElement() {
    depth -= 1
    let frame = frames[depth]
    if depth > 0 {
      words[frame.word + 5] = UInt32(truncatingIfNeeded: wordCount)
      if bindings.count > frame.bindings {
        bindings.removeLast(bindings.count - frame.bindings)
      }
    }
  }

  @inline(__always)
  mutating func endText(_ start: Int, _ end: Int) {
    reserveWords(StanzaTape.Word.textCount)
    words[wordCount] = StanzaTape.Word.text
    words[wordCount + 1] = UInt32(truncatingIfNeeded: start)
    words[wordCount + 2] = UInt32(truncatingIfNeeded: end - start) | flag
    wordCount += StanzaTape.Word.textCount
    flag = 0
  }

  /// The stream's opening tag is complete, with `count` bytes: its namespaces apply to all stanzas.
  mutating func openStream(
    _ s: UnsafePointer<UInt8>, _ count: Int, _ events: inout [XMLStreamEvent]
  ) {
    words[5] = UInt32(truncatingIfNeeded: wordCount)
    let tape = StanzaTape(
      words: words, wordCount: wordCount, bytes: s, byteCount: count, header: nil)
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    memcpy(copy, s, count)
    headerBytes?.deallocate()
    headerBytes = copy
    header = tape
    wordCount = 0
    let defaultNamespace = frames[0].defaultNamespace
    func fromHeader(_ span: Span) -> Span {
      Span(offset: span.offset | StanzaTape.Word.flag, count: span.count)
    }
    frames[0].name = fromHeader(frames[0].name)
    if defaultNamespace.count > 0 { frames[0].defaultNamespace = fromHeader(defaultNamespace) }
    for index in bindings.indices {
      bindings[index].prefix = fromHeader(bindings[index].prefix)
      bindings[index].namespace = fromHeader(bindings[index].namespace)
    }
    let raw = UnsafeBufferPointer(
      start: s + Int(defaultNamespace.offset),
      count: Int(defaultNamespace.count & ~StanzaTape.Word.flag))
    events.append(
      .opened(
        header: Element(tape: tape, position: 0),
        defaultNamespace: String(
          decoding: XMLText.decoded(raw, as: .attribute), as: UTF8.self)))
  }

  // MARK: Checks

  /// The length of the reference at `at`; 0 when the bytes end in it.
  func checkReference(
    _ s: UnsafePointer<UInt8>, _ at: Int, _ end: Int
  ) throws(XMLError) -> Int {
    switch XMLText.reference(UnsafeBufferPointer(start: s + at, count: end - at), at: 0) {
    case .reference(_, let count): return count
    case .incomplete: return 0
    case .undefined: throw failure(.undefinedEntity, at)
    case .malformed: throw failure(.unexpectedCharacter, at)
    case .forbidden: throw failure(.forbiddenCharacter, at)
    }
  }

  /// Returns whether `<!` at `at` begins a CDATA section; false when the bytes end first. Anything
  /// else after `<!` is refused.
  func isCDATA(_ s: UnsafePointer<UInt8>, _ at: Int, _ end: Int) throws(XMLError) -> Bool {
    let opening: StaticString = "<![CDATA["
    for index in 2..<9 {
      guard at + index < end else { return false }
      if s[at + index] == opening.utf8Start[index] { continue }
      guard index == 2 else { throw failure(.unexpectedCharacter, at) }
      switch s[at + 2] {
      case UInt8(ascii: "-"): throw failure(.comment, at)
      case UInt8(ascii: "D"): throw failure(.doctype, at)
      default: throw failure(.unexpectedCharacter, at)
      }
    }
    return true
  }

  /// Refuses text where only a tag is allowed, as a wrong encoding when it is one.
  func checkForeignText(
    _ s: UnsafePointer<UInt8>, _ end: Int,
    _ problem: XMLError.Problem = .textBetweenStanzas
  ) throws(XMLError) {
    if s[0] >= 0x80 {
      switch XMLScan.sequence(s, 0, end) {
      case 0: return
      case -1: throw failure(.invalidUTF8, 0)
      default: throw failure(problem, 0)
      }
    }
    let isControl = s[0] < 0x20
    throw failure(isControl ? .forbiddenCharacter : problem, 0)
  }
}
