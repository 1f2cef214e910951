import FoundationEssentials

/// A place on a server where one file may be put, and where others get it (XEP-0363).
package struct XEP0363Slot: Hashable, Sendable {
  package static let namespace = "urn:xmpp:http:upload:0"

  /// A header field that goes with the PUT.
  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Where to put it, and where it can be had afterwards.
  package let put: String
  package let get: String
  /// Those that are allowed: `Authorization`, `Cookie` and `Expires` (§5).
  package let headers: [Header]

  package init(put: String, get: String, headers: [Header] = []) {
    self.put = put
    self.get = get
    self.headers = headers
  }

  /// Reads a `<slot/>`; `nil` when `element` is none.
  ///
  /// Other headers than those that are allowed are passed over, and so are values that hold a line end (§5: they must be
  /// stripped of it, and what follows it then is nothing that anybody meant).
  package init?(_ element: Element) {
    guard element.is("slot", Self.namespace), let put = element.first("put", Self.namespace),
      let target = put["url"], let get = element.first("get", Self.namespace)?["url"]
    else { return nil }
    self.init(
      put: target, get: get,
      headers: put.all("header", Self.namespace).compactMap { header in
        guard let name = header["name"],
          let known = ["Authorization", "Cookie", "Expires"].first(where: {
            $0.lowercased() == name.lowercased()
          }), header.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return Header(name: known, value: header.text)
      })
  }

  /// The `<slot/>` that a service gives.
  package var element: Element {
    Element(
      "slot", Self.namespace, [:],
      [
        Element(
          "put", Self.namespace, ["url": put],
          headers.map {
            Element("header", Self.namespace, ["name": $0.name], text: $0.value)
          }),
        Element("get", Self.namespace, ["url": get]),
      ])
  }

  /// The IQ that asks `service` for a place (§4).
  /// - Parameter size: bytes, more than 0.
  package static func request(
    name: String, size: Int, mediaType: String?, from service: JID
  ) -> Element {
    var request = Element(
      "request", namespace, ["filename": name, "size": String(size)])
    request["content-type"] = mediaType
    return Element("iq", Namespace.client, ["type": "get", "to": service.description], [request])
  }
}

/// A service that takes files, as discovery tells of it (XEP-0363 §3).
package struct XEP0363Service: Hashable, Sendable {
  package let jid: JID
  /// Bytes that a file may have; `nil` where nothing is said.
  package let sizeLimit: Int?

  package init(jid: JID, sizeLimit: Int?) {
    self.jid = jid
    self.sizeLimit = sizeLimit
  }

  /// Reads what `jid` says of itself; `nil` when it takes no files.
  package init?(jid: JID, _ discovery: XEP0030Discovery) {
    guard discovery.features.contains(XEP0363Slot.namespace) else { return nil }
    // Some servers describe an older protocol in a second form.
    let form = discovery.forms.first { form in
      form.fields.contains { $0.name == "FORM_TYPE" && $0.values == [XEP0363Slot.namespace] }
    }
    let limit = form?.fields.first { $0.name == "max-file-size" }?.values.first
    self.init(jid: jid, sizeLimit: limit.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil })
  }
}

extension StanzaError {
  /// Bytes that a file may have, where it was refused for being larger (XEP-0363 §4.1).
  package var fileSizeLimit: Int? {
    guard let reason = applicationCondition, reason.is("file-too-large", XEP0363Slot.namespace)
    else { return nil }
    return reason.first("max-file-size", XEP0363Slot.namespace).flatMap { Int($0.text) }
  }

  /// From when on files are taken again, where one was refused because there were too many (XEP-0363 §4.3).
  package var uploadsAgainAt: Date? {
    guard let reason = applicationCondition, reason.is("retry", XEP0363Slot.namespace) else {
      return nil
    }
    return reason["stamp"].flatMap { XEP0082DateTime.date(from: $0) }
  }
}
