import BoundedText

/// Decodes the bytes that a terminal sends into input events (interface.md, "What terminals send").
///
/// It supports the encodings of xterm and its relatives, rxvt, st, iTerm2, the Linux console,
/// kitty's protocol and modifyOtherKeys, regardless of TERM. It is a value without a clock of its
/// own: the reader of the terminal passes it the bytes of each read with the time, and calls
/// `expire` at `pendingDeadline`.
package struct InputDecoder: Sendable {
  /// The time that a lone ESC waits for the rest of a sequence.
  package var escapeDelay: Duration
  /// The time at which `expire(at:)` has to be called; `nil` if nothing waits.
  package private(set) var pendingDeadline: ContinuousClock.Instant?

  /// Reports that were received and not taken yet.
  private var reports: [TerminalReport] = []
  /// Bytes that are not events yet: an unfinished sequence or character.
  private var buffer: [UInt8] = []
  /// The bytes of a bracketed paste that has not ended.
  private var pasted: [UInt8]?
  /// The time until which a paste, or a sequence, may remain unfinished.
  private var patience: (isPaste: Bool, end: ContinuousClock.Instant)?
  /// The time until which another read belongs to a paste without brackets.
  private var burstEnd: ContinuousClock.Instant?
  /// The start of a character that the end of such a read divided.
  private var burstRest: [UInt8] = []

  /// Bytes that became keys because nothing followed them, and the time until which a remainder of
  /// the sequence may arrive.
  private var given: (bytes: [UInt8], until: ContinuousClock.Instant)?

  /// The maximum delay of the rest of a sequence that is too long for keys pressed by hand.
  private static let sequenceDelay = Duration.milliseconds(500)
  /// The time during which the remainder of an abandoned sequence is recognised.
  private static let restDelay = Duration.seconds(2)
  /// The longest pause within a bracketed paste.
  private static let pasteDelay = Duration.seconds(5)
  /// The extension of the deadline of unfinished input per received byte. Pastes and reports arrive
  /// faster; keys pressed while the end is missing arrive slower, and do not delay it forever.
  private static let byteDelay = Duration.milliseconds(10)
  /// Reads of fewer bytes may be keys.
  private static let typedLimit = 16
  /// The size of a paste, in bytes, above which it is delivered without waiting for its end.
  private static let pasteLimit = 4 << 20
  /// The time after one read of a paste without brackets during which the next belongs to it.
  private static let burstDelay = Duration.milliseconds(50)
  /// The maximum length of sequences and reports; longer ones are garbage.
  private static let sequenceLimit = 4096

  /// - Parameter escapeDelay: 25 ms is enough on a local terminal; over a network use 100 ms.
  package init(escapeDelay: Duration = .milliseconds(25)) {
    self.escapeDelay = escapeDelay
  }

  /// Decodes the bytes of one read.
  ///
  /// The boundaries of reads matter: only text with line ends *inside* one read is a paste.
  package mutating func feed(_ bytes: [UInt8], at now: ContinuousClock.Instant) -> [InputEvent] {
    // Keys that follow must not postpone the expiry.
    let isTyped = bytes.count < Self.typedLimit
    var events = isTyped && patience.map { now >= $0.end } == true ? expire(at: now) : []
    takeBack(before: bytes, at: now)
    if pasted == nil, buffer.isEmpty, let text = burst(bytes, at: now) {
      return events + [.paste(text)]
    }
    buffer += bytes
    consume(&events, isFinal: false)
    setDeadline(from: now, received: bytes.count)
    return events
  }

  /// Delivers pending input whose deadline has passed.
  package mutating func expire(at now: ContinuousClock.Instant) -> [InputEvent] {
    guard let deadline = pendingDeadline, now >= deadline else { return [] }
    var events: [InputEvent] = []
    if let pasted {
      // The end of the paste was lost; its content is text all the same.
      self.pasted = nil
      events.append(.paste(Self.text(ofPaste: pasted + buffer)))
      buffer = []
    } else {
      if buffer.first == 0x1B, buffer.count <= 2 { given = (buffer, now + Self.restDelay) }
      consume(&events, isFinal: true)
    }
    setDeadline(from: now, received: 0)
    return events
  }

  /// Recovers a paste or report whose first bytes arrived long before the rest: they became the
  /// Escape key, and the rest would become letters and Enter.
  private mutating func takeBack(before bytes: [UInt8], at now: ContinuousClock.Instant) {
    guard let (first, until) = given else { return }
    given = nil
    guard now < until, bytes.count > 1 else { return }
    let whole = first + bytes
    var sequence = EscapeSequence(whole[...])
    switch sequence.read(isFinal: false) {
    case .pasteBegins, .report: buffer = first
    case .events(let read, _):
      // No user types such a start; other brackets may be part of a text.
      let isAnswer = ["\u{1B}[?", "\u{1B}]1", "\u{1B}P", "\u{1B}_G"].contains {
        whole.starts(with: $0.utf8)
      }
      if read.isEmpty, isAnswer { buffer = first }
    case .incomplete: break
    }
  }

  /// Delivers pending input, and the hang-up of the terminal.
  package mutating func end() -> [InputEvent] {
    var events: [InputEvent] = []
    if let pasted {
      events.append(.paste(Self.text(ofPaste: pasted)))
      self.pasted = nil
    } else {
      consume(&events, isFinal: true)
    }
    buffer = []
    pendingDeadline = nil
    return events + [.hangup]
  }

  /// Returns the terminal's reports since the last call.
  package mutating func takeReports() -> [TerminalReport] {
    defer { reports = [] }
    return reports
  }

  /// - Parameter received: the number of bytes received now.
  private mutating func setDeadline(from now: ContinuousClock.Instant, received: Int) {
    let isSequence = buffer.count > 2 || buffer.count == 2 && buffer[0] != 0x1B
    guard pasted != nil || isSequence else {
      patience = nil
      return setShortDeadline(from: now)
    }
    let isPaste = pasted != nil
    let latest = now + (isPaste ? Self.pasteDelay : Self.sequenceDelay)
    let granted = patience.flatMap {
      $0.isPaste == isPaste ? $0.end + Self.byteDelay * received : nil
    }
    let end = min(granted ?? latest, latest)
    patience = (isPaste, end)
    pendingDeadline = end
  }

  /// Sets the deadline for input that may be a single key.
  private mutating func setShortDeadline(from now: ContinuousClock.Instant) {
    if buffer.isEmpty {
      pendingDeadline = nil
    } else if buffer == [0x1B] || buffer == [0x1B, 0x1B] {
      pendingDeadline = now + escapeDelay
    } else if buffer.count == 2, buffer[0] == 0x1B {
      // ESC [ and the like: Alt+[ or the start of a divided sequence.
      pendingDeadline = now + escapeDelay * 4
    } else {
      pendingDeadline = now + Self.sequenceDelay
    }
  }

  // MARK: Pastes

  /// Returns the text of a paste without brackets, if `bytes` can only be one: text with line ends
  /// inside.
  private mutating func burst(_ bytes: [UInt8], at now: ContinuousClock.Instant) -> String? {
    let continues = burstEnd.map { now < $0 } ?? false
    let bytes = (continues ? burstRest : []) + bytes
    (burstEnd, burstRest) = (nil, [])
    let isText = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    guard isText, bytes.count > 1, let first = bytes.firstIndex(where: { $0 != 0x0D }),
      let last = bytes.lastIndex(where: { $0 != 0x0D })
    else { return nil }
    guard continues || bytes[first...last].contains(0x0D) else { return nil }
    burstEnd = now + Self.burstDelay
    // At most the last three bytes can be the start of a character.
    let cut = bytes.indices.suffix(3).first {
      (utf8Length(lead: bytes[$0]) ?? 0) > bytes.count - $0
    }
    burstRest = Array(bytes[(cut ?? bytes.count)...])
    return Self.text(ofPaste: Array(bytes[..<(cut ?? bytes.count)]))
  }

  /// Returns pasted bytes as text; terminals send CR for the line ends of a paste.
  private static func text(ofPaste bytes: [UInt8]) -> String {
    var lines: [UInt8] = []
    lines.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      if byte == 0x0D {
        lines.append(0x0A)
      } else if byte != 0x0A || previous != 0x0D {
        lines.append(byte)
      }
      previous = byte
    }
    return String(bounding: lines)
  }

  private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

  /// Moves the bytes of a bracketed paste out of the buffer.
  /// - Returns: `false` if the paste continues after the buffer.
  private mutating func consumePaste(_ start: inout Int, _ events: inout [InputEvent]) -> Bool {
    guard var text = pasted else { return true }
    pasted = nil  // So that appending does not copy.
    // The end may be divided between two reads.
    let from = max(0, text.count - Self.pasteEnd.count + 1)
    text += buffer[start...]
    start = buffer.count
    guard let end = Self.firstIndex(of: Self.pasteEnd, in: text, from: from) else {
      if text.count > Self.pasteLimit {
        // Keeps the possible start of the end sequence, and a divided character or line end.
        var whole = text.count - Self.pasteEnd.count
        // No character is longer; a row of line feeds may be divided.
        let least = whole - 4
        while whole > least, text[whole] & 0xC0 == 0x80 || text[whole] == 0x0A { whole -= 1 }
        events.append(.paste(Self.text(ofPaste: Array(text[..<whole]))))
        text.removeFirst(whole)
      }
      pasted = text
      return false
    }
    let behind = text.count - end - Self.pasteEnd.count
    start = buffer.count - behind
    text.removeLast(text.count - end)
    events.append(.paste(Self.text(ofPaste: text)))
    return true
  }

  private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8], from: Int) -> Int? {
    guard bytes.count >= pattern.count, from <= bytes.count - pattern.count else { return nil }
    return (from...bytes.count - pattern.count).first {
      bytes[$0] == pattern[0] && bytes[$0..<$0 + pattern.count].elementsEqual(pattern)
    }
  }

  // MARK: Bytes to events

  private mutating func consume(_ events: inout [InputEvent], isFinal: Bool) {
    var start = 0
    // A paste may contain its own end sequence, so what follows it in the same read was not typed.
    var isBehindPaste = false
    scan: while start < buffer.count || pasted != nil {
      if pasted != nil {
        guard consumePaste(&start, &events) else { break }
        isBehindPaste = true
        continue
      }
      if isBehindPaste, buffer[start] != 0x1B {
        let end = buffer[start...].firstIndex(of: 0x1B) ?? buffer.count
        events.appendPasted(Self.text(ofPaste: Array(buffer[start..<end])))
        start = end
        continue
      }
      let byte = buffer[start]
      if byte == 0x1B {
        var sequence = EscapeSequence(buffer[start...])
        switch sequence.read(isFinal: isFinal) {
        case .incomplete:
          if buffer.count - start <= Self.sequenceLimit { break scan }
          start = buffer.count
        case .events(let read, let length):
          events += isBehindPaste ? read.filter(\.isFocus) : read
          start += length
        case .pasteBegins(let length):
          start += length
          pasted = []
        case .report(let report, let length):
          start += length
          reports.append(report)
        }
      } else if byte < 0x20 || byte == 0x7F {
        events.append(.key(Key(controlByte: byte)))
        start += 1
      } else {
        let end = endOfText(from: start)
        if end > start {
          for character in String(bounding: buffer[start..<end]) {
            // Some terminals send U+0080 to U+009F for Ctrl+Alt chords; no keyboard has them.
            if let value = character.unicodeScalars.first?.value, (0x80..<0xA0).contains(value) {
              continue
            }
            events.append(.key(.character(character)))
          }
          start = end
        } else if !isFinal, isCutCharacter(at: start) {
          break
        } else {
          start += 1  // Not UTF-8.
        }
      }
    }
    buffer.removeFirst(start)
  }

  /// Returns the end of the complete, valid characters from `start` on, before the next control
  /// byte.
  private func endOfText(from start: Int) -> Int {
    var end = start
    while end < buffer.count, buffer[end] >= 0x20, buffer[end] != 0x7F {
      guard let length = utf8Length(buffer[end...]) else { break }
      end += length
    }
    return end
  }

  private func isCutCharacter(at start: Int) -> Bool {
    let rest = buffer[start...]
    guard let lead = rest.first, let needed = utf8Length(lead: lead) else { return false }
    return rest.count < needed && rest.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
  }
}

extension InputEvent {
  fileprivate var isFocus: Bool { if case .focus = self { true } else { false } }
}

extension [InputEvent] {
  /// Appends text to the last paste.
  fileprivate mutating func appendPasted(_ text: String) {
    if case .paste(let before)? = last {
      self[count - 1] = .paste(before + text)
    } else {
      append(.paste(text))
    }
  }
}

extension Key {
  /// Creates the key of a C0 control byte or DEL.
  init(controlByte byte: UInt8) {
    switch byte {
    case 0x00: self = .control(" ")
    case 0x08, 0x7F: self = Key(.backspace)
    case 0x09: self = Key(.tab)
    case 0x0D: self = .enter
    case 0x1B: self = .escape
    case 0x01...0x1A: self = .control(Character(Unicode.Scalar(byte + 0x60)))
    default: self = .control(Character(Unicode.Scalar(byte + 0x40)))
    }
  }
}
