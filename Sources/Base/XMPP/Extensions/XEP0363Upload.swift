import FoundationEssentials
import XML

/// A slot on a server: the URLs for uploading a file and for downloading it (XEP-0363).
package struct XEP0363Slot: Hashable, Sendable {
  package static let namespace = "urn:xmpp:http:upload:0"

  /// A header field for the PUT request.
  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The URLs for uploading and for downloading.
  package let put: String
  package let get: String
  /// The allowed header fields: `Authorization`, `Cookie` and `Expires` (§5).
  package let headers: [Header]

  package init(put: String, get: String, headers: [Header] = []) {
    self.put = put
    self.get = get
    self.headers = headers
  }

  /// Reads a `<slot/>`; `nil` when `element` is something else.
  ///
  /// Header fields that are not allowed are ignored, and so are values that contain a line end (§5
  /// requires stripping line ends; the rest of such a value would be meaningless).
  package init?(_ element: Element) {
    guard element.is("slot", Self.namespace), let put = element.first("put", Self.namespace),
      let target = put["url"], let get = element.first("get", Self.namespace)?["url"]
    else { return nil }
    self.init(
      put: target, get: get,
      headers: put.all("header", Self.namespace).compactMap { header in
        guard let name = header["name"], name.utf8.count <= Self.longestName,
          let known = ["Authorization", "Cookie", "Expires"].first(where: {
            $0.lowercased() == name.lowercased()
          }), header.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return Header(name: known, value: header.text)
      })
  }

  /// The longest name of a header field that is compared, in bytes.
  private static let longestName = 64

  /// The `<slot/>` that a service returns.
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

  /// Returns the IQ that requests a slot from `service` (§4).
  /// - Parameter size: The file's size in bytes, more than 0.
  package static func request(
    name: String, size: Int, mediaType: String?, from service: JID
  ) -> Element {
    var request = Element(
      "request", namespace, ["filename": name, "size": String(size)])
    request["content-type"] = mediaType
    return Element("iq", Namespace.client, ["type": "get", "to": service.description], [request])
  }
}

/// An upload service, as its discovery result describes it (XEP-0363 §3).
package struct XEP0363Service: Hashable, Sendable {
  package let jid: JID
  /// The largest file, in bytes; `nil` when the service does not announce it.
  package let sizeLimit: Int?

  package init(jid: JID, sizeLimit: Int?) {
    self.jid = jid
    self.sizeLimit = sizeLimit
  }

  /// Reads the discovery result of `jid`; `nil` when it is not an upload service.
  package init?(jid: JID, _ discovery: XEP0030Discovery) {
    guard discovery.features.contains(XEP0363Slot.namespace) else { return nil }
    // Some servers describe an older protocol in another form.
    let form = discovery.forms.first { form in
      form.fields.contains { $0.name == "FORM_TYPE" && $0.values == [XEP0363Slot.namespace] }
    }
    let limit = form?.fields.first { $0.name == "max-file-size" }?.values.first
    self.init(jid: jid, sizeLimit: limit.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil })
  }
}

extension StanzaError {
  /// The largest allowed file, in bytes, if a file was refused because it is larger
  /// (XEP-0363 §4.1).
  package var fileSizeLimit: Int? {
    guard let reason = applicationCondition, reason.is("file-too-large", XEP0363Slot.namespace)
    else { return nil }
    return reason.first("max-file-size", XEP0363Slot.namespace).flatMap { Int($0.text) }
  }

  /// The time from which uploads are allowed again, if a file was refused because of too many
  /// uploads (XEP-0363 §4.3).
  package var uploadsAgainAt: Date? {
    guard let reason = applicationCondition, reason.is("retry", XEP0363Slot.namespace) else {
      return nil
    }
    return reason["stamp"].flatMap { XEP0082DateTime.date(from: $0) }
  }
}
