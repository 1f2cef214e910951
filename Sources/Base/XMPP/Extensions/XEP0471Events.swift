import BoundedText
import FoundationEssentials
import XML

/// An event of a calendar, as an item of a node contains it (XEP-0471 §4.1, §6).
package struct XEP0471Event: Hashable, Sendable {
  package static let namespace = "urn:xmpp:calendar-events:0"
  /// The namespace in version 0.1 of the specification.
  package static let formerNamespace = "urn:xmpp:events:0"
  /// The node of the personal calendar; other calendars append a slash and a name (§5).
  package static let personalNode = namespace
  private static let geolocation = XEP0080Location.namespace
  private static let conference = "jabber:x:conference"

  /// The item's id.
  package let id: String
  package var name: String
  package var start: Date
  /// The end, not before `start`.
  package var end: Date
  package var text: String
  package var place: String
  /// The room in which the event happens, or to which it belongs.
  package var room: JID?
  /// Indicates whether everyone who can see the event is asked to answer.
  package var takesAnswers: Bool
  package var isCancelled = false

  package init(
    id: String, name: String, start: Date, end: Date, text: String = "", place: String = "",
    room: JID? = nil, takesAnswers: Bool = true
  ) {
    self.id = id
    self.name = name
    self.start = start
    self.end = max(start, end)
    self.text = text
    self.place = place
    self.room = room
    self.takesAnswers = takesAnswers
  }

  /// Returns whether events are published in a node of this name.
  package static func isCalendar(_ node: String) -> Bool {
    [namespace, formerNamespace].contains { node == $0 || node.hasPrefix($0 + "/") }
  }

  /// Reads an item of a node or of a notification; `nil` when the event, its name or its start is
  /// missing.
  package init?(item: Element) {
    guard let id = item["id"], !id.isEmpty,
      let event = item.elements.first(where: {
        $0.is("event", Self.namespace) || $0.is("event", Self.formerNamespace)
      }),
      let space = Optional(event.namespace),
      let name = event.first("name", space)?.text.withoutBlanksAround.nonEmpty,
      let start = Self.date(event.first("start", space))
    else { return nil }
    let texts = event.all("description", space)
    let plain = texts.first { $0["type"] != "xhtml" }?.text
    let locations = event.all("location", space)
    let online = locations.flatMap { $0.all("online", space) }
    self.init(
      id: id, name: name, start: start,
      // The specification requires both times; an event without an end is assumed to last an hour.
      end: Self.date(event.first("end", space)) ?? start.addingTimeInterval(3600),
      text: (plain ?? texts.first.map(Self.flattened) ?? "").withoutBlanksAround,
      place: locations.lazy.compactMap {
        $0.first("geoloc", Self.geolocation).flatMap(XEP0080Location.text)
      }.first
        ?? online.lazy.compactMap { $0.first("name", space)?.text.nonEmpty }.first ?? "",
      room: online.lazy.compactMap {
        $0.first("x", Self.conference)?.address("jid").jid
      }.first?.bare,
      takesAnswers: event.first("rsvp", space) != nil)
    let extra = event.first("extra", space)?.first("x", Namespace.dataForms)
      .flatMap { XEP0004DataForm($0) }
    isCancelled = extra?["status"]?.values.first == "cancelled"
  }

  private static func date(_ element: Element?) -> Date? {
    element.flatMap { XEP0082DateTime.date(from: $0.text.withoutBlanksAround) }
  }

  /// Returns all text in an element, without its markup. The parser limits the nesting.
  private static func flattened(_ element: Element) -> String {
    element.children.map {
      switch $0 {
      case .text(let text): text
      case .element(let inner): flattened(inner)
      }
    }.joined().bounded
  }

  /// The item to publish.
  package var item: Element {
    let space = Self.namespace
    var event = Element(
      "event", space, [:],
      [
        Element("name", space, text: name),
        Element("start", space, text: XEP0082DateTime.text(for: start)),
        Element("end", space, text: XEP0082DateTime.text(for: end)),
      ])
    if !text.isEmpty {
      event.append(Element("description", space, ["type": "text"], text: text))
    }
    var location = Element("location", space)
    if !place.isEmpty {
      location.append(
        Element(
          "geoloc", Self.geolocation, [:],
          [Element("description", Self.geolocation, text: place)]))
    }
    if let room {
      location.append(
        Element(
          "online", space, [:],
          [
            Element("x", Self.conference, ["jid": room.description]),
            Element("instructions", space, text: room.description),
          ]))
    }
    if !location.elements.isEmpty { event.append(location) }
    if takesAnswers {
      event.append(Element("rsvp", space, [:], [XEP0471Answer.question.element]))
    }
    return Element("item", Namespace.pubSub, ["id": id], [event])
  }
}

/// An answer to an event, attached to it (XEP-0471 §6.5, XEP-0470 §4).
package struct XEP0471Answer: Hashable, Sendable {
  /// The possible answers, with their values on the wire.
  package enum Attendance: String, Hashable, Sendable, CaseIterable { case yes, maybe, no }

  private static let attachments = "urn:xmpp:pubsub-attachments:1"
  private static let formType = "urn:xmpp:calendar-events:rsvp:0"

  /// The JID of the contact who answers.
  package let jid: JID
  package let attendance: Attendance

  package init(jid: JID, attendance: Attendance) {
    self.jid = jid.bare
    self.attendance = attendance
  }

  /// Reads an item of an attachments node.
  ///
  /// Everyone can write there, but only under their own JID: an item from another publisher is
  /// ignored.
  package init?(item: Element) {
    guard let jid = item.address("id").jid, jid.isBare,
      item.address("publisher").jid(ifAbsent: jid)?.bare == jid,
      let attached = item.elements.first(where: { $0.is("attachments", Self.attachments) }),
      let answer = attached.elements.first(where: { $0.name == "rsvp" }),
      let form = answer.first("x", Namespace.dataForms).flatMap({ XEP0004DataForm($0) }),
      let attendance = form["attending"]?.values.first.flatMap({ Attendance(rawValue: $0) })
    else { return nil }
    self.init(jid: jid, attendance: attendance)
  }

  /// The form with which an event asks for answers.
  static var question: XEP0004DataForm {
    XEP0004DataForm(
      .form,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [formType]),
        .init(
          "attending", kind: .listSingle, label: "Attending", isRequired: true, values: ["maybe"],
          options: Attendance.allCases.map { .init(label: $0.rawValue, value: $0.rawValue) }),
      ])
  }

  /// The item to publish.
  package var item: Element {
    let form = XEP0004DataForm(
      .submit,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [Self.formType]),
        .init("attending", values: [attendance.rawValue]),
      ])
    return Element(
      "item", Namespace.pubSub, ["id": jid.description],
      [
        Element(
          "attachments", Self.attachments, [:],
          [Element("rsvp", XEP0471Event.namespace, [:], [form.element])])
      ])
  }

  // MARK: Nodes of answers

  /// An item of a service's node.
  package struct Target: Hashable, Sendable {
    package let service: JID
    package let node: String
    package let item: String

    package init(service: JID, node: String, item: String) {
      self.service = service
      self.node = node
      self.item = item
    }

    /// The node of the item's attachments (XEP-0470 §4.1).
    package var attachmentNode: String {
      "\(attachments)/xmpp:\(service)?;node=\(PercentEncoding.encoded(node))"
        + ";item=\(PercentEncoding.encoded(item))"
    }

    /// The longest node and item that are read, in bytes.
    private static let longestName = 4096
    /// The longest name of an attachments node: the two of them and an address, percent-encoded.
    private static let longestNode = 64 << 10

    /// Parses the name of an attachments node; `nil` when `node` is something else.
    package init?(attachmentNode node: String) {
      let prefix = attachments + "/xmpp:"
      let question = UInt8(ascii: "?")
      guard node.utf8.count <= Self.longestNode, node.hasPrefix(prefix),
        let mark = node.utf8.firstIndex(of: question)
      else { return nil }
      let address = node[..<mark].dropFirst(prefix.count)
      var fields: [Substring: String] = [:]
      for part in node[node.index(after: mark)...].split(separator: ";") {
        let pair = part.split(separator: "=", maxSplits: 1)
        if pair.count == 2 { fields[pair[0]] = PercentEncoding.decoded(pair[1]) }
      }
      guard let service = JID(parsing: PercentEncoding.decoded(address)),
        let target = fields["node"], let item = fields["item"],
        max(target.utf8.count, item.utf8.count) <= Self.longestName
      else { return nil }
      self.init(service: service, node: target, item: item)
    }
  }
}
