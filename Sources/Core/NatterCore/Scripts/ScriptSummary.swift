import FoundationEssentials
import XMPP

/// The state of a script.
package enum ScriptState: Hashable, Sendable {
  /// The user has not enabled it.
  case off
  /// It is enabled, and nothing of it is running.
  case sleeping
  case running
  /// It waits for the user's answer.
  case asking
  /// It crashed too often, broke a limit, or could not be started.
  case failed(StatusNotice)
  /// Its manifest is not valid; the line counts from 1.
  case bad(line: Int?, StatusNotice)
  /// Other users of the computer can change it.
  case unsafe(path: String)
  /// What it declares is not what the user has seen: it is enabled again once they have looked.
  case changed
}

/// How far the system confines the program of a script.
package enum ScriptConfinement: String, Hashable, Sendable {
  /// By Landlock and seccomp.
  case closed
  /// By bwrap.
  case bwrap
  /// Not at all: it can read all that the user can.
  case open
}

/// A script in the list.
package struct ScriptSummary: Hashable, Sendable, Identifiable {
  /// The name of its folder.
  package let name: String
  package var state: ScriptState
  /// Why it is off though the user has enabled it; `nil`: it is not.
  package var refusal: StatusNotice?
  /// `nil` without a valid manifest.
  package var manifest: ScriptManifest?
  /// Indicates whether it is one of those that come with Natter.
  package var isShipped = false
  package var confinement = ScriptConfinement.closed
  /// The memory that its processes have, in bytes, and their processor time in percent of one
  /// core; `nil`: it is not running, or was not measured yet.
  package var memory: Int?
  package var processor: Int?
  /// The requests of this run of Natter.
  package var requests = 0
  /// The texts in this run of Natter that were not shown or logged, because there were too many,
  /// and the parts of its decorations that were not valid.
  package var dropped = 0
  package var grants: [ScriptGrantUse] = []
  /// The rights that the user has declined or taken back, and is not asked for now.
  package var refused: Set<ScriptRight> = []
  /// The rights that the user has refused for good: it cannot ask for them.
  package var never: [ScriptRight] = []
  /// The settings that the user has changed, by name.
  package var settings: [String: String] = [:]

  package var id: String { name }

  package init(name: String, state: ScriptState, manifest: ScriptManifest?) {
    (self.name, self.state, self.manifest) = (name, state, manifest)
  }
}

/// A right that a script holds, and its use.
package struct ScriptGrantUse: Hashable, Sendable {
  package let grant: ScriptGrant
  /// `nil`: until Natter ends.
  package let given: Date?
  package var lastUse: Date?
  /// The uses in this run of Natter.
  package var count = 0

  package init(_ grant: ScriptGrant, given: Date?) { (self.grant, self.given) = (grant, given) }
}

/// A question of a script for a right, or for one change of contacts.
package struct ScriptQuestion: Hashable, Sendable, Identifiable {
  package let id: Int
  package let script: String
  /// The title of the manifest; untrusted.
  package let title: String
  package let permission: ScriptManifest.Permission
  /// The account in which it is needed, bare; `nil`: the right belongs to no account.
  package let account: JID?
  /// The conversation that the request is about, if there is one.
  package let conversation: JID?
  /// Indicates whether the script could pass on what it reads.
  package let canPassOn: Bool
  /// The change that the user is asked about: the answers are no and once. `nil`: it is about the
  /// right.
  package var change: AskedContactChange?

  package init(
    id: Int, script: String, title: String, permission: ScriptManifest.Permission, account: JID?,
    conversation: JID?, canPassOn: Bool
  ) {
    (self.id, self.script, self.title) = (id, script, title)
    (self.permission, self.account) = (permission, account)
    (self.conversation, self.canPassOn) = (conversation, canPassOn)
  }
}

/// The user's answer to the question of a script.
package enum ScriptAnswer: Hashable, Sendable {
  case no
  /// Not in this run of Natter, nor in later ones.
  case never
  case once
  /// Once, and only as far as the grant goes: the user has narrowed what is asked for.
  case onceWithin(ScriptGrant)
  /// Until Natter ends; it is not stored.
  case session(ScriptGrant)
  case always(ScriptGrant)
}
