import NatterCore
import XMPP

/// The roster port over a dictionary.
package actor MemoryRosterStore: RosterStoring {
  private var stored: [JID: Contact]
  private var version: String?

  package init(_ contacts: [Contact] = [], version: String? = nil) {
    stored = Dictionary(uniqueKeysWithValues: contacts.map { ($0.jid, $0) })
    self.version = version
  }

  package func contacts() -> [Contact] {
    stored.values.sorted { $0.jid.description < $1.jid.description }
  }
  package func rosterVersion() -> String? { version }

  package func replaceContacts(_ contacts: [Contact], version: String?) {
    stored = Dictionary(contacts.map { ($0.jid, $0) }) { $1 }
    self.version = version
  }

  package func saveContact(_ contact: Contact, version: String?) {
    stored[contact.jid] = contact
    self.version = version ?? self.version
  }

  package func removeContact(_ jid: JID, version: String?) {
    stored[jid] = nil
    self.version = version ?? self.version
  }
}
