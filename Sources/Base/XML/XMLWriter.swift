/// Writes elements as XML for a stream; the result is always well-formed, whatever the strings
/// contain.
///
/// Namespaces are declared where they differ from the enclosing one. There are two kinds of
/// prefixes: `stream:`, which the stream's header declares, and `a0:`… for attributes in a
/// namespace. Characters that XML cannot contain (control characters, U+FFFE, U+FFFF) become
/// U+FFFD.
package struct XMLWriter: Sendable {
  /// The namespace of elements without a declaration.
  package let defaultNamespace: String

  package init(defaultNamespace: String = Namespace.client) {
    self.defaultNamespace = defaultNamespace
  }

  /// Returns `element` as UTF-8.
  package func bytes(_ element: Element) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    append(element, to: &bytes)
    return bytes
  }

  /// Returns `element` as a string.
  package func string(_ element: Element) -> String {
    String(decoding: bytes(element), as: UTF8.self)
  }

  /// Appends `element` as UTF-8 to `bytes`.
  package func append(_ element: Element, to bytes: inout [UInt8]) {
    write(element, inside: defaultNamespace, to: &bytes)
  }

  /// The closing tag of a stream.
  package static var streamEnd: [UInt8] { Array("</stream:stream>".utf8) }

  /// Returns the opening tag of a stream (RFC 6120 §4.7), after the XML declaration; `attributes`
  /// are those of the tag.
  package func streamHeader(_ attributes: Attributes) -> [UInt8] {
    var bytes = Array("<?xml version='1.0'?><stream:stream xmlns='".utf8)
    Self.append(defaultNamespace, inAttribute: true, to: &bytes)
    bytes += "' xmlns:stream='http://etherx.jabber.org/streams'".utf8
    writeAttributes(attributes, to: &bytes)
    bytes.append(UInt8(ascii: ">"))
    return bytes
  }

  private func write(_ element: Element, inside outer: String, to bytes: inout [UInt8]) {
    var namespace = element.namespace
    let name = Self.name(element.name)
    var prefix = ""
    var inner = outer
    switch namespace {
    case outer: break
    case Namespace.streams: prefix = "stream:"
    default:
      // The two namespaces of XML itself cannot be declared.
      if namespace == XMLNamespace.xmlns || namespace == XMLNamespace.xml { namespace = "" }
      inner = namespace
    }
    bytes.append(UInt8(ascii: "<"))
    bytes += prefix.utf8
    bytes += name.utf8
    if inner != outer {
      bytes += " xmlns='".utf8
      Self.append(inner, inAttribute: true, to: &bytes)
      bytes.append(UInt8(ascii: "'"))
    }
    writeAttributes(element.attributes, to: &bytes)
    let children = element.children
    if children.isEmpty {
      bytes += "/>".utf8
      return
    }
    bytes.append(UInt8(ascii: ">"))
    for child in children {
      switch child {
      case .element(let element): write(element, inside: inner, to: &bytes)
      case .text(let text): Self.append(text, inAttribute: false, to: &bytes)
      }
    }
    bytes += "</".utf8
    bytes += prefix.utf8
    bytes += name.utf8
    bytes.append(UInt8(ascii: ">"))
  }

  private func writeAttributes(_ attributes: Attributes, to bytes: inout [UInt8]) {
    // The case of nearly every stanza: no name has to be changed, so none can collide.
    if attributes.allSatisfy({ Self.isPlainName($0.key) && $0.key != "xmlns" }) {
      for (name, value) in attributes { Self.append(name, value, to: &bytes) }
      return
    }
    var prefixes = 0
    // A changed name could collide with an existing one.
    var written: Set<String> = []
    for (key, value) in attributes {
      var name = key
      var expanded: String?
      if key.first == "{", let close = key.lastIndex(of: "}") {
        let namespace = String(key[key.index(after: key.startIndex)..<close])
        let local = Self.name(String(key[key.index(after: close)...]))
        if namespace == XMLNamespace.xml {
          name = "xml:" + local
        } else if namespace.isEmpty || namespace == XMLNamespace.xmlns {
          name = local
        } else {
          expanded = "{" + namespace + "}" + local
          guard written.insert(expanded ?? name).inserted else { continue }
          name = "a\(prefixes):" + local
          bytes += " xmlns:a\(prefixes)='".utf8
          Self.append(namespace, inAttribute: true, to: &bytes)
          bytes.append(UInt8(ascii: "'"))
          prefixes += 1
        }
      } else if key.hasPrefix("xml:") {
        name = "xml:" + Self.name(String(key.dropFirst(4)))
      } else {
        name = Self.name(key)
      }
      // A declaration is not an attribute: only elements determine namespaces.
      guard name != "xmlns", expanded != nil || written.insert(name).inserted else { continue }
      Self.append(name, value, to: &bytes)
    }
  }

  private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: " "))
    bytes += name.utf8
    bytes += "='".utf8
    append(value, inAttribute: true, to: &bytes)
    bytes.append(UInt8(ascii: "'"))
  }

  /// Returns whether `name` is a valid name of ASCII characters only.
  private static func isPlainName(_ name: String) -> Bool {
    guard let first = name.utf8.first, XMLName.byteClass(first) & XMLName.start != 0 else {
      return false
    }
    return name.utf8.allSatisfy { XMLName.byteClass($0) & XMLName.inside != 0 }
  }

  /// Returns `name`, changed to a similar valid name if it is not an XML name.
  static func name(_ name: String) -> String {
    if isPlainName(name) || XMLName.isName(name) { return name }
    var changed = String.UnicodeScalarView()
    for scalar in name.unicodeScalars { changed.append(XMLName.isInside(scalar) ? scalar : "_") }
    if let first = changed.first, XMLName.isStart(first) { return String(changed) }
    return "_" + String(changed)
  }

  /// Appends `text`; escapes or replaces everything that a parser would not return unchanged.
  static func append(_ text: String, inAttribute: Bool, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { utf8 in
      var start = 0
      var index = 0
      func copy(_ replacement: StaticString, skipping count: Int) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
        bytes.append(
          contentsOf: UnsafeBufferPointer(
            start: replacement.utf8Start, count: replacement.utf8CodeUnitCount))
        index += count
        start = index
      }
      while index < utf8.count {
        let byte = utf8[index]
        if byte > 0x3E && byte < 0xEF {
          index += 1
          continue
        }
        switch byte {
        case UInt8(ascii: "<"): copy("&lt;", skipping: 1)
        case UInt8(ascii: ">"): copy("&gt;", skipping: 1)
        case UInt8(ascii: "&"): copy("&amp;", skipping: 1)
        case UInt8(ascii: "'") where inAttribute: copy("&apos;", skipping: 1)
        case 0x0D: copy("&#13;", skipping: 1)
        case 0x0A where inAttribute: copy("&#10;", skipping: 1)
        case 0x09 where inAttribute: copy("&#9;", skipping: 1)
        case 0x09, 0x0A: index += 1
        case 0x00..<0x20: copy("\u{FFFD}", skipping: 1)
        case 0xEF
        where index + 2 < utf8.count && utf8[index + 1] == 0xBF && utf8[index + 2] >= 0xBE:
          copy("\u{FFFD}", skipping: 3)
        default: index += 1
        }
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<utf8.count]))
    }
  }
}
