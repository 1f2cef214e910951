import XML

/// The description of a room for clients outside it (XEP-0045 §6.4).
package struct XEP0045Card: Hashable, Sendable {
  /// The `FORM_TYPE` of the details (§18.5.5).
  private static let details = "http://jabber.org/protocol/muc#roominfo"

  /// The room's name; empty without one.
  package let name: String
  /// The description by the room's owner.
  package let description: String
  /// The current subject, where the room shows it to the outside.
  package let subject: String
  /// The SHA-1 of the room's picture, in hexadecimal (XEP-0486 §3.2); `nil` when none is given
  /// here.
  package let pictureID: String?
  /// The number of occupants.
  package let people: Int?
  /// The tag of the room's language.
  package let language: String?

  /// Reads a discovery result; `nil` when `found` is not a room.
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

  /// The most bytes at the end of a name that are searched for the number of occupants.
  private static let longestCount = 100

  /// Splits a name in a list of rooms into the name itself and the number of occupants, which
  /// ejabberd appends in parentheses.
  package static func listed(_ name: String) -> (name: String, people: Int?) {
    // The digits are at the end; no room has ten to the hundredth occupants.
    guard name.utf8.last == UInt8(ascii: ")"),
      let open = name.utf8.suffix(longestCount).lastIndex(of: UInt8(ascii: "(")),
      let count = name[name.index(after: open)...].dropLast()
        .split(separator: ",").last.flatMap({ Int($0.drop { $0 == " " }) }), count >= 0
    else { return (name, nil) }
    return (String(name[..<open]).withoutBlanksAround, count)
  }
}
