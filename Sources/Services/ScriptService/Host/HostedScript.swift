import Diagnostics
import FoundationEssentials
import NatterCore

/// A script that is hosted: where its files are, its manifest, and what the user has set for it.
package struct HostedScript: Sendable {
  package let name: String
  /// The folder with the manifest and the program; absolute.
  package let folder: String
  /// The folder in which the program may write; absolute. Its values are in the folder `values`
  /// beside it, which the program cannot reach.
  package let storage: String
  /// The file that gets the lines of its standard error; absolute.
  package let logFile: String
  package let manifest: ScriptManifest
  /// The settings that the user has changed, by name.
  package let settings: [String: String]
  /// The messages that it may send to a conversation within an hour; `nil`: the usual number.
  package var sendingPerHour: Int?
  /// The id of the last message of each account that an earlier run was sent, by bare address.
  package var cursors: [String: Int] = [:]
  /// The folder of the clients for scripts that come with Natter, which theirs import; absolute;
  /// `nil`: it has a copy of its own.
  package var clientFolder: String?

  package init(
    name: String, folder: String, storage: String, logFile: String, manifest: ScriptManifest,
    settings: [String: String]
  ) {
    (self.name, self.folder, self.storage, self.logFile) = (name, folder, storage, logFile)
    (self.manifest, self.settings) = (manifest, settings)
  }

  /// The script of a folder, with what the user has decided about it.
  init(
    _ found: FoundScript, _ manifest: ScriptManifest, _ entry: ScriptGrants.Entry,
    in folders: ScriptFolders
  ) {
    self.init(
      name: found.name, folder: found.folder, storage: folders.storage(of: found.name),
      logFile: folders.log(of: found.name), manifest: manifest, settings: entry.settings)
    sendingPerHour = entry.sendingPerHour
    if found.isShipped { clientFolder = folders.shipped }
  }
}

/// The parts of the program that a host works with.
package struct ScriptHostServices: Sendable {
  package let starter: any ScriptStarting
  package let bridging: any ScriptBridging
  package let rights: ScriptHostRights
  package let about: @Sendable () async -> ScriptEnvironment
  package let report: @Sendable (ScriptHostEvent) async -> Void
  package let clock: BridgeClock
  package let log: Log
  /// Returns a sentence in the user's language.
  package var texts: BridgeError.Texts = { $0.key }

  package init(
    starter: any ScriptStarting, bridging: any ScriptBridging, rights: ScriptHostRights,
    about: @escaping @Sendable () async -> ScriptEnvironment,
    report: @escaping @Sendable (ScriptHostEvent) async -> Void, clock: BridgeClock, log: Log
  ) {
    (self.starter, self.bridging, self.rights, self.about) = (starter, bridging, rights, about)
    (self.report, self.clock, self.log) = (report, clock, log)
  }
}

/// The rights of a script.
package struct ScriptHostRights: Sendable {
  /// The rights over methods and events of the bridge.
  package let bridge: BridgeRights
  /// Returns whether a right is held, without asking the user.
  package let holds: @Sendable (ScriptRight) -> Bool
  /// Returns the decision about a right that is needed; the user may be asked.
  package let request: @Sendable (ScriptRight) async -> BridgeRights.Decision
  /// Returns the rights that are held.
  package let listed: @Sendable () -> [ScriptGrant]

  package init(
    bridge: BridgeRights, holds: @escaping @Sendable (ScriptRight) -> Bool,
    request: @escaping @Sendable (ScriptRight) async -> BridgeRights.Decision,
    listed: @escaping @Sendable () -> [ScriptGrant]
  ) {
    (self.bridge, self.holds, self.request, self.listed) = (bridge, holds, request, listed)
  }
}

/// The program around a script, as `hello` describes it.
package struct ScriptEnvironment: Sendable {
  package let version: String
  /// The tag of the user's language.
  package let locale: String
  package let themeName: String
  package let isDark: Bool

  package init(version: String, locale: String, themeName: String, isDark: Bool) {
    (self.version, self.locale) = (version, locale)
    (self.themeName, self.isDark) = (themeName, isDark)
  }
}

/// A change that a host reports. Texts are untrusted.
package enum ScriptHostEvent: Sendable {
  case state(ScriptState)
  /// A short text for the status line.
  case toast(String)
  /// The memory of its processes in bytes, and their processor time in percent of one core.
  case usage(memory: Int, processor: Int)
  /// The requests since the host was made.
  case requests(Int)
  /// The texts since the host was made that were not shown or logged, because there were too many,
  /// and the parts of answers to `decorate` that are not valid.
  case dropped(Int)
  /// An item of the status line. An empty text removes it; `until`: when it disappears.
  case status(id: String, text: String, role: ScriptTextRole, until: Date?)
  /// The content of a pane.
  case pane(ScriptPane)
  /// Its program has ended, and does not sleep: what it has on the screen goes.
  case ended
}

extension BridgeClock {
  /// Waits for an outcome.
  /// - Returns: `nil` if there was none within `limit`, or the task was cancelled.
  func wait<Value>(for outcome: Outcome<Value>, atMost limit: Duration) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await outcome.wait() }
      group.addTask {
        _ = await hasPassed(limit)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first ?? outcome.value
    }
  }
}
