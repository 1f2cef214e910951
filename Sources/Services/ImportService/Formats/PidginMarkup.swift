import BoundedText

/// The HTML of Pidgin's logs.
enum PidginMarkup {
  /// The colours of entries, which show their kinds.
  enum Colour { case sent, received, action, notice }

  /// The parts of a line that begins an entry:
  /// `<font color="#16569E"><font size="2">(21:04:10)</font> <b>alice:</b></font> hello<br/>`,
  /// in newer versions with `<span style="color: #16569E">`.
  struct Entry {
    let colour: Colour
    let time: ArraySlice<UInt8>
    let name: String?
    let body: ArraySlice<UInt8>
  }

  /// The longest beginning of a line before its time, in bytes.
  private static let prefixByteCount = 160
  private static let ends = ["<br/>", "<br>", "<br />"].map { Array($0.utf8) }

  /// - Returns: `nil` for a line that begins no entry.
  static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    guard line.starts(with: Array("<font ".utf8)) || line.starts(with: Array("<span ".utf8)),
      let open = line.prefix(prefixByteCount).first(range: Array(">(".utf8)),
      let close = line[open...].prefix(prefixByteCount).first(range: Array(")</".utf8))
    else { return nil }
    let time = line[(open + 2)..<close]
    let colour = colour(line[..<open])
    let rest = line[close...]
    guard colour != .notice, let begin = rest.first(range: Array("<b>".utf8)),
      let end = rest[begin...].first(range: Array("</b>".utf8))
    else { return Entry(colour: .notice, time: time, name: nil, body: rest) }
    var name = text(rest[(begin + 3)..<end])
    if name.hasSuffix(":") { name.removeLast() }
    var body = rest[(end + 4)...]
    for tag in ["</font>", "</span>"] where body.starts(with: Array(tag.utf8)) {
      body = body.dropFirst(tag.utf8.count)
      break
    }
    if body.first == 0x20 { body = body.dropFirst() }
    return Entry(colour: colour, time: time, name: name, body: body)
  }

  /// Removes the tag at the end of an entry.
  /// - Returns: `false` if there is none.
  static func removeEnd(of body: inout [UInt8]) -> Bool {
    guard let end = ends.first(where: { body.suffix($0.count) == $0[...] }) else { return false }
    body.removeLast(end.count)
    return true
  }

  private static func colour(_ tags: ArraySlice<UInt8>) -> Colour {
    guard let sign = tags.firstIndex(of: UInt8(ascii: "#")) else { return .notice }
    switch String(decoding: tags[(sign + 1)...].prefix(6), as: UTF8.self).uppercased() {
    case "16569E": return .sent
    case "A82F2F": return .received
    case "062585": return .action
    default: return .notice
    }
  }

  /// Returns the text of markup: tags are dropped, but for line ends, and for links, whose
  /// addresses follow their texts.
  static func text(_ markup: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    var link: (address: [UInt8], start: Int)?
    var rest = markup
    var hasTags = true
    while let byte = rest.first {
      if byte == UInt8(ascii: "<"), hasTags, let end = rest.firstIndex(of: UInt8(ascii: ">")) {
        let tag = rest[(rest.startIndex + 1)..<end]
        rest = rest[(end + 1)...]
        switch name(of: tag) {
        case "br", "/p", "/div": text.append(0x0A)
        case "a": link = attribute("href", of: tag).map { ($0, text.count) }
        case "img": text += attribute("alt", of: tag) ?? []
        case "/a":
          if let (address, start) = link, !address.isEmpty, text[start...] != address[...],
            Array("mailto:".utf8) + text[start...] != address
          {
            text += Array(" (".utf8) + address + Array(")".utf8)
          }
          link = nil
        default: break
        }
      } else if byte == UInt8(ascii: "&"), let (bytes, count) = entity(rest) {
        text += bytes
        rest = rest.dropFirst(count)
      } else {
        // Without a further `>`, none is looked for again.
        if byte == UInt8(ascii: "<") { hasTags = false }
        text.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(bounding: text)
  }

  private static func name(of tag: ArraySlice<UInt8>) -> String {
    let isEnd = tag.first == UInt8(ascii: "/")
    let letters = tag.dropFirst(isEnd ? 1 : 0).prefix(10).prefix {
      ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z")
    }
    return (isEnd ? "/" : "") + String(decoding: letters, as: UTF8.self).lowercased()
  }

  /// Returns the value of an attribute in double or single quotes.
  private static func attribute(_ name: String, of tag: ArraySlice<UInt8>) -> [UInt8]? {
    guard let begin = tag.first(range: Array(" \(name)=".utf8)) else { return nil }
    let value = tag[(begin + name.utf8.count + 2)...]
    guard let quote = value.first, quote == 0x22 || quote == 0x27 else { return nil }
    var rest = value.dropFirst().prefix { $0 != quote }
    var bytes: [UInt8] = []
    while let byte = rest.first {
      if byte == UInt8(ascii: "&"), let (decoded, count) = entity(rest) {
        bytes += decoded
        rest = rest.dropFirst(count)
      } else {
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    return bytes
  }

  /// Returns the character of an entity at the beginning, and the length of the entity.
  private static func entity(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    let longest = 10
    guard let end = text.prefix(longest).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: text[(text.startIndex + 1)..<end], as: UTF8.self)
    let count = end - text.startIndex + 1
    switch name {
    case "lt": return (Array("<".utf8), count)
    case "gt": return (Array(">".utf8), count)
    case "amp": return (Array("&".utf8), count)
    case "quot": return (Array("\"".utf8), count)
    case "apos": return (Array("'".utf8), count)
    case "nbsp": return (Array(" ".utf8), count)
    default: break
    }
    guard name.hasPrefix("#") else { return nil }
    let isHex = name.dropFirst().first == "x"
    let digits = name.dropFirst(isHex ? 2 : 1)
    guard digits.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
      let value = UInt32(digits, radix: isHex ? 16 : 10), let scalar = Unicode.Scalar(value),
      value > 0
    else { return nil }
    return (Array(String(scalar).utf8), count)
  }
}
