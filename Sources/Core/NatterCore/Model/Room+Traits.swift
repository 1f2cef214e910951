import XML
import XMPP

extension Room.Trait {
  /// Returns the traits that a room's features declare (XEP-0045 §6.4).
  package static func read(_ found: XEP0030Discovery) -> Set<Room.Trait> {
    let names: [String: Room.Trait] = [
      "muc_membersonly": .membersOnly, "muc_passwordprotected": .passwordProtected,
      "muc_moderated": .moderated, "muc_nonanonymous": .nonAnonymous, "muc_hidden": .hidden,
      "muc_temporary": .temporary, Namespace.archive: .archive,
      Namespace.occupantID: .occupantIDs,
    ]
    return Set(found.features.compactMap { names[$0] })
  }
}
