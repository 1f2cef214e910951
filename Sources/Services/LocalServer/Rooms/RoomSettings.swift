import XMPP

/// The configuration of a room by its owners (XEP-0045 §10.2).
struct RoomSettings: Hashable, Sendable {
  var name = ""
  var description = ""
  /// Indicates whether the room remains when the last occupant leaves. On by default, so that its
  /// messages are not lost.
  var isPersistent = true
  /// Indicates whether the directory lists the room.
  var isPublic = true
  var isModerated = false
  var isMembersOnly = false
  /// The password; empty for none.
  var password = ""
  /// Indicates whether all occupants see real JIDs, and not only moderators.
  var showsAddresses = false
  /// Indicates whether occupants other than moderators can change the subject.
  var allowsSubjects = false
  /// Indicates whether members can invite.
  var allowsInvitations = true
  var allowsPrivateMessages = true
  var isArchived = true
  /// The largest number of occupants; 0 applies only the server's limit.
  var maximum = 0

  static let formType = "http://jabber.org/protocol/muc#roomconfig"
  private static let textLimit = 4096

  init() {}

  /// Returns the configuration form with the current values (§10.2).
  func form(_ kind: XEP0004DataForm.FormType = .form) -> XEP0004DataForm {
    func flag(_ name: String, _ label: String, _ value: Bool) -> XEP0004DataForm.Field {
      .init(name, kind: .boolean, label: label, values: [value ? "1" : "0"])
    }
    func text(_ name: String, _ label: String, _ value: String) -> XEP0004DataForm.Field {
      .init(name, label: label, values: [value])
    }
    return XEP0004DataForm(
      kind, title: "Room configuration",
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [Self.formType]),
        text("muc#roomconfig_roomname", "Name", name),
        text("muc#roomconfig_roomdesc", "Description", description),
        flag("muc#roomconfig_persistentroom", "Stays when everybody has left", isPersistent),
        flag("muc#roomconfig_publicroom", "Listed for everybody", isPublic),
        flag("muc#roomconfig_moderatedroom", "Only those with voice speak", isModerated),
        flag("muc#roomconfig_membersonly", "Members only", isMembersOnly),
        flag("muc#roomconfig_passwordprotectedroom", "Needs a password", !password.isEmpty),
        .init(
          "muc#roomconfig_roomsecret", kind: .textPrivate, label: "Password", values: [password]),
        .init(
          "muc#roomconfig_whois", kind: .listSingle, label: "Who sees addresses",
          values: [showsAddresses ? "anyone" : "moderators"],
          options: [
            .init(label: "Moderators", value: "moderators"),
            .init(label: "Anyone", value: "anyone"),
          ]),
        flag("muc#roomconfig_changesubject", "Occupants change the subject", allowsSubjects),
        flag("muc#roomconfig_allowinvites", "Occupants invite others", allowsInvitations),
        .init(
          "muc#roomconfig_allowpm", kind: .listSingle, label: "Who sends private messages",
          values: [allowsPrivateMessages ? "anyone" : "none"],
          options: [.init(label: "Anyone", value: "anyone"), .init(label: "Nobody", value: "none")]),
        flag("muc#roomconfig_enablearchiving", "Keeps what is said", isArchived),
        text("muc#roomconfig_maxusers", "Most occupants (0: no limit)", String(maximum)),
      ])
  }

  /// Applies a submitted form; ignores unknown fields.
  /// - Returns: false when a value is invalid; no field is applied then.
  mutating func apply(_ form: XEP0004DataForm) -> Bool {
    var new = self
    var wantsPassword: Bool?
    for field in form.fields {
      let value = field.values.first ?? ""
      guard value.utf8.count <= Self.textLimit else { return false }
      let isSet = value == "1" || value == "true"
      switch field.name {
      case "muc#roomconfig_roomname": new.name = value
      case "muc#roomconfig_roomdesc":
        new.description = field.values.joined(separator: "\n")
        guard new.description.utf8.count <= Self.textLimit else { return false }
      case "muc#roomconfig_persistentroom": new.isPersistent = isSet
      case "muc#roomconfig_publicroom": new.isPublic = isSet
      case "muc#roomconfig_moderatedroom": new.isModerated = isSet
      case "muc#roomconfig_membersonly": new.isMembersOnly = isSet
      case "muc#roomconfig_passwordprotectedroom": wantsPassword = isSet
      case "muc#roomconfig_roomsecret": new.password = value
      case "muc#roomconfig_whois":
        guard ["anyone", "moderators"].contains(value) else { return false }
        new.showsAddresses = value == "anyone"
      case "muc#roomconfig_changesubject": new.allowsSubjects = isSet
      case "muc#roomconfig_allowinvites": new.allowsInvitations = isSet
      case "muc#roomconfig_allowpm": new.allowsPrivateMessages = value != "none"
      case "muc#roomconfig_enablearchiving", "muc#roomconfig_enablelogging", "mam":
        new.isArchived = isSet
      case "muc#roomconfig_maxusers":
        guard let number = value.isEmpty ? 0 : Int(value), number >= 0 else { return false }
        new.maximum = number
      default: break
      }
    }
    if wantsPassword == false { new.password = "" }
    // Password protection with an empty password would keep all occupants out.
    if wantsPassword == true, new.password.isEmpty { return false }
    self = new
    return true
  }

  /// The features that describe the room's type (§6.4).
  var features: Set<String> {
    [
      isPublic ? "muc_public" : "muc_hidden", isPersistent ? "muc_persistent" : "muc_temporary",
      isMembersOnly ? "muc_membersonly" : "muc_open",
      isModerated ? "muc_moderated" : "muc_unmoderated",
      showsAddresses ? "muc_nonanonymous" : "muc_semianonymous",
      password.isEmpty ? "muc_unsecured" : "muc_passwordprotected",
    ]
  }
}
