/// The loop over the bytes. One function, however long: its state stays in registers, and each kind
/// of byte is handled where it is met.
extension XMLMachine {
  /// Continues at `position` in `stanza`. On return `stanza` and `available` are the rest to keep.
  mutating func run(
    _ stanza: inout UnsafePointer<UInt8>, _ available: inout Int,
    _ events: inout [XMLStreamEvent]
  ) throws(XMLError) {
    var s = stanza
    var left = available
    var at = position
    var end = min(left, limit)
    let classes = UnsafePointer(self.classes)
    defer {
      stanza = s
      available = left
      position = at
    }

    while true {
      switch state {
      case .text:
        var marker = false
        scan: while true {
          // Eight bytes at a time, as long as they are plain ASCII text.
          while at + 8 <= end {
            let stop = XMLScan.textStop(XMLScan.load(s + at))
            if stop == 0 {
              at += 8
            } else {
              at += stop.trailingZeroBitCount >> 3
              break
            }
          }
          if at >= end { break scan }
          let byte = s[at]
          if byte == UInt8(ascii: "<") {
            marker = true
            break scan
          }
          if byte >= 0x80 {
            repeat {
              let count = XMLScan.sequence(s, at, end)
              if count <= 0 {
                if count == 0 { break scan }
                throw failure(count == -1 ? .invalidUTF8 : .forbiddenCharacter, at)
              }
              at += count
            } while at < end && s[at] >= 0x80
          } else if byte == UInt8(ascii: "&") {
            let count = try checkReference(s, at, end)
            if count == 0 { break scan }
            flag = StanzaTape.Word.flag
            at += count
          } else if byte < 0x20 {
            if byte == 0x0D {
              flag = StanzaTape.Word.flag
            } else if byte != 0x0A && byte != 0x09 {
              throw failure(.forbiddenCharacter, at)
            }
            at += 1
          } else {
            if byte == UInt8(ascii: ">"), at >= textFloor + 2, s[at - 1] == UInt8(ascii: "]"),
              s[at - 2] == UInt8(ascii: "]")
            {
              throw failure(.cdataEndInText, at)
            }
            at += 1
          }
        }
        if !marker || at + 1 >= end { return try needMore(left) }
        if s[at + 1] == UInt8(ascii: "!") {
          guard try isCDATA(s, at, end) else { return try needMore(left) }
          flag = StanzaTape.Word.flag
          at += 9
          state = .cdata
          continue
        }
        if s[at + 1] == UInt8(ascii: "?") { throw failure(.processingInstruction, at) }
        if at > textFloor { endText(textFloor, at) }
        if s[at + 1] == UInt8(ascii: "/") {
          // The usual end tag, whole and without blanks.
          let name = frames[depth - 1].name
          let count = Int(name.count)
          if at + count + 3 <= end, s[at + count + 2] == UInt8(ascii: ">"),
            XMLScan.equal(s + at + 2, s + Int(name.offset), count)
          {
            at += count + 3
            closeElement()
            textFloor = at
            if depth == 1 { finishStanza(&s, &left, &at, &end, &events) }
            continue
          }
          at += 2
          nameStart = at
          state = .endName
        } else {
          at += 1
          nameStart = at
          colon = -1
          state = .tagName
        }

      case .tagName:
        guard try scanName(s, &at, end, classes) else { return try needMore(left) }
        try openElement(s, at)
        state = .afterName

      case .afterName:
        if at >= end { return try needMore(left) }
        let byte = s[at]
        if byte == UInt8(ascii: ">") {
          at += 1
          try finishTag(s)
          if depth == 1 {
            openStream(s, at, &events)
            shift(&s, &left, &at, &end)
            state = .betweenStanzas
          } else {
            textFloor = at
            state = .text
          }
        } else if byte == UInt8(ascii: "/") {
          at += 1
          state = .emptyTag
        } else if byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D {
          at += 1
          // Straight to the name of an attribute, which is what nearly always follows one blank.
          if at < end, classes[Int(s[at])] & XMLName.start != 0 {
            nameStart = at
            colon = -1
            state = .attributeName
          } else {
            state = .inTag
          }
        } else {
          throw failure(.unexpectedCharacter, at)
        }

      case .inTag:
        while at < end, classes[Int(s[at])] & XMLName.blank != 0 { at += 1 }
        if at >= end { return try needMore(left) }
        let byte = s[at]
        if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") {
          state = .afterName
        } else {
          nameStart = at
          colon = -1
          state = .attributeName
        }

      case .attributeName:
        guard try scanName(s, &at, end, classes) else { return try needMore(left) }
        nameCount = at - nameStart
        state = .afterAttributeName

      case .afterAttributeName:
        while at < end, classes[Int(s[at])] & XMLName.blank != 0 { at += 1 }
        if at >= end { return try needMore(left) }
        guard s[at] == UInt8(ascii: "=") else { throw failure(.unexpectedCharacter, at) }
        at += 1
        state = .beforeValue

      case .beforeValue:
        while at < end, classes[Int(s[at])] & XMLName.blank != 0 { at += 1 }
        if at >= end { return try needMore(left) }
        quote = s[at]
        guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
          throw failure(.unexpectedCharacter, at)
        }
        at += 1
        valueStart = at
        flag = 0
        state = .value

      case .value:
        let pattern = UInt64(quote) &* XMLScan.ones
        scan: while true {
          while at + 8 <= end {
            let stop = XMLScan.valueStop(XMLScan.load(s + at), pattern)
            if stop == 0 {
              at += 8
            } else {
              at += stop.trailingZeroBitCount >> 3
              break
            }
          }
          if at >= end { return try needMore(left) }
          let byte = s[at]
          if byte == quote {
            break scan
          } else if byte >= 0x80 {
            let count = XMLScan.sequence(s, at, end)
            if count <= 0 {
              if count == 0 { return try needMore(left) }
              throw failure(count == -1 ? .invalidUTF8 : .forbiddenCharacter, at)
            }
            at += count
          } else if byte == UInt8(ascii: "&") {
            let count = try checkReference(s, at, end)
            if count == 0 { return try needMore(left) }
            flag = StanzaTape.Word.flag
            at += count
          } else if byte < 0x20 {
            guard classes[Int(byte)] & XMLName.blank != 0 else {
              throw failure(.forbiddenCharacter, at)
            }
            flag = StanzaTape.Word.flag
            at += 1
          } else if byte == UInt8(ascii: "<") {
            throw failure(.unexpectedCharacter, at)
          } else {
            at += 1
          }
        }
        let value = Span(
          offset: UInt32(truncatingIfNeeded: valueStart),
          count: UInt32(truncatingIfNeeded: at - valueStart) | flag)
        flag = 0
        try addAttribute(s, value)
        at += 1
        state = .afterName

      case .emptyTag:
        if at >= end { return try needMore(left) }
        guard s[at] == UInt8(ascii: ">") else { throw failure(.unexpectedCharacter, at) }
        at += 1
        try finishTag(s)
        if depth == 1 { openStream(s, at, &events) }
        endElement(&s, &left, &at, &end, &events)

      case .endName:
        let name = frames[depth - 1].name
        let expected = bytes(name.offset, s)
        while at < end, at - nameStart < Int(name.count) {
          guard s[at] == expected[at - nameStart] else { throw failure(.mismatchedTag, at) }
          at += 1
        }
        if at - nameStart < Int(name.count) { return try needMore(left) }
        if at >= end { return try needMore(left) }
        guard s[at] == UInt8(ascii: ">") || classes[Int(s[at])] & XMLName.blank != 0 else {
          throw failure(.mismatchedTag, at)
        }
        state = .afterEndName

      case .afterEndName:
        while at < end, classes[Int(s[at])] & XMLName.blank != 0 { at += 1 }
        if at >= end { return try needMore(left) }
        guard s[at] == UInt8(ascii: ">") else { throw failure(.unexpectedCharacter, at) }
        at += 1
        endElement(&s, &left, &at, &end, &events)

      case .cdata:
        while at < end {
          let byte = s[at]
          if byte == UInt8(ascii: "]") {
            if at + 1 >= end { return try needMore(left) }
            guard s[at + 1] == UInt8(ascii: "]") else {
              at += 1
              continue
            }
            if at + 2 >= end { return try needMore(left) }
            guard s[at + 2] == UInt8(ascii: ">") else {
              at += 1
              continue
            }
            at += 3
            state = .text
            break
          } else if byte >= 0x80 {
            let count = XMLScan.sequence(s, at, end)
            if count <= 0 {
              if count == 0 { return try needMore(left) }
              throw failure(count == -1 ? .invalidUTF8 : .forbiddenCharacter, at)
            }
            at += count
          } else {
            guard byte >= 0x20 || classes[Int(byte)] & XMLName.blank != 0 else {
              throw failure(.forbiddenCharacter, at)
            }
            at += 1
          }
        }
        if state == .cdata { return try needMore(left) }

      case .betweenStanzas:
        while at < end, classes[Int(s[at])] & XMLName.blank != 0 { at += 1 }
        shift(&s, &left, &at, &end)
        if left == 0 { return }
        let byte = s[0]
        if classes[Int(byte)] & XMLName.blank != 0 { continue }
        guard byte == UInt8(ascii: "<") else {
          try checkForeignText(s, end)
          return
        }
        if end < 2 { return try needMore(left) }
        switch s[1] {
        case UInt8(ascii: "!"):
          guard try isCDATA(s, 0, end) else { return try needMore(left) }
          throw failure(.textBetweenStanzas, 0)
        case UInt8(ascii: "?"): throw failure(.processingInstruction, 0)
        case UInt8(ascii: "/"):
          at = 2
          nameStart = 2
          state = .endName
        default:
          at = 1
          nameStart = 1
          colon = -1
          wordCount = 0
          state = .tagName
        }

      case .prolog:
        while at < end, classes[Int(s[at])] & XMLName.blank != 0 { at += 1 }
        shift(&s, &left, &at, &end)
        if left == 0 { return }
        let byte = s[0]
        if classes[Int(byte)] & XMLName.blank != 0 { continue }
        guard byte == UInt8(ascii: "<") else {
          try checkForeignText(s, end, .unexpectedCharacter)
          return
        }
        if end < 2 { return try needMore(left) }
        switch s[1] {
        case UInt8(ascii: "!"):
          guard try isCDATA(s, 0, end) else { return try needMore(left) }
          throw failure(.unexpectedCharacter, 0)
        case UInt8(ascii: "?"):
          guard consumed == 0 else { throw failure(.processingInstruction, 0) }
          switch XMLDeclaration.check(UnsafeBufferPointer(start: s, count: end)) {
          case .complete(let count):
            at = count
            shift(&s, &left, &at, &end)
          case .incomplete: return try needMore(left)
          case .refused(let problem, let offset): throw failure(problem, offset)
          }
        default:
          at = 1
          nameStart = 1
          colon = -1
          wordCount = 0
          state = .tagName
        }

      case .afterEnd:
        while at < end, classes[Int(s[at])] & XMLName.blank != 0 { at += 1 }
        shift(&s, &left, &at, &end)
        if left == 0 { return }
        if classes[Int(s[0])] & XMLName.blank == 0 { throw failure(.afterTheEnd, 0) }
      }
    }
  }
}
