/// What a room says of itself to who asks from outside (XEP-0045 §6.4).
package struct XEP0045Card: Hashable, Sendable {
  /// The `FORM_TYPE` of the details (§18.5.5).
  private static let details = "http://jabber.org/protocol/muc#roominfo"

  /// What it calls itself; empty: nothing.
  package let name: String
  /// What its owner wrote about it.
  package let description: String
  /// What it is about now, where it tells that outside.
  package let subject: String
  /// The SHA-1 of its picture, in hexadecimal (XEP-0486 §3.2); `nil`: it tells of none here.
  package let pictureID: String?
  /// How many are in it.
  package let people: Int?
  /// The tag of the language that is spoken there.
  package let language: String?

  /// `nil` when `found` is no room.
  package init?(_ found: XEP0030Discovery) {
    guard found.features.contains(XEP0045.namespace),
      let identity = found.identities.first(where: { $0.category == "conference" })
    else { return nil }
    let form = found.forms.first { $0.formType == Self.details }
    func value(_ name: String) -> String {
      (form?["muc#roominfo_\(name)"]?.values ?? []).joined(separator: " ").withoutBlanksAround
    }
    name = (identity.name ?? "").withoutBlanksAround
    description = value("description")
    subject = value("subject")
    pictureID = form?["muc#roominfo_avatarhash"]?.values.lazy.compactMap(XEP0153.hash).first
    people = Int(value("occupants")).flatMap { $0 >= 0 ? $0 : nil }
    let spoken = value("lang")
    language = spoken.isEmpty ? nil : spoken
  }

  /// A name of a list, and the number of people where it stands behind it in parentheses, as ejabberd writes it.
  package static func listed(_ name: String) -> (name: String, people: Int?) {
    guard name.last == ")", let open = name.lastIndex(of: "("),
      let count = name[name.index(after: open)...].dropLast()
        .split(separator: ",").last.flatMap({ Int($0.drop { $0 == " " }) }), count >= 0
    else { return (name, nil) }
    return (String(name[..<open]).withoutBlanksAround, count)
  }
}
